//! The rules that an answer can break, by number. The order is part of a plan; new ones go to the end.

use galo_plan::Rule;

/// Number of a rule in [`RULES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Broken {
    ValidPersonRefused,
    InvalidPersonAccepted,
    CreateStatus,
    LocationMissing,
    LocationNoUuid,
    ReadShape,
    ReadDiffers,
    SearchShape,
    SearchPhantom,
    SearchDuplicate,
    ExactRefusal,
    ImpossibleDateAccepted,
    LocationRelative,
    NullStackKept,
    SearchAcrossFields,
    ContentTypeJson,
}

/// All rules, in the order of [`Broken`].
pub(crate) const RULES: &[Rule] = &[
    Rule::must(
        "valid-person-refused",
        "a valid person is created with status 201; if another row has the same apelido, 422 is right as well",
    ),
    Rule::must(
        "invalid-person-accepted",
        "a person with a field that is too long, of the wrong type or no date is refused with 400 or 422",
    ),
    Rule::must("create-status", "a creation is answered with 201, 400 or 422"),
    Rule::must("location-missing", "a creation's 201 has a Location"),
    Rule::must("location-no-uuid", "a creation's Location leads to /pessoas/<id>, where the id is a UUID"),
    Rule::must(
        "read-shape",
        "a read answers 200 and one JSON object with id, apelido, nome, nascimento and stack of the right types",
    ),
    Rule::must(
        "read-differs",
        "a read gives the person as created, stack in the same order with its duplicates",
    ),
    Rule::must(
        "search-shape",
        "a search answers 200 and a JSON array of people with id, apelido, nome, nascimento and stack of the right types",
    ),
    Rule::must(
        "search-phantom",
        "a search finds only people whose apelido, nome or stack contains the term, whatever the letter case",
    ),
    Rule::must("search-duplicate", "a search lists nobody twice"),
    Rule::should("exact-refusal", "a stack that is no array is refused with 400"),
    Rule::should("impossible-date-accepted", "29 February of a common year is refused"),
    Rule::should("location-relative", "a creation's Location is relative: it names no host"),
    Rule::should("null-stack-kept", "a stack of null is answered as null, neither as [] nor left out"),
    Rule::should(
        "search-across-fields",
        "a term that spans the end of one field and the start of the next finds nobody",
    ),
    Rule::should("content-type-json", "an answer in JSON has the Content-Type application/json"),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use galo_plan::Severity;

    use super::*;

    #[test]
    fn every_number_stands_for_the_rule_of_its_name() {
        let kebab = |rule: Broken| {
            let name = format!("{rule:?}");
            let parts = name.char_indices().map(|(i, c)| match (i, c.is_uppercase()) {
                (0, _) | (_, false) => c.to_lowercase().to_string(),
                _ => format!("-{}", c.to_lowercase()),
            });
            parts.collect::<String>()
        };
        for rule in [
            Broken::ValidPersonRefused,
            Broken::InvalidPersonAccepted,
            Broken::CreateStatus,
            Broken::LocationMissing,
            Broken::LocationNoUuid,
            Broken::ReadShape,
            Broken::ReadDiffers,
            Broken::SearchShape,
            Broken::SearchPhantom,
            Broken::SearchDuplicate,
            Broken::ExactRefusal,
            Broken::ImpossibleDateAccepted,
            Broken::LocationRelative,
            Broken::NullStackKept,
            Broken::SearchAcrossFields,
            Broken::ContentTypeJson,
        ] {
            assert_eq!(RULES[rule as usize].name, kebab(rule));
        }
        assert_eq!(RULES.len(), Broken::ContentTypeJson as usize + 1);
    }

    #[test]
    fn names_are_unique_and_the_should_rules_come_last() {
        assert_eq!(RULES.iter().map(|rule| &rule.name).collect::<HashSet<_>>().len(), RULES.len());
        let first_should = Broken::ExactRefusal as usize;
        assert!(RULES[..first_should].iter().all(|rule| rule.severity == Severity::Must));
        assert!(RULES[first_should..].iter().all(|rule| rule.severity == Severity::Should));
    }
}
