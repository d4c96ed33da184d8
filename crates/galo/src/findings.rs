//! Holds that every finding that anybody makes has its words.

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use galo_drive::stage::NO_OUTAGE_ROUND;
    use galo_plan::rules::GENERIC;
    use galo_plan::{ChallengeModel, NoModel};
    use galo_record::act::SECOND_START_FAILED;

    /// Nobody else knows all who name findings.
    #[test]
    fn the_page_has_words_for_every_finding_and_for_no_other() {
        let rules = [GENERIC, NoModel.rules(), galo_challenge_pessoas::model().rules()];
        let made: BTreeSet<&str> = rules
            .into_iter()
            .flatten()
            .map(|rule| &*rule.name)
            .chain(galo_judge::names::all())
            .chain(galo_host::FINDINGS)
            .chain([SECOND_START_FAILED, NO_OUTAGE_ROUND])
            .collect();
        let told: BTreeSet<&str> = galo_report::finding_names().collect();
        let only = |these: &BTreeSet<&'static str>, those: &BTreeSet<&'static str>| {
            these.difference(those).copied().collect::<Vec<_>>()
        };
        let hint = "hint: galo-report's src/html/lang/findings has the words";
        assert_eq!(only(&made, &told), [""; 0], "without words; {hint}");
        assert_eq!(only(&told, &made), [""; 0], "that nobody makes; {hint}");
    }
}
