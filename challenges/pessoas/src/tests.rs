//! The model as its callers see it.

use galo_plan::model::{Answer, ChallengeData, CheckKind, Effect, Id, Question};
use galo_plan::{Challenge, Options, Plan};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

use super::*;
use crate::index::{BODY, CREATE, PEOPLE, PIECE, PROBES, READ, SEARCH, TERM, TERMS};

fn field(data: &dyn ChallengeData, feeder: usize, row: u64, field: usize) -> String {
    let mut out = Vec::new();
    data.write_field(feeder, row, field, &mut out);
    String::from_utf8(out).unwrap()
}

fn digest(seed: u64) -> String {
    let data = model().prepare(Seed::of_number(seed), &[1000, 1000, 1000]);
    let mut sha = Sha256::new();
    for row in 0..1000 {
        for (feeder, spec) in model().feeders().iter().enumerate() {
            for number in 0..spec.fields.len() {
                sha.update(field(&*data, feeder, row, number));
                sha.update("\n");
            }
        }
    }
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_seed_stands_for_its_bytes_for_ever() {
    assert_eq!(digest(1), "62fbfb9872fed7f0a0ed9bb95f2a8324afe17da241708a78732cbfd76460cd74");
    assert_eq!(digest(u64::MAX), "a2f160efe9228c3567beccf39788b393e4bbe47fb4ced69a265f3aef81aa2d5f");
}

#[test]
fn two_preparations_of_one_seed_are_the_same_and_of_two_seeds_are_not() {
    assert_eq!(digest(7), digest(7));
    assert_ne!(digest(7), digest(8));
    let (small, large) = (
        model().prepare(Seed::of_number(7), &[10, 0, 0]),
        model().prepare(Seed::of_number(7), &[1000, 5, 5]),
    );
    for row in 0..10 {
        assert_eq!(field(&*small, PEOPLE, row, BODY), field(&*large, PEOPLE, row, BODY));
    }
}

#[test]
fn feeders_fields_and_checks_have_the_numbers_that_the_code_uses() {
    let feeders = model().feeders();
    assert_eq!((feeders[PEOPLE].name, feeders[PEOPLE].fields[BODY]), ("people", "body"));
    assert_eq!((feeders[TERMS].name, feeders[TERMS].fields[TERM]), ("terms", "term"));
    assert_eq!((feeders[PROBES].name, feeders[PROBES].fields[BODY]), ("probes", "body"));
    assert_eq!(feeders[PROBES].fields[PIECE], "piece");
    let checks = model().checks();
    assert_eq!((checks[CREATE].name, checks[CREATE].kind), ("create", CheckKind::Create));
    assert_eq!((checks[READ].name, checks[READ].kind), ("read", CheckKind::Read));
    assert_eq!((checks[SEARCH].name, checks[SEARCH].kind), ("search", CheckKind::Search { full_at: 50 }));
    assert_eq!(model().name(), "pessoas");
}

#[test]
fn a_probe_is_a_valid_person_whose_nickname_nobody_else_has() {
    let data = model().prepare(Seed::of_number(3), &[0, 0, 5]);
    let refused = Answer { status: 422, location: None, content_type: None, head: b"", body: b"" };
    let question = Question { step: 0, check: CREATE, feeder: PROBES, row: 4, created: None };
    let broken =
        data.examine(&question, &refused, &mut Vec::new()).broken.map(|rule| &*model().rules()[rule].name);
    assert_eq!(broken, Some("valid-person-refused"));
}

#[test]
fn only_people_count_towards_the_ceiling() {
    let with_probes = model().prepare(Seed::of_number(3), &[500, 5000, 300]).ceiling();
    let alone = model().prepare(Seed::of_number(3), &[500]).ceiling();
    assert_eq!(with_probes, alone);
    assert!(alone.min > 380 && alone.max <= 500, "{alone:?}");
    assert_eq!(model().prepare(Seed::of_number(3), &[]).ceiling().max, 0);
}

#[test]
fn the_definition_and_the_model_make_the_contest_s_plan() {
    let challenge = Challenge::parse("challenge.toml", CHALLENGE_TOML, model()).unwrap();
    let options = Options {
        profile: "official".to_owned(),
        scale_milli: 1000,
        rounds: 1,
        seed: Seed::of_number(1),
        limited: true,
        noise_floor: None,
    };
    let plan = || Plan::new(challenge.clone(), model(), Vec::new(), &options).unwrap();
    let first = plan();
    let users: Vec<u64> = first.scenarios().filter(|(_, s, _)| s.compared).map(|(_, _, t)| t.users).collect();
    assert_eq!(users, [54_635, 9_590, 4_190]);
    assert_eq!(first.ceiling, model().prepare(Seed::of_number(1), &[54_635]).ceiling());
    let json = |plan: &Plan| serde_json::to_string(plan).unwrap();
    assert_eq!(json(&first), json(&plan()));
}

/// A contender that keeps all rules, fed with bodies and terms alone.
#[derive(Default)]
struct Honest {
    people: Vec<(u128, serde_json::Value)>,
}

impl Honest {
    fn create(&mut self, body: &str) -> (u16, Option<String>) {
        let mut person: serde_json::Value = serde_json::from_str(body).unwrap();
        let date: Vec<u32> =
            person["nascimento"].as_str().unwrap().split('-').map_while(|part| part.parse().ok()).collect();
        let date =
            date.len() == 3 && date[1] <= 12 && (date[1] != 2 || date[2] < 29 || date[0].is_multiple_of(4));
        let stack = match &person["stack"] {
            serde_json::Value::Null => true,
            serde_json::Value::Array(skills) => {
                skills.iter().all(|skill| skill.as_str().unwrap().len() <= 32)
            }
            _ => return (400, None),
        };
        let short = |field: &str, longest| person[field].as_str().unwrap().len() <= longest;
        let taken = self.people.iter().any(|(_, other)| other["apelido"] == person["apelido"]);
        if taken || !date || !stack || !short("apelido", 32) || !short("nome", 100) {
            return (422, None);
        }
        let id = self.people.len() as u128 + 1;
        let uuid = uuid::Uuid::from_u128(id).to_string();
        person["id"] = uuid.as_str().into();
        self.people.push((id, person));
        (201, Some(format!("/pessoas/{uuid}")))
    }

    fn search(&self, term: &str) -> String {
        let term = term.to_lowercase();
        let has = |value: &serde_json::Value| {
            value.as_str().is_some_and(|text| text.to_lowercase().contains(&term))
        };
        let found = self.people.iter().map(|(_, person)| person).filter(|person| {
            let skills = person["stack"].as_array();
            has(&person["apelido"])
                || has(&person["nome"])
                || skills.is_some_and(|skills| skills.iter().any(has))
        });
        serde_json::Value::Array(found.take(50).cloned().collect()).to_string()
    }
}

fn json(body: &str) -> Answer<'_> {
    Answer {
        status: 200,
        location: None,
        content_type: Some(b"application/json"),
        head: b"",
        body: body.as_bytes(),
    }
}

