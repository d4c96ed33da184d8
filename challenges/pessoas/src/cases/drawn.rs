//! People drawn by the seed: valid ones that must be kept as they are, and ones with one fault.

use galo_plan::conformance::Case;

use super::build::{Person, json, kept, refused};
use crate::draw::{Draw, Key};
use crate::person::{LETTERS_AND_SPACE, SKILLS};
use crate::rules::Broken;

/// A number that no feeder has.
const STREAM: usize = 1000;

pub(super) fn cases(key: Key) -> Vec<Case> {
    let valid = (0..12).map(|number| {
        let mut draw = Draw::new(key, STREAM, number);
        kept(format!("drawn person {} is kept", number + 1), &person(&mut draw))
    });
    let faulty = (0..12).map(|number| {
        let mut draw = Draw::new(key, STREAM + 1, number);
        let (fault, rule, person) = spoiled(person(&mut draw), number, &mut draw);
        refused(format!("drawn person {} with {fault} is refused", number + 13), rule, None, person.body())
    });
    valid.chain(faulty).collect()
}

/// Letters and spaces, and now and then something else.
fn text(draw: &mut Draw, length: u32) -> String {
    const OTHERS: [char; 12] = ['\'', '"', '\\', '-', '.', '/', '+', '#', '&', '%', '_', ';'];
    let letter = |draw: &mut Draw| match draw.below(8) {
        0 => OTHERS[draw.below(OTHERS.len() as u32) as usize],
        _ => char::from(LETTERS_AND_SPACE[draw.below(LETTERS_AND_SPACE.len() as u32) as usize]),
    };
    (0..length).map(|_| letter(draw)).collect()
}

fn person(draw: &mut Draw) -> Person {
    let length = draw.below(21);
    let apelido = format!("{{mark}}{}", text(draw, length));
    let (before, after) = (1 + draw.below(40), 1 + draw.below(40));
    let nome = format!("{}{{mark}}{}", text(draw, before), text(draw, after));
    let (year, month, day) = (1940 + draw.below(81), 1 + draw.below(12), 1 + draw.below(28));
    let stack: Vec<&str> =
        (0..1 + draw.below(12)).map(|_| SKILLS[draw.below(SKILLS.len() as u32) as usize]).collect();
    Person {
        apelido: Some(json(&apelido)),
        nome: Some(json(&nome)),
        nascimento: Some(json(&format!("{year}-{month:02}-{day:02}"))),
        stack: Some(serde_json::json!(stack).to_string()),
    }
}

/// The person with one fault, its name, and the rule that it breaks.
fn spoiled(person: Person, number: u64, draw: &mut Draw) -> (String, Broken, Person) {
    match number % 4 {
        0 => {
            let (month, day) = (13 + draw.below(87), 1 + draw.below(28));
            let date = format!("19{}-{month}-{day:02}", 40 + draw.below(60));
            (format!("the date {date}"), Broken::BadDateAccepted, person.nascimento(json(&date)))
        }
        1 => {
            let length = 33 + draw.below(200);
            let long = "x".repeat(length as usize);
            let stack = format!("[\"Go\",\"{long}\"]");
            (format!("an element of {length} letters"), Broken::TooLongAccepted, person.stack(stack))
        }
        2 => {
            let number = draw.below(1000);
            let stack = format!("[\"Go\",{number}]");
            (format!("the number {number} in the stack"), Broken::WrongTypeAccepted, person.stack(stack))
        }
        _ => {
            let length = 90 + draw.below(300);
            let nome = format!("\"{{mark}}{}\"", "y".repeat(length as usize));
            let all = length + 11;
            (format!("a nome of {all} letters"), Broken::TooLongAccepted, person.nome(nome))
        }
    }
}
