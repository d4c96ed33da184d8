//! What to make of one answer, by itself: status, form, the seeded limit. What needs the history is the judge's.

use galo_plan::ledger;
use galo_plan::model::{Answer, Effect, Examination, Label, Question, Row, SEEN_MAX, Seen};

use crate::answer::{self, Balance};
use crate::index::{
    AFTER_CREDITS, AFTER_DEBITS, DANADA, DANADA_FIRST, DEVOLVE, DEVOLVE_THEN_TOMA, NO_CLIENT, REFUSED_AMOUNT,
    REFUSED_DESCRIPTION, REFUSED_KIND, TOMA,
};
use crate::rows::{Ledger, digest};
use crate::rules::Broken;

/// Examines an answer, and adds to `seen` the balance that it told and the moves that it listed.
pub(crate) fn examine(
    data: &Ledger,
    question: &Question,
    answer: &Answer<'_>,
    seen: &mut Vec<Seen>,
) -> Examination {
    let row = Row { feeder: question.feeder, number: question.row };
    let entry = data.asked(question.check, row);
    let account = entry.map_or(0, |entry| entry.account as usize);
    let label = entry.map_or(Label::Accept, |entry| entry.label);
    let limit = data.all().get(account).map_or(0, |account| -account.least);
    let examination = match question.check {
        NO_CLIENT => no_client(answer),
        REFUSED_AMOUNT => refused(answer, Broken::BadAmountAccepted),
        REFUSED_KIND => refused(answer, Broken::BadKindAccepted),
        REFUSED_DESCRIPTION => refused(answer, Broken::BadDescriptionAccepted),
        check if data.transaction(check, row).is_some() => moved(answer, label, limit, seen),
        check => statement((data, check, row), answer, limit, seen),
    };
    if answer.status != 200 || answer.is_of_type("application/json") {
        return examination;
    }
    examination.advise(Broken::ContentTypeJson, || {
        let given = String::from_utf8_lossy(answer.content_type.unwrap_or_default());
        format!("expected application/json, got `{given}`")
    })
}

fn right(effect: Effect) -> Examination {
    Examination { effect, ..Examination::RIGHT }
}

fn no_client(answer: &Answer<'_>) -> Examination {
    match answer.status {
        404 => Examination::RIGHT,
        status => Examination::RIGHT.wrong(Broken::UnknownClient, || {
            format!("expected 404 for a client that there is not, got {status}")
        }),
    }
}

fn refused(answer: &Answer<'_>, rule: Broken) -> Examination {
    match answer.status {
        200 => right(Effect::Yes).wrong(rule, || "expected 422 or 400, got 200".to_owned()),
        404 => missing(404, Effect::No),
        _ => right(Effect::No),
    }
}

fn missing(status: u16, effect: Effect) -> Examination {
    right(effect).wrong(Broken::ClientMissing, || {
        format!("expected a client that is there from the start, got {status}")
    })
}

/// A transaction with a right payload. Whether a refusal is right the balance decides.
fn moved(answer: &Answer<'_>, label: Label, limit: i64, seen: &mut Vec<Seen>) -> Examination {
    match answer.status {
        200 => match answer::balance(answer.body) {
            Ok(told) => {
                seen.push(ledger::told(told.balance));
                within(right(Effect::Yes), told, limit)
            }
            Err(difference) => right(Effect::Yes).wrong(Broken::AnswerShape, || difference),
        },
        404 => missing(404, Effect::No),
        status if label == Label::Free => right(Effect::No).advise(Broken::WideAmount, || {
            format!("expected 200 for an amount beyond 32 bits, got {status}")
        }),
        400 => right(Effect::No).advise(Broken::ExactStatus, || "expected 200 or 422, got 400".to_owned()),
        _ => right(Effect::No),
    }
}

/// Holds what was told to the limit that the client has from the start.
fn within(
    mut examination: Examination,
    Balance { balance, limit: told }: Balance,
    limit: i64,
) -> Examination {
    if told != limit {
        examination =
            examination.wrong(Broken::LimitDiffers, || format!("expected the limit {limit}, got {told}"));
    }
    if balance < -limit {
        examination =
            examination.wrong(Broken::BelowLimit, || format!("expected at least {}, got {balance}", -limit));
    }
    examination
}

fn statement(
    (data, check, row): (&Ledger, usize, Row),
    answer: &Answer<'_>,
    limit: i64,
    seen: &mut Vec<Seen>,
) -> Examination {
    if answer.status != 200 {
        return missing(answer.status, Effect::None);
    }
    let (told, list, is_dated) = match answer::statement(answer.body) {
        Ok(read) => read,
        Err(difference) => return Examination::RIGHT.wrong(Broken::StatementShape, || difference),
    };
    // More of them are not kept, so a list without end costs galo nothing more.
    let kept = list.iter().take(SEEN_MAX);
    let digests: Vec<u64> = kept.map(|one| digest(one.amount, one.kind, &one.description)).collect();
    seen.push(ledger::told(told.balance));
    let times = list.iter().map(|one| one.time_us.unwrap_or(0));
    seen.extend(digests.iter().zip(times).map(|(digest, time_us)| ledger::listed(*digest, time_us)));
    let found = list.len() as u32;
    let examination = within(Examination { found, ..Examination::RIGHT }, told, limit);
    let examination = contest((data, check, row), examination, told.balance, &digests);
    if is_dated {
        return examination;
    }
    examination.advise(Broken::DateForm, || "expected dates as RFC 3339 has them".to_owned())
}

/// What the contest itself looks for.
fn contest(
    (data, check, row): (&Ledger, usize, Row),
    examination: Examination,
    balance: i64,
    digests: &[u64],
) -> Examination {
    let total = |expected: i64| (balance != expected).then_some(expected);
    let (wrong_total, first): (Option<i64>, &[usize]) = match check {
        AFTER_DEBITS => (total(-25), &[]),
        AFTER_CREDITS => (total(0), &[]),
        DEVOLVE_THEN_TOMA => (None, &[DEVOLVE, TOMA]),
        DANADA_FIRST => (None, &[DANADA]),
        _ => return examination,
    };
    if let Some(expected) = wrong_total {
        let difference = || format!("expected the total {expected}, got {balance}");
        return examination.wrong(Broken::FirstTotal, difference);
    }
    let wanted: Vec<u64> = first.iter().filter_map(|check| Some(data.asked(*check, row)?.digest)).collect();
    if digests.starts_with(&wanted) {
        return examination;
    }
    examination.advise(Broken::ContestOrder, || "expected the user's own transactions first".to_owned())
}
