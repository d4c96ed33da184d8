//! That the report has words for the rules of every challenge that is built in: nobody else knows all of them.

use std::collections::BTreeSet;

use galo_plan::rules::GENERIC;
use galo_plan::{ChallengeModel, NoModel};

#[test]
fn the_report_has_words_for_every_rule_of_a_challenge_and_for_no_other() {
    let rules = [GENERIC, NoModel.rules(), galo_challenge_pessoas::model().rules()];
    let made: BTreeSet<&str> = rules.into_iter().flatten().map(|rule| &*rule.name).collect();
    let told: BTreeSet<&str> = galo_report::rule_names().collect();
    let only = |these: &BTreeSet<&'static str>, those: &BTreeSet<&'static str>| {
        these.difference(those).copied().collect::<Vec<_>>()
    };
    let hint = "hint: galo-report's src/words/table has the words";
    assert_eq!(only(&made, &told), [""; 0], "without words; {hint}");
    assert_eq!(only(&told, &made), [""; 0], "that nobody makes; {hint}");
}
