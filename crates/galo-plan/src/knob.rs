//! Knobs: what of a contender a setting turns, by a name that its file declares or by the place itself.
//!
//! A setting is laid over the contender's Compose file as an override file would be: for containers it is one, for processes it is
//! merged by the same rules.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::JsonSchema;
use crate::{suggest, units};

/// Knobs of the traffic: every challenge has them, and no contender may.
pub const PROFILE: &str = "profile";
/// See [`PROFILE`].
pub const SCALE: &str = "scale";

/// A knob at one value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// The knob: a name that the file declares, a place of it such as `db.cpus`, or one of the traffic.
    pub knob: String,
    /// The value, as it was written.
    pub value: String,
}

/// A contender's setting.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Setting {
    /// The contender's name without it.
    pub of: String,
    /// Each knob once, in the order in which they were named.
    pub turns: Vec<Turn>,
    /// Variables that the file itself sets nowhere, as places: nobody can see whether the program reads them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<String>,
    /// A Compose override file; nothing where no place of the file is turned, and in a run folder.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub over: Value,
}

/// A knob and the values that it is turned to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Knob {
    /// As in [`Turn::knob`].
    pub name: String,
    /// Which values.
    pub values: Values,
}

/// Where a knob goes in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reach {
    /// Places of single services.
    pub places: Vec<String>,
    /// What the file itself says at the first of them where it says anything.
    pub own: Option<String>,
}

/// The values of a knob.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Values {
    /// These.
    Each(Vec<String>),
    /// All between two, these included.
    Between([String; 2]),
}

/// A place of a Compose file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// A service's name, in which a `*` stands for any letters.
    pub(crate) service: String,
    pub(crate) key: Key,
}

/// A part of a service that a knob can turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    /// The CPU limit.
    Cpus,
    /// The memory limit.
    Memory,
    /// A variable of its environment.
    Variable(String),
    /// An argument of its command, `NAME=VALUE` or `--NAME VALUE`.
    Argument(String),
}

/// How places are written, for messages.
pub(crate) const PLACES: &str = "SERVICE.cpus, SERVICE.memory, SERVICE.env.NAME, SERVICE.arg.NAME";

impl Knob {
    /// Reads `NAME=A,B,C`, `NAME=["A,1","B"]`, `NAME=LOW..HIGH/STEP` or `NAME=LOW..HIGH`.
    ///
    /// # Errors
    /// The part that cannot be read, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (name, values) = text
            .split_once('=')
            .ok_or("it has no `=`; write for example pool=1,5,25 or db.cpus=0.2..0.8/0.2")?;
        let name = name.trim();
        if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err("it has no name, or one with spaces".to_owned());
        }
        let knob = Self { name: name.to_owned(), values: Values::parse(values)? };
        knob.require_amounts()?;
        Ok(knob)
    }

    /// A knob of these values.
    ///
    /// # Errors
    /// One of them is empty, or there twice.
    pub(crate) fn of_values(name: &str, values: Vec<String>) -> Result<Self, String> {
        Ok(Self { name: name.to_owned(), values: Values::each(values)? })
    }

    /// A knob of a range, `LOW..HIGH` or `LOW..HIGH/STEP`.
    ///
    /// # Errors
    /// It is none.
    pub(crate) fn of_range(name: &str, range: &str) -> Result<Self, String> {
        match Values::range(range) {
            Some(values) => Ok(Self { name: name.to_owned(), values: values? }),
            None => Err(format!("`{range}` is no range\nhint: write for example `range: 0.2..1.1`")),
        }
    }

    /// Where its name says that values are amounts of CPU or memory, they must be.
    fn require_amounts(&self) -> Result<(), String> {
        let key = Place::parse(&self.name).ok().map(|place| place.key);
        let values = match &self.values {
            Values::Each(values) => values.as_slice(),
            Values::Between(ends) => ends.as_slice(),
        };
        for value in values {
            match key {
                Some(Key::Cpus) => drop(units::parse_cpus_nano(value)?),
                Some(Key::Memory) => drop(units::parse_bytes(value)?),
                _ => {}
            }
        }
        Ok(())
    }

    /// The values one by one.
    ///
    /// # Errors
    /// They are all between two, with what to write instead.
    pub fn each(&self) -> Result<&[String], String> {
        match &self.values {
            Values::Each(values) => Ok(values),
            Values::Between([low, high]) => {
                let Self { name, .. } = self;
                Err(format!(
                    "{name}={low}..{high} names no values of its own\nhint: write them, {name}={low},{high}, or how far \
                     they are apart, {name}={low}..{high}/STEP"
                ))
            }
        }
    }
}

