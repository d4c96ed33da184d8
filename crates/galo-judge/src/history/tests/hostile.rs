//! Contenders whose answers are made to keep their judge busy.

use super::*;
use crate::findings::IdentityGivenTwice;
use crate::testing::CREATE;
use crate::testing::story::Came;
use galo_plan::model::Id;

/// Creations, and as many reads of them.
const MANY: u64 = 60_000;

#[test]
fn one_identity_for_everybody_costs_no_more_than_one_for_each() {
    let mut story = Story::default();
    for number in 0..MANY {
        let (name, due_ns) = (format!("n{number}"), number * 1000);
        story.create(CREATE, &name, [due_ns, due_ns + 500], Came::OkAs(Id(7)));
        // If all who have the identity were walked for each, this would take hours.
        let came = if number % 2 == 0 { "ok" } else { "404" };
        story.read_back(&name, [due_ns + 600, due_ns + 900], came);
    }
    let names = story.names.clone();
    let mut round = RoundData::new(galo_record::RoundRecord::new(1, 0, 0));
    (round.history, round.seen) = story.history();
    let findings = crate::history::judge(&story::plan(), &names, &round, true).findings;
    let told: Vec<&str> = findings.iter().map(crate::Finding::name).collect();
    assert_eq!(told, ["read-misses-acknowledged", "identity-given-twice"]);
    let fact = IdentityGivenTwice { identities: 1, creations: 60_000 };
    assert_eq!(findings[1].fact, fact.into());
}