#[test]
fn a_contender_that_keeps_all_rules_is_right_throughout() {
    const ROWS: u64 = 1500;
    let data = model().prepare(Seed::of_number(11), &[ROWS, ROWS, ROWS / 10]);
    let mut honest = Honest::default();
    let mut created = 0;
    let right = |question: Question, answer: Answer<'_>| {
        let examination = data.examine(&question, &answer, &mut Vec::new());
        assert_eq!((examination.broken, examination.advice), (None, None), "{question:?}: {examination:?}");
        examination
    };
    let mut create = |honest: &mut Honest, feeder, row| {
        let (status, location) = honest.create(&field(&*data, feeder, row, BODY));
        let location = location.as_ref().map(String::as_bytes);
        let answer = Answer { status, location, content_type: None, head: b"", body: b"" };
        let examination = right(Question { step: 0, check: CREATE, feeder, row, created: None }, answer);
        assert_eq!(examination.effect, if status == 201 { Effect::Yes } else { Effect::No });
        created += u64::from(feeder == PEOPLE && status == 201);
        examination.created
    };
    for row in 0..ROWS {
        if let Some(id) = create(&mut honest, PEOPLE, row) {
            let body = honest.people[id.0 as usize - 1].1.to_string();
            right(Question { step: 0, check: READ, feeder: PEOPLE, row, created: Some(id) }, json(&body));
        }
        let body = honest.search(&field(&*data, TERMS, row, TERM));
        right(Question { step: 0, check: SEARCH, feeder: TERMS, row, created: None }, json(&body));
        if row % 10 == 0 {
            let row = row / 10;
            let body = honest.search(&field(&*data, PROBES, row, PIECE));
            let question = Question { step: 0, check: SEARCH, feeder: PROBES, row, created: None };
            assert_eq!(right(question, json(&body)).found, 0);
            let id = create(&mut honest, PROBES, row);
            assert!(id.is_some());
            let body = honest.search(&field(&*data, PROBES, row, PIECE));
            let question = Question { step: 0, check: SEARCH, feeder: PROBES, row, created: id };
            assert_eq!(right(question, json(&body)).found, 1);
        }
    }
    let ceiling = data.ceiling();
    assert!((ceiling.min..=ceiling.max).contains(&created), "{created} of {ceiling:?}");
}

