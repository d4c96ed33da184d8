//! Two instances are one server: what one acknowledges, the other knows at once.

use galo_plan::conformance::{Case, CaseRequest, Expect, Way};

use super::build::{
    Held, OK, Person, Sent, answered, case, create, found, get, located, read, refuse, search, with_body,
};
use crate::rules::Broken;

pub(super) fn cases() -> Vec<Case> {
    [elsewhere(), duplicates(), at_once(), counts()].concat()
}

fn elsewhere() -> Vec<Case> {
    let rule = Broken::SearchOtherInstance;
    let usual = Person::usual();
    let find = || search("{mark}").lists(rule, &[0]);
    vec![
        case(
            "who is created on one instance is read on the other",
            [create(usual.body()), read(0).status(rule, OK).shows(rule, &usual, 0).elsewhere()],
        ),
        case(
            "who is created on one instance is found on the other",
            [create(usual.body()), find().elsewhere()],
        ),
        case(
            "who is created on the other instance is read and found here",
            [create(usual.body()).elsewhere(), read(0).status(rule, OK).shows(rule, &usual, 0), find()],
        ),
        case(
            "a search that found nobody on the other instance finds who is created meanwhile",
            [
                search("{mark}").lists_nobody(Broken::SearchPhantom).elsewhere(),
                create(usual.body()),
                search("{mark}").lists(rule, &[1]).elsewhere(),
            ],
        ),
        case(
            "a read of nobody on the other instance is no answer for who is created meanwhile",
            [
                get("/pessoas/3fa85f64-5717-4562-b3fc-2c963f66afa6")
                    .status(Broken::UnknownPerson, &[400, 404])
                    .elsewhere(),
                create(usual.body()),
                read(1).status(rule, OK).elsewhere(),
            ],
        ),
        case(
            "a search that found nobody finds who is created meanwhile",
            [
                search("{mark}").lists_nobody(Broken::SearchPhantom),
                create(usual.body()),
                search("{mark}").lists(Broken::SearchIncomplete, &[1]),
            ],
        ),
    ]
}

fn duplicates() -> Vec<Case> {
    let rule = Broken::DuplicateAccepted;
    let usual = Person::usual();
    vec![case(
        "an apelido that is taken on one instance is refused on the other",
        [
            create(usual.body()),
            refuse(rule, Some(422), usual.body()).elsewhere(),
            found(&usual),
            search("{mark}").lists(rule, &[0]).elsewhere(),
        ],
    )]
}

/// Creations of one apelido at the same time, in turn on both instances.
fn at_once() -> Vec<Case> {
    let together = |name: &str, number: usize| {
        let request = |place: usize| -> CaseRequest {
            let person = Person::usual().nome(format!(r#""Ana {{mark}} {place}""#));
            // Who loses the race must only not be told that she has won.
            let request = CaseRequest::new("POST", "/pessoas");
            let request = answered(request, Broken::ServerError, &[500, 503], false);
            let request = located(with_body(request, person.body()).status(Broken::ExactStatus, &[201, 422]));
            let request = CaseRequest { elsewhere: place % 2 == 1, ..request };
            match place {
                0 => request,
                _ => request.by(Way::AtOnce),
            }
        };
        let mut requests: Vec<CaseRequest> = (0..number).map(request).collect();
        if let Some(last) = requests.last_mut() {
            let one = Expect::OneOf { status: 201, last: number };
            *last = last.clone().held(Broken::DuplicateAccepted, one);
        }
        // Who won is read; who lost gave nothing to be read by.
        requests.extend((0..number).map(read));
        let count = Expect::LengthAtMost(1);
        requests.push(search("{mark}").held(Broken::DuplicateAccepted, count.clone()));
        requests.push(search("{mark}").held(Broken::DuplicateAccepted, count).elsewhere());
        case(name, requests)
    };
    vec![
        together("of two creations of one apelido at once, one succeeds", 2),
        together("of ten creations of one apelido at once, one succeeds", 10),
    ]
}

fn counts() -> Vec<Case> {
    let count =
        || get("/contagem-pessoas").status(Broken::CountPlainText, &(200..=206).collect::<Vec<u16>>());
    let plain = || count().held(Broken::CountPlainText, Expect::Digits);
    vec![
        case(
            "the count is an integer in plain text",
            [plain().held(Broken::CountPlainText, Expect::MediaType("text/plain".to_owned()))],
        ),
        case(
            "the count holds who was just created",
            [
                plain(),
                create(Person::usual().body()),
                plain().held(Broken::CountFresh, Expect::Exceeds { than: 0, by: 1 }),
                plain().held(Broken::CountFresh, Expect::Exceeds { than: 0, by: 1 }).elsewhere(),
            ],
        ),
    ]
}
