//! What is to hold, as people write it: of a load `p99<50ms`, `errors<0.1%`, `rate>=49900`, several parted by commas; of
//! a duel `p99 ratio < 1.05`.
//!
//! `p99`, or any other percentile, is of the latency from the intended start of all that ended, `service.p99` of the service
//! time of right answers, `lag.p99` of galo's own lag, `rate` is of right answers per second, and `errors` is all that is no
//! right answer (wrong, failed, timed out, unfinished). A count may also be bounded as a share of all intended operations.
//! Figures are held to their bounds unrounded. A latency meets no bound where not one answer was right: whoever refuses
//! everything at once would meet them all.

mod amount;
mod figures;
mod ratio;

use std::fmt;
use std::str::FromStr;

use galo_plan::JsonSchema;
use galo_plan::suggest::nearest;
use galo_words::Lang;
use serde::{Deserialize, Serialize};

use amount::{Unit, parse_count, parse_rate, parse_share, parse_time};
use figures::{Figure, LAG, LAGS, NoPercentile, SERVICE, percentile};

pub use figures::{Figures, Ground, RIGHT_SHARE_MIN, Right};
pub use ratio::{RatioAssertion, RatioOutcome, Said, SeenRatio};

/// One figure and its bound, e.g. `p99 < 50 ms`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Assertion {
    figure: Figure,
    operator: Operator,
    bound: f64,
    unit: Unit,
}

/// Several that must all hold; at least one.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertions(Vec<Assertion>);

/// What became of an assertion.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// What was to hold.
    pub assertion: Assertion,
    /// The figure: a time in microseconds, a count, a share from 0 to 1, or a rate per second. null: there was nothing to
    /// take it of, which meets no bound.
    pub actual: Option<f64>,
    /// Whether it held.
    pub met: bool,
    /// On what a latency stands.
    #[serde(flatten)]
    pub ground: Ground,
}

/// What is wrong with the text of an assertion.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AssertionError(String);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Less,
    AtMost,
    More,
    AtLeast,
    Equal,
    Unequal,
}

/// Longer ones first: `<=` begins with `<`.
const OPERATORS: [(&str, Operator); 6] = [
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<", Operator::Less),
    (">", Operator::More),
];

impl Operator {
    fn holds(self, actual: f64, bound: f64) -> bool {
        match self {
            Self::Less => actual < bound,
            Self::AtMost => actual <= bound,
            Self::More => actual > bound,
            Self::AtLeast => actual >= bound,
            Self::Equal => actual == bound,
            Self::Unequal => actual != bound,
        }
    }

    fn text(self) -> &'static str {
        OPERATORS.iter().find(|(_, known)| *known == self).map_or("", |(text, _)| text)
    }
}

impl Assertion {
    /// Whether it holds of these figures.
    pub fn evaluate(&self, figures: &Figures) -> Outcome {
        let actual = figures.get(self.figure, self.unit);
        let ground = figures.ground(self.figure);
        let holds = actual.is_some_and(|actual| self.operator.holds(actual, self.bound));
        let met = holds && ground.right.is_none_or(|right| right.answers > 0);
        Outcome { assertion: *self, actual, met, ground }
    }

    /// As a language writes it: `p99 < 50 ms`. English can be read back.
    pub fn written(&self, lang: Lang) -> String {
        let bound = self.unit.show(self.bound, lang);
        format!("{} {} {bound}", self.figure.name(), self.operator.text())
    }
}

impl Outcome {
    /// The figure with its unit, e.g. `61.3 ms`.
    pub fn shown(&self, lang: Lang) -> Option<String> {
        self.actual.map(|actual| self.assertion.unit.show_beside(actual, self.assertion.bound, lang))
    }
}

impl Assertions {
    /// What became of each, in the order in which they were written.
    pub fn evaluate(&self, figures: &Figures) -> Vec<Outcome> {
        self.0.iter().map(|assertion| assertion.evaluate(figures)).collect()
    }

    /// Whether all hold.
    pub fn met(&self, figures: &Figures) -> bool {
        self.0.iter().all(|assertion| assertion.evaluate(figures).met)
    }
}

impl FromStr for Assertion {
    type Err = AssertionError;

    fn from_str(text: &str) -> Result<Self, AssertionError> {
        let (name, operator, bound) = split(text)?;
        let name = name.to_lowercase();
        let figure = Figure::named(&name).ok_or_else(|| unknown(text, &name))?;
        let (bound, unit) = parse_bound(figure, bound).ok_or_else(|| wrong_bound(text, figure, bound))?;
        Ok(Self { figure, operator, bound, unit })
    }
}

