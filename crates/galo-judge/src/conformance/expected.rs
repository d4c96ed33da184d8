//! One answer held to one expectation.

use std::cell::OnceCell;

use galo_plan::conformance::{CaseRequest, Content, Expect, Filling};
use galo_plan::location::{Form, resolve};
use galo_record::Exchange;
use galo_record::conformance::FailureKind;
use galo_record::round::CountReading;
use serde_json::Value;

use super::meaning::{self, Null};
use super::text::{line, quoted};
use crate::evidence::{Came, Elements, Expected, Ids};

/// An expectation that was not met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Breach {
    pub(super) expected: Expected,
    pub(super) came: Came,
}

/// An exchange with what came before it.
pub(super) struct AskedExchange<'a> {
    exchange: &'a Exchange,
    /// What was asked for.
    target: Vec<u8>,
    earlier: &'a [Option<Exchange>],
    filling: Filling<'a>,
    /// The body as JSON, or why it is none.
    json: OnceCell<Result<Value, Came>>,
}

/// So many ids are named.
const NAMED: usize = 3;

/// Statuses in ascending order as people write them: `404`, `4xx`.
fn status_names(statuses: &[u16]) -> Vec<String> {
    let is_whole = |hundred: u16| (hundred..hundred + 100).all(|status| statuses.contains(&status));
    let name = |&status: &u16| match (is_whole(status / 100 * 100), status % 100) {
        (false, _) => Some(status.to_string()),
        (true, 0) => Some(format!("{}xx", status / 100)),
        (true, _) => None,
    };
    statuses.iter().filter_map(name).collect()
}

impl<'a> AskedExchange<'a> {
    pub(super) fn new(
        request: &CaseRequest,
        exchange: &'a Exchange,
        earlier: &'a [Option<Exchange>],
        filling: Filling<'a>,
    ) -> Self {
        let target = filling.content(&request.target).unwrap_or_default().bytes();
        Self { exchange, target, earlier, filling, json: OnceCell::new() }
    }

    /// How the expectation is broken, if it is.
    pub(super) fn breach(&self, expect: &Expect) -> Option<Breach> {
        let status = self.exchange.status;
        let whole = status != 0 && (self.exchange.failure.is_none() || self.is_only_long());
        match expect {
            Expect::Alive => None,
            Expect::Answer { server_errors, cut } => self.answer(server_errors, *cut),
            Expect::OneOf { status, last } => self.one_of(*status, *last),
            _ if !whole => None,
            Expect::Status(statuses) => self.status(statuses),
            Expect::CreatedWith(header) if status == 201 => self.header(header),
            Expect::Location(before) if status == 201 => self.location(before),
            Expect::LocationRelative if status == 201 => self.relative_location(),
            Expect::SameConnection => self.same_connection(),
            // Whatever status is accepted, the body is this one.
            Expect::BodyIs(body) => self.body_is(body),
            _ if !(200..300).contains(&status) => None,
            Expect::MediaType(media_type) => self.media_type(media_type),
            Expect::Shows(json) => self.shows(json, Null::AsNothing),
            Expect::ShowsExactly(json) => self.shows(json, Null::Itself),
            Expect::Lists { of, at_least, others } => self.lists(of, *at_least, *others),
            Expect::LengthAtMost(length) => self.length_at_most(*length),
            Expect::ListShows(json) => self.list_shows(json),
            Expect::Digits => self.digits(),
            Expect::Exceeds { than, by } => self.exceeds(*than, *by),
            Expect::CreatedWith(_) | Expect::Location(_) | Expect::LocationRelative => None,
        }
    }

    fn answer(&self, server_errors: &[u16], cut: bool) -> Option<Breach> {
        let status = self.exchange.status;
        match &self.exchange.failure {
            Some(failure) if failure.kind == FailureKind::Own => None,
            Some(failure) if cut && is_ended(failure.kind) => None,
            Some(_) if self.is_only_long() => None,
            Some(failure) => {
                let came =
                    Came::Broken { status: (status != 0).then_some(status), because: failure.text.clone() };
                breach(Expected::WholeAnswer, came)
            }
            None if status >= 500 && !server_errors.contains(&status) => {
                breach(Expected::NoServerError, Came::Status { status })
            }
            None => None,
        }
    }

    /// Whether nothing is wrong but that galo does not read answers so long. Who lists all that match may have to give them; what asks for
    /// the whole body says by itself that it is too long.
    fn is_only_long(&self) -> bool {
        let is_long = self.exchange.failure.as_ref().is_some_and(|f| f.kind == FailureKind::TooLong);
        is_long && (1..500).contains(&self.exchange.status)
    }