/// Of so many rows, in order: whether the definition's probes see whom they created, `search` being the contender's way
/// to search.
fn seen_by_probes(rows: u64, mut search: impl FnMut(&Honest, &str) -> String) -> Vec<bool> {
    let challenge = Challenge::parse("challenge.toml", CHALLENGE_TOML, model()).unwrap();
    let probe = challenge.scenarios.iter().find(|scenario| scenario.name == "probe").unwrap();
    let data = model().prepare(Seed::of_number(5), &[0, 0, rows]);
    let mut honest = Honest::default();
    let each = (0..rows).map(|row| {
        let (mut created, mut seen) = (None, Vec::new());
        for step in &probe.steps {
            let question =
                Question { step: 0, check: step.check.unwrap(), feeder: probe.feeder.unwrap(), row, created };
            seen.clear();
            if step.name == "read" {
                continue;
            }
            let examination = if step.creates {
                let (status, location) = honest.create(&field(&*data, PROBES, row, BODY));
                let location = location.as_ref().map(String::as_bytes);
                let answer = Answer { status, location, content_type: None, head: b"", body: b"" };
                data.examine(&question, &answer, &mut seen)
            } else {
                let answered = search(&honest, &field(&*data, PROBES, row, PIECE));
                data.examine(&question, &json(&answered), &mut seen)
            };
            assert_eq!(examination.broken, None);
            created = examination.created.or(created);
        }
        seen.iter().map(|seen| seen.id).eq(created)
    });
    each.collect()
}

/// People as a search sees them that does not look at one field.
fn without(field: &str, honest: &Honest) -> Honest {
    let mut people = honest.people.clone();
    let empty = if field == "stack" { serde_json::Value::Null } else { "".into() };
    people.iter_mut().for_each(|(_, person)| person[field] = empty.clone());
    Honest { people }
}

#[test]
fn probes_see_whom_they_created_where_a_search_is_right() {
    assert_eq!(seen_by_probes(30, Honest::search), [true; 30]);
}

#[test]
fn probes_do_not_see_it_in_a_search_that_is_answered_from_a_cache() {
    let mut cache = std::collections::HashMap::new();
    let seen = seen_by_probes(9, |honest, term| {
        cache.entry(term.to_owned()).or_insert_with(|| honest.search(term)).clone()
    });
    assert_eq!(seen, [false; 9]);
}

#[test]
fn probes_do_not_see_it_in_a_search_that_leaves_out_its_field() {
    for (place, left_out) in ["apelido", "nome"].into_iter().enumerate() {
        let seen = seen_by_probes(9, |honest, term| without(left_out, honest).search(term));
        let expected: Vec<bool> = (0..9).map(|row| row % 2 != place).collect();
        assert_eq!(seen, expected, "{left_out}");
    }
}

proptest! {
    #[test]
    fn no_answer_makes_the_model_panic(
        (check, feeder) in (0usize..6, 0usize..5),
        row: u64,
        created: Option<u128>,
        status in prop_oneof![Just(200u16), Just(201), Just(400), Just(422), any::<u16>()],
        location: Option<Vec<u8>>,
        content_type: Option<Vec<u8>>,
        body: Vec<u8>,
    ) {
        let data = model().prepare(Seed::of_number(1), &[100, 100, 100]);
        let question = Question { step: 0, check, feeder, row, created: created.map(Id) };
        let answer = Answer {
            status,
            location: location.as_deref(),
            content_type: content_type.as_deref(),
            head: b"",
            body: &body,
        };
        let examination = data.examine(&question, &answer, &mut Vec::new());
        for rule in [examination.broken, examination.advice].into_iter().flatten() {
            prop_assert!(rule < model().rules().len());
        }
        let mut out = Vec::new();
        data.write_field(feeder, row, check, &mut out);
    }

    #[test]
    fn nearly_right_answers_do_not_make_the_model_panic(
        check in 1usize..3,
        row: u64,
        body in r#"\[?\{"id":"(6ba7b810-9dad-11d1-80b4-00c04fd430c8|.{0,40})","apelido":"\PC{0,9}","nome":"(\\u[0-9a-f]{4}|\PC){0,9}","nascimento":"[0-9-]{9,11}","stack":(null|\["\PC{0,9}"\]|[0-9]{1,3})\}?\]?"#,
    ) {
        let data = model().prepare(Seed::of_number(1), &[100]);
        let question = Question { step: 0, check, feeder: check % 3, row, created: Some(Id(1)) };
        let answer = Answer { status: 200, location: None, content_type: None, head: b"", body: body.as_bytes() };
        let examination = data.examine(&question, &answer, &mut Vec::new());
        prop_assert!(examination.broken.is_some() || examination.advice.is_some());
    }
}