/// What stands before and after the comparison, and which it is.
fn split(text: &str) -> Result<(&str, Operator, &str), AssertionError> {
    let at = text.find(['<', '>', '=', '!']).ok_or_else(|| no_comparison(text))?;
    let (name, rest) = text.split_at(at);
    let (sign, operator) = OPERATORS
        .iter()
        .find(|(sign, _)| rest.starts_with(sign))
        .ok_or_else(|| wrong_operator(text, rest))?;
    Ok((name.trim(), *operator, rest[sign.len()..].trim()))
}

impl FromStr for Assertions {
    type Err = AssertionError;

    fn from_str(text: &str) -> Result<Self, AssertionError> {
        text.split(',').map(|one| one.trim().parse()).collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for Assertion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written(Lang::En))
    }
}

impl From<Assertion> for String {
    fn from(assertion: Assertion) -> Self {
        assertion.to_string()
    }
}

impl TryFrom<String> for Assertion {
    type Error = AssertionError;

    /// Reads what [`Assertion`] is told as, which has commas between thousands.
    fn try_from(text: String) -> Result<Self, AssertionError> {
        text.replace(',', "").parse()
    }
}

impl fmt::Display for Assertions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join(", "))
    }
}

fn parse_bound(figure: Figure, text: &str) -> Option<(f64, Unit)> {
    match figure.unit() {
        Unit::Time => parse_time(text).map(|us| (us, Unit::Time)),
        Unit::Rate => parse_rate(text).map(|rate| (rate, Unit::Rate)),
        Unit::Count | Unit::Share => {
            let share = parse_share(text).map(|share| (share, Unit::Share));
            share.or_else(|| parse_count(text).map(|count| (count, Unit::Count)))
        }
    }
}

fn no_comparison(text: &str) -> AssertionError {
    if text.is_empty() {
        return AssertionError("there is nothing to assert\nhint: write for example `p99<50ms`".to_owned());
    }
    AssertionError(format!("`{text}` compares nothing\nhint: write for example `p99<50ms` or `errors==0`"))
}

fn wrong_operator(text: &str, rest: &str) -> AssertionError {
    let wrong = if rest.starts_with('=') { "=" } else { "!" };
    let right = if wrong == "=" { "==" } else { "!=" };
    AssertionError(format!("`{text}`: `{wrong}` compares nothing\nhint: did you mean `{right}`?"))
}

fn unknown(text: &str, name: &str) -> AssertionError {
    if let Some(error) = no_percentile(text, name) {
        return error;
    }
    let near = nearest(name, Figure::all().map(Figure::name));
    let hint = near.map_or_else(known, |near| format!("did you mean `{near}`?"));
    AssertionError(format!("`{text}`: there is no figure `{name}`\nhint: {hint}"))
}

/// What is wrong with a name that asks for a percentile; `None`: it asks for none.
fn no_percentile(text: &str, name: &str) -> Option<AssertionError> {
    let of_what = [SERVICE, LAG].into_iter().find_map(|of| name.strip_prefix(of));
    let (what, hint) = match percentile(of_what.unwrap_or(name))? {
        Err(NoPercentile::Outside) => (
            "a percentile is above 0 and at most 100",
            "write for example `p99.5`; `max` is the slowest".to_owned(),
        ),
        Err(NoPercentile::TooFine) => {
            ("a percentile has at most six decimals", "write for example `p99.999`".to_owned())
        }
        Ok(_) => {
            let known = LAGS.map(|known| format!("`{LAG}{known}`")).join(", ");
            ("galo's lag is kept by a few percentiles alone", format!("known: {known}"))
        }
    };
    Some(AssertionError(format!("`{text}`: {what}\nhint: {hint}")))
}

/// All names, those of service time only by their common beginning.
fn known() -> String {
    let names = Figure::all().filter(|figure| !matches!(figure, Figure::ServiceTime(_)));
    let names: Vec<_> = names.map(|figure| format!("`{}`", figure.name())).collect();
    format!("known: {}; any other percentile as `p97.5`; of service time as `service.p99`", names.join(", "))
}

fn wrong_bound(text: &str, figure: Figure, bound: &str) -> AssertionError {
    let name = figure.name();
    let (what, example) = match figure.unit() {
        Unit::Time => ("a time with its unit", format!("`{name}<50ms`, `{name}<800us` or `{name}<1s`")),
        Unit::Rate => ("a rate", format!("`{name}>=49900`")),
        Unit::Count | Unit::Share => ("a whole number or a share", format!("`{name}<10` or `{name}<0.1%`")),
    };
    AssertionError(format!("`{text}`: `{bound}` is not {what}\nhint: write for example {example}"))
}

#[cfg(test)]
mod tests;
