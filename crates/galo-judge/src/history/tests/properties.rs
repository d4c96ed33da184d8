//! Whatever the answers about one key: the rules together tell something exactly if no order of events explains them.

use galo_plan::model::Effect;
use proptest::prelude::*;

use super::*;
use crate::linearizable::{self, Call, Element, ElementOperation, Linearizability};
use crate::testing::story::FULL_AT;

/// One of at most three rows of one key is created, or the key is searched for.
#[derive(Debug, Clone)]
enum Event {
    /// Acknowledged, refused as a duplicate, or of unknown effect.
    Create(&'static str),
    /// Lists these of the rows that there are.
    Search([bool; 3]),
}

fn events() -> impl Strategy<Value = Vec<(Event, u64, u64)>> {
    let creation = prop::sample::select(vec!["ok", "422", "timeout"]).prop_map(Event::Create);
    // Lists with one row at most are by far the most likely to be right.
    let search = prop_oneof![
        2 => Just([false; 3]),
        6 => (0..3_usize).prop_map(|row| std::array::from_fn(|place| place == row)),
        1 => any::<[bool; 3]>().prop_map(|[a, b, _]| [a, b, false]),
    ];
    let event = prop_oneof![2 => creation, 3 => search.prop_map(Event::Search)];
    prop::collection::vec((event, 0..1000_u64, 1..300_u64), 1..8)
}

/// The events as a story, at times of which no two are equal, with at most three creations.
fn tell(events: &[(Event, u64, u64)]) -> String {
    let mut rows = 0;
    let creations = events.iter().filter(|(event, ..)| matches!(event, Event::Create(_))).count().min(3);
    let sentences = (0..).zip(events).filter_map(|(number, (event, due, length))| {
        // In milliseconds; the last digits keep all times apart.
        let times = format!("{due}.{:03}..{}.{:03}", 2 * number, due + length, 2 * number + 1);
        match event {
            Event::Create(_) if rows == 3 => None,
            Event::Create(came) => {
                rows += 1;
                let came = if *came == "ok" { format!("ok#{rows}") } else { (*came).to_owned() };
                Some(format!("create ana/{rows} {times} {came}"))
            }
            Event::Search(listed) => {
                let listed = (1..=creations).filter(|row| listed[row - 1]);
                let listed: Vec<String> = listed.map(|row| format!("ana/{row}#{row}")).collect();
                Some(format!("search ana {times} {}", listed.join(" ")))
            }
        }
    });
    sentences.collect::<Vec<_>>().join("; ")
}

/// Everything that was answered about the key, with nothing left out but refusals that a held key may explain.
fn calls(round: &RoundData, names: &story::Names) -> Vec<Call<ElementOperation>> {
    let mut calls = Vec::new();
    let rows = names.created().len() as u32;
    let refused: Vec<_> = round.history.iter().filter(|o| o.effect == Effect::No).collect();
    for o in &round.history {
        let (called_ns, returned_ns) = (o.intended_ns, Some(o.done_ns));
        let held = |other: &&&galo_record::Operation| {
            other.user != o.user && other.intended_ns <= o.done_ns && o.intended_ns <= other.done_ns
        };
        match o.effect {
            Effect::Yes => {
                let operation = ElementOperation::Inserted(o.user);
                calls.push(Call { operation, called_ns, returned_ns });
            }
            Effect::Unknown => {
                let operation = ElementOperation::MayBeInserted(o.user);
                calls.push(Call { operation, called_ns, returned_ns: None });
            }
            Effect::No if refused.iter().any(|other| held(&other)) => {}
            Effect::No => calls.push(Call { operation: ElementOperation::Refused, called_ns, returned_ns }),
            Effect::None => calls.extend((0..rows).map(|row| {
                let shown = o.seen(&round.seen).iter().any(|seen| seen.id.0 == u128::from(row) + 1);
                let operation =
                    if shown { ElementOperation::Found(row) } else { ElementOperation::Lacking(row) };
                Call { operation, called_ns, returned_ns }
            })),
        }
    }
    calls
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn something_is_told_of_a_key_exactly_if_it_is_not_linearizable(events in events()) {
        let text = tell(&events);
        let story = Story::read(&text);
        let names = story.names.clone();
        let mut round = RoundData::new(galo_record::RoundRecord::new(1, 0, 0));
        (round.history, round.seen) = story.history();
        prop_assume!(round.history.iter().all(|o| o.found < FULL_AT));
        // A row whose key nobody else has is the model's affair; here it is one more that finds no order.
        for o in round.history.iter_mut().filter(|o| o.status == 422) {
            (o.result, o.broken) = (galo_record::OperationResult::Ok, None);
        }
        let holds = match linearizable::judge(&Element, &calls(&round, &names)) {
            Linearizability::Holds => true,
            Linearizability::Broken => false,
            Linearizability::Unknown => unreachable!("so few operations"),
        };
        let told = crate::history::judge(&story::plan(), &names, &round, true).findings;
        prop_assert_eq!(told.is_empty(), holds, "{}: {:#?}", text, told);
    }
}
