//! Reads by an id: of nobody, of what is none, and in other spellings.

use galo_plan::conformance::{Case, Content};

use super::build::{Held, Person, case, create, get, read, survived};
use crate::rules::Broken;

pub(super) fn cases() -> Vec<Case> {
    [nobody(), no_uuid(), spellings()].concat()
}

fn nobody() -> Vec<Case> {
    // Who gives ids of one version may take those of others for none.
    let mut cases: Vec<Case> = [
        ("a random UUID", "3fa85f64-5717-4562-b3fc-2c963f66afa6"),
        ("a UUID by time", "018f2c5e-7b1a-7c3d-9e4f-0123456789ab"),
        ("the UUID of zeros", "00000000-0000-0000-0000-000000000000"),
        ("the UUID of ones", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    ]
    .map(|(what, id)| {
        let target = format!("/pessoas/{id}");
        case(
            format!("a read of nobody by {what} is answered 400 or 404"),
            [get(target.as_str()).status(Broken::UnknownPerson, &[400, 404])],
        )
    })
    .into();
    cases.push(case(
        "a read of nobody by an id like those that are given is answered 404",
        [create(Person::usual().body()), get("/pessoas/{0.nobody}").status(Broken::UnknownPerson, &[404])],
    ));
    cases
}

fn no_uuid() -> Vec<Case> {
    let mut cases: Vec<Case> = [
        ("letters", "abc"),
        ("a number", "1"),
        ("a negative number", "-1"),
        ("a UUID with a letter too few", "3fa85f64-5717-4562-b3fc-2c963f66afa"),
        ("a UUID with a letter too many", "3fa85f64-5717-4562-b3fc-2c963f66afa6f"),
        ("a UUID with a letter that is no digit", "3fa85f64-5717-4562-b3fc-2c963f66afag"),
        ("quotes", "%27%20OR%20%271%27=%271"),
        ("a word of JavaScript", "undefined"),
        ("spaces around a UUID", "%203fa85f64-5717-4562-b3fc-2c963f66afa6%20"),
    ]
    .map(|(what, id)| {
        let target = format!("/pessoas/{id}");
        case(
            format!("a read by {what} is answered 400 or 404"),
            [get(target.as_str()).status(Broken::UnknownPerson, &[400, 404])],
        )
    })
    .into();
    let odd = |name: &str, target: Content| {
        let statuses = [400, 404, 414, 431];
        case(name, [survived(Broken::OddText, "GET", target).status(Broken::OddText, &statuses)])
    };
    cases.push(odd("an id with a NUL is survived", "/pessoas/%00".into()));
    cases.push(odd("an id that is no UTF-8 is survived", "/pessoas/%FF%FE".into()));
    cases.push(odd("an id with half a percent-encoding is survived", "/pessoas/%4".into()));
    cases.push(odd("an id with line breaks is survived", "/pessoas/a%0D%0Ab".into()));
    cases.push(odd(
        "an id that leads out of its folder is survived",
        "/pessoas/..%2f..%2fetc%2fpasswd".into(),
    ));
    cases.push(odd("an id of 5,000 letters is survived", Content::from("/pessoas/").repeated("a", 5000)));
    cases
}

/// What is the same UUID to some, and nobody to others.
fn spellings() -> Vec<Case> {
    let answered = |name: &str, target: &str| {
        let statuses = [200, 301, 302, 307, 308, 400, 404];
        let rule = Broken::HttpForms;
        case(name, [create(Person::usual().body()), survived(rule, "GET", target).status(rule, &statuses)])
    };
    let usual = Person::usual();
    vec![
        answered("an id in capitals is answered", "/pessoas/{0.ID}"),
        answered("an id in braces is answered", "/pessoas/%7B{0.id}%7D"),
        answered("an id with a slash behind it is answered", "/pessoas/{0.id}/"),
        answered("an id with an empty query is answered", "/pessoas/{0.id}?"),
        answered("an id with a query is answered", "/pessoas/{0.id}?x=1"),
        case(
            "a read twice shows the same",
            [
                create(usual.body()),
                read(0).shows(Broken::ReadDiffers, &usual, 0),
                read(0).shows(Broken::ReadDiffers, &usual, 0),
            ],
        ),
    ]
}