impl Values {
    /// The most values of a range with a step.
    const MOST: usize = 10_000;

    /// Reads `A,B,C`, a range, or values as a list in JSON, of which each may hold what it likes.
    fn parse(text: &str) -> Result<Self, String> {
        if let Some(range) = Self::range(text) {
            return range;
        }
        if let Ok(Value::Array(list)) = serde_json::from_str(text) {
            let text = |value: Value| match value {
                Value::String(text) => text,
                other => other.to_string(),
            };
            return Self::each(list.into_iter().map(text).collect());
        }
        Self::each(text.split(',').map(|value| value.trim().to_owned()).collect())
    }

    /// Reads `LOW..HIGH` or `LOW..HIGH/STEP`; `None`: it is no range.
    fn range(text: &str) -> Option<Result<Self, String>> {
        let (low, rest) = text.split_once("..")?;
        let (high, step) =
            rest.split_once('/').map_or((rest, None), |(high, step)| (high, Some(step.trim())));
        let [low, high] = [low.trim(), high.trim()];
        let is_amount = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
        if text.contains(',') || !(is_amount(low) || low.is_empty() && (rest.is_empty() || is_amount(high))) {
            return None;
        }
        if low.is_empty() || high.is_empty() {
            return Some(Err(format!(
                "`{text}` has no {}",
                if low.is_empty() { "beginning" } else { "end" }
            )));
        }
        Some(match step {
            None => Ok(Self::Between([low, high].map(str::to_owned))),
            Some(step) => Self::stepped([low, high, step]),
        })
    }

    fn each(values: Vec<String>) -> Result<Self, String> {
        if values.is_empty() || values.iter().any(String::is_empty) {
            return Err("one of its values is empty".to_owned());
        }
        if let Some(twice) = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value)) {
            return Err(format!("it names `{}` twice", twice.1));
        }
        Ok(Self::Each(values))
    }

    fn stepped(written: [&str; 3]) -> Result<Self, String> {
        let number = |text: &str| {
            text.parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
                .ok_or(format!("`{text}` is no number"))
        };
        let [low, high, step] = [number(written[0])?, number(written[1])?, number(written[2])?];
        if step <= 0.0 || high < low {
            return Err("it goes up from the first to the second, by a step above 0".to_owned());
        }
        // So many decimals as the caller wrote.
        let decimals = |text: &str| text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let places = written.iter().map(|text| decimals(text)).max().unwrap_or(0);
        let count = ((high - low) / step + 1e-9).floor();
        if count >= Self::MOST as f64 {
            return Err(format!("it has more than {} values", Self::MOST));
        }
        let value = |index: u64| format!("{:.places$}", (index as f64).mul_add(step, low));
        Ok(Self::Each((0..=count as u64).map(value).collect()))
    }
}

impl Turn {
    /// Whether it turns the traffic and nothing of a contender.
    pub fn is_of_traffic(&self) -> bool {
        [PROFILE, SCALE].contains(&self.knob.as_str())
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.knob, self.value)
    }
}

/// `pool=5 idle=0`.
pub fn told(turns: &[Turn]) -> String {
    turns.iter().map(Turn::to_string).collect::<Vec<_>>().join(" ")
}

