//! The rules that an answer can break, by number: `must` first. A plan holds them as they were when it was made.

use galo_plan::Rule;

/// Number of a rule in [`RULES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
#[expect(clippy::enum_variant_names, reason = "each is named as its rule")]
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
    BadDateAccepted,
    NullAccepted,
    TooLongAccepted,
    WrongTypeAccepted,
    BrokenJsonAccepted,
    DuplicateAccepted,
    SearchIncomplete,
    SearchCase,
    SearchMetacharacters,
    SearchOtherInstance,
    StackKept,
    UnknownPerson,
    NoTerm,
    ServerError,
    ExactRefusal,
    ImpossibleDateAccepted,
    LocationRelative,
    NullStackKept,
    SearchAcrossFields,
    ContentTypeJson,
    LengthInBytes,
    DateForm,
    JsonRead,
    StrictJson,
    OddText,
    SearchWildcard,
    SearchCaseUnicode,
    EmptyStackKept,
    EmptyElementRefused,
    ExactStatus,
    CountPlainText,
    CountFresh,
    NotFound,
    MethodRefused,
    HeadAnswered,
    KeepAlive,
    Pipelining,
    HttpForms,
    NicknamesByCase,
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
    Rule::must(
        "bad-date-accepted",
        "a nascimento in month 13 or on day 32, in another order, or that is no date is refused with 400 or 422, and nothing is stored",
    ),
    Rule::must(
        "null-accepted",
        "a person without apelido, nome, nascimento or an element of stack, or with null there, is refused with 400 or 422, and nothing is stored",
    ),
    Rule::must(
        "too-long-accepted",
        "an apelido or element of stack of over 32 characters, or a nome of over 100, is refused, and nothing is stored",
    ),
    Rule::must(
        "wrong-type-accepted",
        "a body or a field of another JSON type is refused with 400 or 422, and nothing is stored",
    ),
    Rule::must("broken-json-accepted", "broken JSON is refused with 400 or 422, and nothing is stored"),
    Rule::must(
        "duplicate-accepted",
        "of several creations of one apelido, also at once and on several instances, one is answered 201, and only that person is stored",
    ),
    Rule::must(
        "search-incomplete",
        "a search finds everybody whose apelido, nome or stack contains the term, or 50 of them",
    ),
    Rule::must("search-case", "a search finds a term whatever its letter case: node finds Node"),
    Rule::must("search-metacharacters", "C++, C# and quotes are letters of a term: no 5xx, and found"),
    Rule::must(
        "search-other-instance",
        "who was created on one instance is at once read and found on the other",
    ),
    Rule::must("stack-kept", "a stack keeps its order, its duplicates and the spelling of its elements"),
    Rule::must("unknown-person", "a read of nobody is answered 404, one by an id that is no UUID 400 or 404"),
    Rule::must("no-term", "a search without t is answered 400, one with an empty t 200 or 400"),
    Rule::must(
        "server-error",
        "no request that the rules speak of is answered by a 5xx or left without an answer, and none ends the server",
    ),
    Rule::should("exact-refusal", "a stack that is no array is refused with 400"),
    Rule::should("impossible-date-accepted", "29 February of a common year is refused"),
    Rule::should("location-relative", "a creation's Location is relative: it names no host"),
    Rule::should("null-stack-kept", "a stack of null is answered as null, neither as [] nor left out"),
    Rule::should(
        "search-across-fields",
        "a term that spans the end of one field and the start of the next finds nobody",
    ),
    Rule::should("content-type-json", "an answer in JSON has the Content-Type application/json"),
    Rule::should("length-in-bytes", "lengths are counted in characters: 32 times é is not too long"),
    Rule::should("date-form", "a nascimento in another form than AAAA-MM-DD is refused"),
    Rule::should(
        "json-read",
        "a valid person is created however JSON lets her be written: escapes, white space, order of keys, further keys",
    ),
    Rule::should("strict-json", "what only a lenient reader takes for JSON is refused"),
    Rule::should(
        "odd-text",
        "text that cannot be stored or read, as a NUL or half of a surrogate pair, is refused or replaced, without a 5xx",
    ),
    Rule::should(
        "search-wildcard",
        "a backslash, %, _, ., *, ?, [ and | in a term are letters, not wildcards",
    ),
    Rule::should("search-case-unicode", "a search ignores letter case also beyond ASCII: JOSÉ finds josé"),
    Rule::should("empty-stack-kept", "a stack of [] is answered as [], neither as null nor left out"),
    Rule::should("empty-element-refused", "an empty text as an element of stack is refused"),
    Rule::should(
        "exact-status",
        "a refusal has the status that the rules name: 422 for a duplicate and for null, 400 for a wrong type and broken JSON",
    ),
    Rule::should("count-plain-text", "the count is an integer alone, as text/plain"),
    Rule::should(
        "count-fresh",
        "the count holds everybody whose creation was acknowledged before it was asked for",
    ),
    Rule::should("not-found", "a path that does not exist is answered 404"),
    Rule::should("method-refused", "a method that a path does not have is answered 404, 405 or 501"),
    Rule::should("head-answered", "HEAD is answered as GET is, without a body"),
    Rule::should("keep-alive", "a connection carries one request after the other"),
    Rule::should("pipelining", "requests sent without waiting are answered in their order"),
    Rule::should(
        "http-forms",
        "a request is understood in every form that HTTP/1.1 gives it, as chunks, absolute form, names of headers in any case, or refused without a 5xx",
    ),
    Rule::should(
        "nicknames-by-case",
        "a nickname that differs from a taken one in letter case alone is not a duplicate",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use galo_plan::Severity;

    use super::*;

    const ALL: [Broken; 49] = [
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
        Broken::BadDateAccepted,
        Broken::NullAccepted,
        Broken::TooLongAccepted,
        Broken::WrongTypeAccepted,
        Broken::BrokenJsonAccepted,
        Broken::DuplicateAccepted,
        Broken::SearchIncomplete,
        Broken::SearchCase,
        Broken::SearchMetacharacters,
        Broken::SearchOtherInstance,
        Broken::StackKept,
        Broken::UnknownPerson,
        Broken::NoTerm,
        Broken::ServerError,
        Broken::ExactRefusal,
        Broken::ImpossibleDateAccepted,
        Broken::LocationRelative,
        Broken::NullStackKept,
        Broken::SearchAcrossFields,
        Broken::ContentTypeJson,
        Broken::LengthInBytes,
        Broken::DateForm,
        Broken::JsonRead,
        Broken::StrictJson,
        Broken::OddText,
        Broken::SearchWildcard,
        Broken::SearchCaseUnicode,
        Broken::EmptyStackKept,
        Broken::EmptyElementRefused,
        Broken::ExactStatus,
        Broken::CountPlainText,
        Broken::CountFresh,
        Broken::NotFound,
        Broken::MethodRefused,
        Broken::HeadAnswered,
        Broken::KeepAlive,
        Broken::Pipelining,
        Broken::HttpForms,
        Broken::NicknamesByCase,
    ];

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
        for rule in ALL {
            assert_eq!(RULES[rule as usize].name, kebab(rule));
        }
        assert_eq!(RULES.len(), ALL.len());
    }

    #[test]
    fn names_are_unique_and_the_should_rules_come_last() {
        assert_eq!(RULES.iter().map(|rule| &rule.name).collect::<HashSet<_>>().len(), RULES.len());
        let first_should = Broken::ExactRefusal as usize;
        assert!(RULES[..first_should].iter().all(|rule| rule.severity == Severity::Must));
        assert!(RULES[first_should..].iter().all(|rule| rule.severity == Severity::Should));
    }
}