    fn one_of(&self, status: u16, last: usize) -> Option<Breach> {
        let before = self.earlier.iter().rev().take(last.saturating_sub(1)).map(Option::as_ref);
        let all = || before.clone().chain([Some(self.exchange)]);
        let having = all().flatten().filter(|exchange| exchange.status == status).count();
        // The one that has it may be the one of which too little came.
        let is_whole = |e: Option<&Exchange>| e.is_some_and(|e| e.status != 0 && e.failure.is_none());
        let expected = Expected::Once { status, requests: last as u64 };
        (having > 1 || having == 0 && all().all(is_whole))
            .then_some(Breach { expected, came: Came::Had { requests: having as u64 } })
    }

    fn status(&self, statuses: &[u16]) -> Option<Breach> {
        let status = self.exchange.status;
        if statuses.contains(&status) {
            return None;
        }
        breach(Expected::Status { statuses: status_names(statuses) }, Came::Status { status })
    }

    fn header(&self, name: &str) -> Option<Breach> {
        let is_missing = self.exchange.headers(name).is_empty();
        is_missing
            .then(|| Breach { expected: Expected::Header { name: name.to_owned() }, came: Came::Nothing })
    }

    fn location(&self, before: &str) -> Option<Breach> {
        let location = self.exchange.headers("location").into_iter().next()?;
        let given = self.exchange.given(&self.target);
        let leads = given.is_some_and(|given| given.location.strip_prefix(before).is_some_and(is_uuid));
        let expected = Expected::Location { before: before.to_owned() };
        (!leads).then(|| Breach { expected, came: Came::Value { value: quoted(&location) } })
    }

    fn relative_location(&self) -> Option<Breach> {
        let location = self.exchange.headers("location").into_iter().next()?;
        let form = resolve(location.as_bytes(), &self.target, &mut Vec::new())?;
        let names_host = form == Form::NamesHost;
        let came = Came::Value { value: quoted(&location) };
        names_host.then_some(Breach { expected: Expected::RelativeLocation, came })
    }

    fn same_connection(&self) -> Option<Breach> {
        let expected = Expected::SameConnection;
        (!self.exchange.reused).then_some(Breach { expected, came: Came::Closed })
    }

    fn media_type(&self, expected: &str) -> Option<Breach> {
        let given = self.exchange.headers("content-type").into_iter().next();
        let own = given.as_deref().unwrap_or_default().split(';').next().unwrap_or_default().trim();
        (!own.eq_ignore_ascii_case(expected)).then(|| {
            let came = given.as_deref().map(quoted);
            let came = came.map_or(Came::Nothing, |value| Came::Value { value });
            Breach { expected: Expected::ContentType { media_type: expected.to_owned() }, came }
        })
    }

    fn json(&self) -> Result<&Value, Came> {
        let parse = || {
            let body = self.exchange.body.bytes();
            if (body.len() as u64) < self.exchange.body_bytes {
                return Err(Came::TooLong { bytes: self.exchange.body_bytes });
            }
            serde_json::from_slice(&body).map_err(|error| Came::NoJson { because: line(&error.to_string()) })
        };
        self.json.get_or_init(parse).as_ref().map_err(Clone::clone)
    }

    /// What a template of JSON stands for; `None` where it names what was not given.
    fn filled(&self, template: &str) -> Option<Value> {
        serde_json::from_str(&self.filling.text(template)?).ok()
    }

    fn shows(&self, template: &str, null: Null) -> Option<Breach> {
        let expected = self.filled(template)?;
        let came = match self.json() {
            Ok(got) => meaning::difference(&expected, got, null)?,
            Err(came) => came,
        };
        breach(Expected::Shows { json: line(&expected.to_string()) }, came)
    }

    fn elements(&self) -> Result<&Vec<Value>, Came> {
        let json = self.json()?;
        json.as_array().ok_or_else(|| Came::NoArray { value: meaning::shown(json) })
    }

    /// The ids of a list, or why it has none.
    fn ids(&self) -> Result<Vec<&str>, Came> {
        let without = |element: &Value| Came::WithoutId { value: meaning::shown(element) };
        let elements = self.elements()?.iter();
        elements.map(|one| one.get("id").and_then(Value::as_str).ok_or_else(|| without(one))).collect()
    }