/// Every combination of the values, the last knob going round first.
///
/// # Errors
/// As [`Knob::each`]; two knobs of one name; more combinations than are counted.
pub fn combinations(knobs: &[Knob]) -> Result<Vec<Vec<Turn>>, String> {
    /// Far more than anybody drives.
    const MOST: usize = 100_000;
    let mut all: Vec<Vec<Turn>> = vec![Vec::new()];
    for (at, knob) in knobs.iter().enumerate() {
        if knobs[..at].iter().any(|before| before.name == knob.name) {
            return Err(format!("knob `{}` is named twice\nhint: write its values in one place", knob.name));
        }
        let values = knob.each()?;
        if all.len() * values.len() > MOST {
            return Err(format!("there are more than {MOST} settings"));
        }
        let turned = |turns: &Vec<Turn>| {
            let turn = |value: &String| Turn { knob: knob.name.clone(), value: value.clone() };
            values.iter().map(|value| [turns.clone(), vec![turn(value)]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(turned).collect();
    }
    Ok(all)
}

impl Place {
    /// Reads a place.
    ///
    /// # Errors
    /// It is none, with what one looks like.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no place of a Compose file\nhint: write one of {PLACES}");
        let named = |marker: &str| {
            text.split_once(marker).filter(|(service, name)| !service.is_empty() && !name.is_empty())
        };
        if let Some((service, name)) = named(".env.") {
            return Ok(Self { service: service.to_owned(), key: Key::Variable(name.to_owned()) });
        }
        if let Some((service, name)) = named(".arg.") {
            return Ok(Self { service: service.to_owned(), key: Key::Argument(name.to_owned()) });
        }
        let (service, key) =
            text.rsplit_once('.').filter(|(service, _)| !service.is_empty()).ok_or_else(wrong)?;
        let key = match key {
            "cpus" => Key::Cpus,
            "memory" => Key::Memory,
            other => {
                let near = suggest::nearest(other, ["cpus", "memory"]);
                return Err(near.map_or_else(wrong, |near| {
                    format!("`{text}` is no place of a Compose file\nhint: did you mean `{service}.{near}`?")
                }));
            }
        };
        Ok(Self { service: service.to_owned(), key })
    }

    /// Whether a service is meant.
    pub(crate) fn is_of(&self, service: &str) -> bool {
        matches(&self.service, service)
    }
}

impl Key {
    /// The place of it in one service.
    pub(crate) fn of(&self, service: &str) -> String {
        match self {
            Self::Cpus => format!("{service}.cpus"),
            Self::Memory => format!("{service}.memory"),
            Self::Variable(name) => format!("{service}.env.{name}"),
            Self::Argument(name) => format!("{service}.arg.{name}"),
        }
    }
}

/// What settings come to in a Compose file, to be pasted: each place with its value. An argument is told by a comment.
pub fn fragment(places: &[(String, String)]) -> String {
    let mut services: Vec<(String, Vec<(Key, &str)>)> = Vec::new();
    for (place, value) in places {
        let Ok(Place { service, key }) = Place::parse(place) else { continue };
        match services.iter_mut().find(|(name, _)| *name == service) {
            Some((_, turned)) => turned.push((key, value)),
            None => services.push((service, vec![(key, value)])),
        }
    }
    let mut text = "services:\n".to_owned();
    for (service, turned) in services {
        let _ = writeln!(text, "  {service}:");
        let variables = turned.iter().filter_map(|(key, value)| match key {
            Key::Variable(name) => Some(format!("      {name}: {}\n", quoted(value))),
            _ => None,
        });
        let variables: String = variables.collect();
        if !variables.is_empty() {
            text += &format!("    environment:\n{variables}");
        }
        let limits = turned.iter().filter_map(|(key, value)| match key {
            Key::Cpus => Some(format!("          cpus: {}\n", quoted(value))),
            Key::Memory => Some(format!("          memory: {value}\n")),
            _ => None,
        });
        let limits: String = limits.collect();
        if !limits.is_empty() {
            text += &format!("    deploy:\n      resources:\n        limits:\n{limits}");
        }
        for (key, value) in &turned {
            if let Key::Argument(name) = key {
                let _ = writeln!(text, "    # in its command: {name}={value}");
            }
        }
    }
    text
}

/// As YAML reads a text, whatever is in it: JSON is YAML.
fn quoted(value: &str) -> String {
    Value::from(value).to_string()
}

/// Whether a name is like a pattern, in which a `*` stands for any letters.
fn matches(pattern: &str, name: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut left) = pieces.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let Some(last) = pieces.next_back() else { return left.is_empty() };
    for piece in pieces {
        // The first place leaves the most to the pieces behind it.
        let Some((_, behind)) = left.split_once(piece) else { return false };
        left = behind;
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn each(text: &str) -> Result<Vec<String>, String> {
        Knob::parse(text).and_then(|knob| knob.each().map(<[_]>::to_vec))
    }

    #[test]
    fn values_are_listed_or_go_up_by_steps() {
        assert_eq!(each("pool=1, 5,25").unwrap(), ["1", "5", "25"]);
        assert_eq!(each("db.cpus=0.2..0.8/0.2").unwrap(), ["0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(each("pool=1..10/4").unwrap(), ["1", "5", "9"]);
        assert_eq!(each(r#"v=["a,b", "1..3", 2]"#).unwrap(), ["a,b", "1..3", "2"]);
        assert_eq!(each("path=../../x,/etc").unwrap(), ["../../x", "/etc"]);
        let open = Knob::parse("db.memory=256MB..1GB").unwrap();
        assert_eq!(open.values, Values::Between(["256MB", "1GB"].map(str::to_owned)));
        insta::assert_snapshot!(open.each().unwrap_err(), @r"
        db.memory=256MB..1GB names no values of its own
        hint: write them, db.memory=256MB,1GB, or how far they are apart, db.memory=256MB..1GB/STEP
        ");
    }

    #[test]
    fn what_is_no_knob_is_told() {
        for (text, wanted) in [
            ("pool", "it has no `=`; write for example pool=1,5,25 or db.cpus=0.2..0.8/0.2"),
            ("=1", "it has no name, or one with spaces"),
            ("a b=1,2", "it has no name, or one with spaces"),
            ("pool=", "one of its values is empty"),
            ("pool=1,,2", "one of its values is empty"),
            ("pool=1,1", "it names `1` twice"),
            ("pool=[]", "one of its values is empty"),
            ("pool=1..", "`1..` has no end"),
            ("pool=..4", "`..4` has no beginning"),
            ("pool=1..a/2", "`a` is no number"),
            ("pool=4..1/1", "it goes up from the first to the second, by a step above 0"),
            ("pool=0..1/0", "it goes up from the first to the second, by a step above 0"),
            ("pool=0..1/0.00001", "it has more than 10000 values"),
        ] {
            assert_eq!(Knob::parse(text).unwrap_err(), wanted, "{text}");
        }
    }

    #[test]
    fn settings_are_all_combinations() {
        let knobs = ["pool=1,5", "idle=0,25"].map(|text| Knob::parse(text).unwrap());
        let all: Vec<String> = combinations(&knobs).unwrap().iter().map(|turns| told(turns)).collect();
        assert_eq!(all, ["pool=1 idle=0", "pool=1 idle=25", "pool=5 idle=0", "pool=5 idle=25"]);
        assert_eq!(combinations(&[]).unwrap(), [Vec::new()]);
        let twice = [knobs[0].clone(), knobs[0].clone()];
        assert!(combinations(&twice).unwrap_err().starts_with("knob `pool` is named twice"));
        let many = ["a=1..1000/1", "b=1..1000/1"].map(|text| Knob::parse(text).unwrap());
        assert!(combinations(&many).unwrap_err().contains("more than 100000 settings"));
    }

    #[test]
    fn places_are_told_from_each_other() {
        let place = |service: &str, key| Ok(Place { service: service.to_owned(), key });
        assert_eq!(Place::parse("db.cpus"), place("db", Key::Cpus));
        assert_eq!(Place::parse("a.b.memory"), place("a.b", Key::Memory));
        assert_eq!(Place::parse("api*.env.POOL"), place("api*", Key::Variable("POOL".to_owned())));
        let connections = Key::Argument("max_connections".to_owned());
        assert_eq!(Place::parse("db.arg.max_connections"), place("db", connections));
        insta::assert_snapshot!(Place::parse("db.cpu").unwrap_err(), @r"
        `db.cpu` is no place of a Compose file
        hint: did you mean `db.cpus`?
        ");
        insta::assert_snapshot!(Place::parse("pool").unwrap_err(), @r"
        `pool` is no place of a Compose file
        hint: write one of SERVICE.cpus, SERVICE.memory, SERVICE.env.NAME, SERVICE.arg.NAME
        ");
    }

    #[test]
    fn what_is_to_be_pasted_is_yaml_of_the_places() {
        let places =
            [("db.cpus", "0.7"), ("api1.env.POOL", "8"), ("db.memory", "512MB"), ("db.arg.fsync", "on")];
        let places = places.map(|(place, value)| (place.to_owned(), value.to_owned()));
        insta::assert_snapshot!(fragment(&places), @r#"
        services:
          db:
            deploy:
              resources:
                limits:
                  cpus: "0.7"
                  memory: 512MB
            # in its command: fsync=on
          api1:
            environment:
              POOL: "8"
        "#);
    }

    #[test]
    fn a_star_stands_for_any_letters() {
        for (pattern, name, is) in [
            ("api", "api", true),
            ("api", "api1", false),
            ("api*", "api1", true),
            ("*", "db", true),
            ("a*-*b", "api-1-b", true),
            ("a*c", "ab", false),
            ("é*", "éa", true),
            ("a*a", "a", false),
            ("*a*b*", "xaxbx", true),
            ("*ab*b", "abxab", true),
            (&"*a".repeat(40), &"a".repeat(100), true),
            (&("*a".repeat(40) + "b"), &"a".repeat(100), false),
        ] {
            assert_eq!(matches(pattern, name), is, "{pattern} {name}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in ".*", place in "[a*.é]{0,12}") {
            let _ = Knob::parse(&text);
            let _ = Place::parse(&place).map(|place| place.is_of(&text));
        }
    }
}
