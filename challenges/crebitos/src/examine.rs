//! What to make of one answer, by itself: status, form, the seeded limit. What needs the history is the judge's.

use galo_plan::ledger;
use galo_plan::model::{Answer, Effect, Examination, Label, Question, Row, SEEN_MAX, Seen};

use crate::answer::{self, Balance, Listed};
use crate::index::{
    AFTER_CREDITS, AFTER_DEBITS, DANADA, DANADA_FIRST, DEVOLVE, DEVOLVE_THEN_TOMA, NO_CLIENT, REFUSED_AMOUNT,
    REFUSED_DESCRIPTION, REFUSED_KIND, TOMA,
};
use crate::rows::{Ledger, digest};
use crate::rules::Broken;

/// Builds an [`Examination`]: the first broken `must` counts, else the first broken `should`.
struct Verdict(Examination);

impl Verdict {
    fn wrong(mut self, rule: Broken, difference: String) -> Self {
        if self.0.broken.is_none() {
            (self.0.broken, self.0.advice) = (Some(rule as usize), None);
            self.0.difference = Some(difference);
        }
        self
    }

    fn advise(mut self, rule: Broken, difference: String) -> Self {
        if self.0.broken.is_none() && self.0.advice.is_none() {
            (self.0.advice, self.0.difference) = (Some(rule as usize), Some(difference));
        }
        self
    }
}

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
    let verdict = match question.check {
        NO_CLIENT => no_client(answer),
        REFUSED_AMOUNT => refused(answer, Broken::BadAmountAccepted),
        REFUSED_KIND => refused(answer, Broken::BadKindAccepted),
        REFUSED_DESCRIPTION => refused(answer, Broken::BadDescriptionAccepted),
        check if data.transaction(check, row).is_some() => moved(answer, label, limit, seen),
        check => statement((data, check, row), answer, limit, seen),
    };
    let verdict = match answer.status {
        200 => content_type(verdict, answer),
        _ => verdict,
    };
    verdict.0
}

fn right(effect: Effect) -> Verdict {
    Verdict(Examination { effect, ..Examination::RIGHT })
}

fn no_client(answer: &Answer<'_>) -> Verdict {
    match answer.status {
        404 => right(Effect::None),
        status => {
            let difference = format!("expected 404 for a client that there is not, got {status}");
            right(Effect::None).wrong(Broken::UnknownClient, difference)
        }
    }
}

fn refused(answer: &Answer<'_>, rule: Broken) -> Verdict {
    match answer.status {
        200 => right(Effect::Yes).wrong(rule, "expected 422 or 400, got 200".to_owned()),
        404 => missing(404),
        _ => right(Effect::No),
    }
}

fn missing(status: u16) -> Verdict {
    let difference = format!("expected a client that is there from the start, got {status}");
    right(Effect::No).wrong(Broken::ClientMissing, difference)
}

/// A transaction with a right payload. Whether a refusal is right the balance decides.
fn moved(answer: &Answer<'_>, label: Label, limit: i64, seen: &mut Vec<Seen>) -> Verdict {
    match answer.status {
        200 => match answer::balance(answer.body) {
            Ok(told) => {
                seen.push(ledger::told(told.balance));
                within(right(Effect::Yes), told, limit)
            }
            Err(difference) => right(Effect::Yes).wrong(Broken::AnswerShape, difference),
        },
        404 => missing(404),
        _ if label == Label::Free => right(Effect::No).advise(
            Broken::WideAmount,
            format!("expected 200 for an amount beyond 32 bits, got {}", answer.status),
        ),
        400 => right(Effect::No).advise(Broken::ExactStatus, "expected 200 or 422, got 400".to_owned()),
        _ => right(Effect::No),
    }
}

/// Holds what was told to the limit that the client has from the start.
fn within(verdict: Verdict, Balance { balance, limit: told }: Balance, limit: i64) -> Verdict {
    let verdict = match told == limit {
        true => verdict,
        false => verdict.wrong(Broken::LimitDiffers, format!("expected the limit {limit}, got {told}")),
    };
    match balance < -limit {
        true => verdict.wrong(Broken::BelowLimit, format!("expected at least {}, got {balance}", -limit)),
        false => verdict,
    }
}

fn statement(
    (data, check, row): (&Ledger, usize, Row),
    answer: &Answer<'_>,
    limit: i64,
    seen: &mut Vec<Seen>,
) -> Verdict {
    if answer.status != 200 {
        let Verdict(examination) = missing(answer.status);
        return Verdict(Examination { effect: Effect::None, ..examination });
    }
    let (told, list) = match answer::statement(answer.body) {
        Ok(read) => read,
        Err(difference) => return right(Effect::None).wrong(Broken::StatementShape, difference),
    };
    // More of them are not kept, so a list without end costs galo nothing more.
    let kept = list.iter().take(SEEN_MAX);
    let digests: Vec<u64> = kept.map(|one| digest(one.amount, one.kind, &one.description)).collect();
    seen.push(ledger::told(told.balance));
    let times = list.iter().map(|one| one.time_us.unwrap_or(0));
    seen.extend(digests.iter().zip(times).map(|(digest, time_us)| ledger::listed(*digest, time_us)));
    let mut verdict = within(right(Effect::None), told, limit);
    verdict.0.found = list.len() as u32;
    contest((data, check, row), verdict, told.balance, &digests, &list)
}

/// What the contest itself looks for, and the form of dates.
fn contest(
    (data, check, row): (&Ledger, usize, Row),
    verdict: Verdict,
    balance: i64,
    digests: &[u64],
    list: &[Listed],
) -> Verdict {
    let total = |verdict: Verdict, expected: i64| match balance == expected {
        true => verdict,
        false => verdict.wrong(Broken::FirstTotal, format!("expected the total {expected}, got {balance}")),
    };
    let first = |verdict: Verdict, checks: &[usize]| {
        let wanted = checks.iter().filter_map(|check| Some(data.asked(*check, row)?.digest));
        match digests.len() >= checks.len() && wanted.zip(digests).all(|(wanted, found)| wanted == *found) {
            true => verdict,
            false => {
                verdict.advise(Broken::ContestOrder, "expected the user's own transactions first".to_owned())
            }
        }
    };
    let verdict = match check {
        AFTER_DEBITS => total(verdict, -25),
        AFTER_CREDITS => total(verdict, 0),
        DEVOLVE_THEN_TOMA => first(verdict, &[DEVOLVE, TOMA]),
        DANADA_FIRST => first(verdict, &[DANADA]),
        _ => verdict,
    };
    match list.iter().any(|one| one.time_us.is_none()) {
        true => verdict.advise(Broken::DateForm, "expected `realizada_em` as RFC 3339 has it".to_owned()),
        false => verdict,
    }
}

fn content_type(verdict: Verdict, answer: &Answer<'_>) -> Verdict {
    let given = answer.content_type.unwrap_or_default();
    let media_type = given.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    match media_type.eq_ignore_ascii_case(b"application/json") {
        true => verdict,
        false => {
            let given = String::from_utf8_lossy(given);
            verdict.advise(Broken::ContentTypeJson, format!("expected application/json, got `{given}`"))
        }
    }
}