    fn lists(&self, of: &[String], at_least: usize, others: bool) -> Option<Breach> {
        let of = of.iter().map(|id| self.filling.text(id)).collect::<Option<Vec<String>>>()?;
        let named = |ids: &[&str]| Ids {
            ids: ids.iter().take(NAMED).map(|id| line(id)).collect(),
            more: ids.len().saturating_sub(NAMED) as u64,
        };
        let wanted: Vec<&str> = of.iter().map(String::as_str).collect();
        let elements = match (wanted.as_slice(), others) {
            ([], _) => Elements::Nothing,
            (all, true) if at_least < all.len() => {
                Elements::AtLeast { at_least: at_least as u64, of: all.len() as u64 }
            }
            (all, true) => Elements::These(named(all)),
            (all, false) => Elements::NothingBut(named(all)),
        };
        let ids = match self.ids() {
            Ok(ids) => ids,
            Err(came) => return breach(Expected::Lists { elements, is_array: false }, came),
        };
        let expected = Expected::Lists { elements, is_array: true };
        let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
        let twice =
            ids.iter().enumerate().find(|(place, id)| ids[..*place].iter().any(|other| same(other, id)));
        if let Some((_, twice)) = twice {
            return breach(expected, Came::Twice { id: line(twice) });
        }
        let strangers: Vec<&str> =
            ids.iter().filter(|id| !wanted.iter().any(|known| same(known, id))).copied().collect();
        let known = ids.len() - strangers.len();
        if known < at_least {
            let came = match ids.len() {
                0 => empty(),
                listed => Came::Known { known: known as u64, listed: listed as u64 },
            };
            return breach(expected, came);
        }
        let came = || Came::Strangers(named(&strangers));
        (!others && !strangers.is_empty()).then(|| Breach { expected, came: came() })
    }

    fn body_is(&self, body: &Content) -> Option<Breach> {
        let expected = self.filling.content(body)?.bytes();
        let came = self.exchange.body.bytes();
        // Of a body that is too long the record has the start alone.
        let is_same = expected.len() as u64 == self.exchange.body_bytes && expected.starts_with(&came);
        let alike = expected.iter().zip(&came).take_while(|(one, other)| one == other).count() as u64;
        let came = Came::OtherBytes { bytes: self.exchange.body_bytes, alike };
        if is_same { None } else { breach(Expected::Bytes { bytes: expected.len() as u64 }, came) }
    }

    fn length_at_most(&self, length: usize) -> Option<Breach> {
        let came = match self.elements() {
            Ok(elements) if elements.len() <= length => return None,
            Ok(elements) => Came::Elements { elements: elements.len() as u64 },
            Err(came) => came,
        };
        breach(Expected::AtMost { elements: length as u64 }, came)
    }

    fn list_shows(&self, template: &str) -> Option<Breach> {
        let expected = self.filled(template)?;
        let elements = match self.elements() {
            Ok(elements) => elements,
            Err(came) => return breach(Expected::Array, came),
        };
        let mut first = None;
        for element in elements {
            let difference = meaning::difference(&expected, element, Null::AsNothing)?;
            first.get_or_insert(difference);
        }
        breach(Expected::Element { json: line(&expected.to_string()) }, first.unwrap_or_else(empty))
    }

    fn body_text(&self) -> String {
        String::from_utf8_lossy(&self.exchange.body.bytes()).into_owned()
    }

    fn digits(&self) -> Option<Breach> {
        let text = self.body_text();
        let digits = text.trim();
        let alone = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        (!alone).then(|| Breach { expected: Expected::Integer, came: Came::Value { value: quoted(&text) } })
    }

    fn exceeds(&self, than: usize, by: u64) -> Option<Breach> {
        let number = |exchange: &Exchange| {
            let text = String::from_utf8_lossy(&exchange.body.bytes()).into_owned();
            CountReading::new(0, exchange.status, text).value
        };
        let before = number(self.earlier.get(than)?.as_ref()?)?;
        let least = before.saturating_add(by);
        match number(self.exchange) {
            Some(counted) if counted >= least => None,
            Some(counted) => {
                breach(Expected::AtLeast { count: least }, Came::Value { value: counted.to_string() })
            }
            None => {
                let value = quoted(&self.body_text());
                breach(Expected::AtLeast { count: least }, Came::Value { value })
            }
        }
    }
}

/// Whether it was the server who put an end to the exchange.
const fn is_ended(kind: FailureKind) -> bool {
    matches!(kind, FailureKind::Cut | FailureKind::Unreadable | FailureKind::TooLong)
}

fn breach(expected: Expected, came: Came) -> Option<Breach> {
    Some(Breach { expected, came })
}

/// A list without anybody.
fn empty() -> Came {
    Came::Value { value: "[]".to_owned() }
}

/// Whether a text is a UUID in the form of RFC 9562: 32 hexadecimal digits in five groups.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
