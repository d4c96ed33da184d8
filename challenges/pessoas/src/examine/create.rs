//! Answers to `POST /pessoas`.

use galo_plan::location::{self, Form};
use galo_plan::model::{Answer, Effect, Examination, Id};

use crate::answer::parse_uuid;
use crate::census::Rivals;
use crate::person::Person;
use crate::rules::Broken;
use crate::text::quoted;
use galo_plan::model::Label;

/// Examines the answer to the creation of `person`, whose nickname `rivals` may take.
pub(crate) fn create(person: &Person, rivals: Rivals, answer: &Answer<'_>) -> Examination {
    let examination = observed(answer);
    match (answer.status, person.label()) {
        (201, Label::Accept) => examine_location(examination, answer),
        (201, Label::Free) if person.date_label() == Label::Accept => examine_location(examination, answer),
        (201, Label::Free) => {
            let advice = || "expected 400 or 422 for 29 February of a common year, got 201".to_owned();
            examine_location(examination.advise(Broken::ImpossibleDateAccepted, advice), answer)
        }
        (201, Label::Refuse) => examination.wrong(Broken::InvalidPersonAccepted, || {
            format!("expected 400 or 422 for {}, got 201", fault(person))
        }),
        (422, Label::Accept) if rivals.same => examination,
        (422, Label::Accept) if rivals.by_case => examination.advise(Broken::NicknamesByCase, || {
            "expected 201: nobody has this apelido but in another letter case, got 422".to_owned()
        }),
        (400 | 422, Label::Accept) => examination.wrong(Broken::ValidPersonRefused, || {
            let expected = if rivals.same { "201, or 422 if the apelido is taken" } else { "201" };
            format!("expected {expected}, got {}", answer.status)
        }),
        // A row with a taken nickname has two faults, and the rules do not say which one is told first.
        (status @ (400 | 422), Label::Refuse) => match person.exact_refusal() {
            Some(exact) if exact != status && rivals == Rivals::default() => examination
                .advise(Broken::ExactRefusal, || {
                    format!("expected {exact} for {}, got {status}", fault(person))
                }),
            _ => examination,
        },
        (400 | 422, Label::Free) => examination,
        (status, _) => examination.wrong(Broken::CreateStatus, || unexpected(status)),
    }
}

/// Examines the answer to a creation of which the model knows no row.
pub(crate) fn create_of_unknown(answer: &Answer<'_>) -> Examination {
    let examination = observed(answer);
    match answer.status {
        201 => examine_location(examination, answer),
        400 | 422 => examination,
        status => examination.wrong(Broken::CreateStatus, || unexpected(status)),
    }
}

fn unexpected(status: u16) -> String {
    format!("expected 201, 400 or 422, got {status}")
}

/// What the answer says that was done, right or wrong.
fn observed(answer: &Answer<'_>) -> Examination {
    let effect = match answer.status {
        200..=299 => Effect::Yes,
        408 | 429 | 500.. => Effect::Unknown,
        _ => Effect::No,
    };
    let location = answer.location.and_then(parse_location).filter(|_| effect == Effect::Yes);
    Examination { effect, created: location.map(|(id, _)| id), ..Examination::RIGHT }
}

/// Asks for a Location that leads to the created person, and names no host if possible.
fn examine_location(examination: Examination, answer: &Answer<'_>) -> Examination {
    let Some(given) = answer.location else {
        return examination.wrong(Broken::LocationMissing, || "expected a Location, got none".to_owned());
    };
    let shown = || quoted(&String::from_utf8_lossy(given));
    match parse_location(given) {
        None => examination
            .wrong(Broken::LocationNoUuid, || format!("expected Location /pessoas/<UUID>, got {}", shown())),
        Some((_, Form::NamesHost)) => examination
            .advise(Broken::LocationRelative, || format!("expected a relative Location, got {}", shown())),
        Some((_, Form::Relative)) => examination,
    }
}

/// The person to whom a Location leads, in whichever of its legal forms: resolved against the request's own target it
/// is `/pessoas/<uuid>`, without a query.
fn parse_location(given: &[u8]) -> Option<(Id, Form)> {
    let mut target = Vec::new();
    let form = location::resolve(given, b"/pessoas", &mut target)?;
    Some((parse_uuid(target.strip_prefix(b"/pessoas/")?)?, form))
}

/// What is wrong with a row to be refused, in words.
fn fault(person: &Person) -> &'static str {
    use crate::person::Odd;
    match person.odd {
        Some(Odd::LongApelido) => "an apelido of 35 letters",
        Some(Odd::LongNome) => "a nome of 120 characters",
        Some(Odd::EncodedTwice) => "a nascimento that is no date",
        Some(Odd::LongSkill) => "an element of stack with 40 digits",
        Some(Odd::TextAsStack) => "a text as stack",
        Some(Odd::NumberAsStack) => "a number as stack",
        None => "a nascimento in month 13",
    }
}
