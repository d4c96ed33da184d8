//! Scenarios without a contender: of a file of their own, or of a challenge's.

use std::path::Path;

use super::raw::{self, RawChallenge, RawFeeder, RawScenario, RawScenarios, RawTimeouts};
use super::resolve::Resolver;
use super::{Header, Scenario, Timeouts, feeders};
use crate::described::{Data, NoModel};
use crate::error::PlanError;
use crate::source::{Source, read_text};
use crate::suggest;

/// Scenarios, and what they need.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenarios {
    /// Sent with every request.
    pub headers: Vec<Header>,
    /// Bounds for every operation, where the file says so.
    pub timeouts: Option<Timeouts>,
    /// At least one.
    pub scenarios: Vec<Scenario>,
    /// How often each is taken, in proportion to the others; at least 1.
    pub weights: Vec<u32>,
    /// Rows, generated values, and what answers must be.
    pub data: Data,
}

impl Scenarios {
    /// Reads a file of scenarios, or a challenge's file, of which the scenarios alone count. `only`: names of those that are
    /// wanted; none: all.
    ///
    /// # Errors
    /// It cannot be read, it needs a model, it has no such scenario, or a wrong key or value, told with its line.
    pub fn read(path: &Path, only: &[String]) -> Result<Self, PlanError> {
        let text = read_text(path).map_err(|source| PlanError::Read { path: path.to_owned(), source })?;
        Self::parse(&path.display().to_string(), &text, only)
    }

    fn parse(file: &str, text: &str, only: &[String]) -> Result<Self, PlanError> {
        let source = Source { file, text };
        // Only a challenge says who may fight.
        let is_challenge = text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("policy"));
        let mut all = if is_challenge {
            let raw: RawChallenge = raw::read(source)?;
            let resolver = Resolver { source, model: &NoModel, feeders: Vec::new() };
            if let Some(model) = raw.model.as_ref().filter(|model| model.get_ref() != NoModel::NAME) {
                let hint = "hint: drive it by `galo fight`, `galo check` or `galo limit`";
                let what = format!("its requests are made by the model `{}`", model.get_ref());
                return Err(resolver.at(model, format!("{what}\n{hint}")));
            }
            resolve(source, &raw.scenario, &raw.feeder, &raw.headers, Some(&raw.timeouts))?
        } else {
            let raw: RawScenarios = raw::read(source)?;
            resolve(source, &raw.scenario, &raw.feeder, &raw.headers, raw.timeouts.as_ref())?
        };
        // Users that are drawn by weight wait for nobody.
        for scenario in &mut all.scenarios {
            if !std::mem::take(&mut scenario.after).is_empty() && !is_challenge {
                let hint = "hint: leave `after` out, or write a challenge with profiles";
                let what =
                    format!("scenario `{}` waits for another, and each user draws its own", scenario.name);
                return Err(source.error(format!("{what}\n{hint}")));
            }
        }
        all.keep(only).map_err(|error| source.error(error))?;
        Ok(all)
    }

    fn keep(&mut self, only: &[String]) -> Result<(), String> {
        let names: Vec<&str> = self.scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
        if let Some(unknown) = only.iter().find(|name| !names.contains(&name.as_str())) {
            return Err(suggest::unknown("scenario", unknown, &names));
        }
        if !only.is_empty() {
            let kept: Vec<bool> = names.iter().map(|name| only.iter().any(|only| only == name)).collect();
            let (mut of_scenarios, mut of_weights) = (kept.iter(), kept.iter());
            self.scenarios.retain(|_| of_scenarios.next() == Some(&true));
            self.weights.retain(|_| of_weights.next() == Some(&true));
        }
        Ok(())
    }
}

fn resolve(
    source: Source<'_>,
    scenarios: &[RawScenario],
    feeders: &[RawFeeder],
    headers: &raw::Entries<toml::Spanned<String>>,
    timeouts: Option<&RawTimeouts>,
) -> Result<Scenarios, PlanError> {
    let feeders = feeders::resolve(source, feeders, &NoModel)?;
    let resolver = Resolver { source, model: &NoModel, feeders };
    let weight = |raw: &RawScenario| match &raw.weight {
        Some(weight) if *weight.get_ref() == 0 => {
            Err(resolver.at(weight, "the weight is 0\nhint: leave the scenario out"))
        }
        weight => Ok(weight.as_ref().map_or(1, |weight| *weight.get_ref())),
    };
    let headers = resolver.constant_headers(headers)?;
    let timeouts = timeouts.map(|raw| resolver.timeouts(raw)).transpose()?;
    let weights = scenarios.iter().map(weight).collect::<Result<_, _>>()?;
    let (scenarios, data) = resolver.scenarios(scenarios)?;
    Ok(Scenarios { headers, timeouts, scenarios, weights, data })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::capture::Part;
    use crate::model::ChallengeData;
    use crate::template::Encoding;

    const SHOP: &str = r#"
        [[scenario]]
        name = "shop"
        weight = 3
        [[scenario.step]]
        name = "log in"
        request = "POST /login"
        json = { user = "u{seq}", tags = ["a", 1, 1.5, true], at = { "x{{" = "{{}}" } }
        captures = { token = "json /t", self = "link /self" }
        [[scenario.step]]
        name = "self"
        request = "GET {self}"
        headers = { Authorization = "Bearer {token}" }
        [[scenario.step]]
        name = "idle"
        request = "GET /"
        needs = "token"
        [[scenario]]
        name = "other"
        [[scenario.step]]
        name = "home"
        request = "GET /{uuid}/{random:3:3}/{seq}"
    "#;

    fn shop(only: &[&str]) -> Result<Scenarios, String> {
        let only: Vec<String> = only.iter().map(ToString::to_string).collect();
        Scenarios::parse("shop.toml", SHOP, &only).map_err(|error| error.to_string())
    }

    #[test]
    fn who_waits_for_others_does_so_in_a_challenge_alone() {
        let waiting = SHOP.replacen("[[scenario]]", "[[scenario]]\nname = \"first\"\n[[scenario.step]]\nname = \"a\"\nrequest = \"GET /\"\n[[scenario]]\nafter = \"first\"", 1);
        let error = Scenarios::parse("shop.toml", &waiting, &[]).unwrap_err().to_string();
        insta::assert_snapshot!(error, @r"
        shop.toml: scenario `shop` waits for another, and each user draws its own
        hint: leave `after` out, or write a challenge with profiles
        ");
    }

    #[test]
    fn steps_keep_and_need_values_by_slots() {
        let all = shop(&[]).unwrap();
        assert_eq!(all.weights, [3, 1]);
        let [login, own, idle] = &all.scenarios[0].steps[..] else { panic!("three steps") };
        let kept: Vec<_> = login.captures.iter().map(|capture| (capture.slot, capture.of.clone())).collect();
        let link = Part::Link("/self".to_owned());
        assert!(kept.contains(&(0, link.clone())) || kept.contains(&(1, link)), "{kept:?}");
        assert_eq!((&own.needs[..], idle.needs.len(), login.needs.len()), (&[0, 1][..], 1, 0));
        assert_eq!(login.headers[0].name, "Content-Type");
    }

    #[test]
    fn generated_values_need_no_rows_and_are_one_users_own() {
        let all = shop(&["other"]).unwrap();
        assert_eq!((all.scenarios.len(), &all.weights[..]), (1, &[1][..]));
        let data = crate::described::Described::new(all.data.clone(), 7);
        let written = |user| {
            let mut out = Vec::new();
            let scenario = &all.scenarios[0];
            let feeder = scenario.feeder.unwrap();
            scenario.steps[0].target.write(
                &data as &dyn ChallengeData,
                feeder,
                user,
                &[],
                Encoding::Percent,
                &mut out,
            );
            String::from_utf8(out).unwrap()
        };
        assert!(written(5).ends_with("/3/5") && written(5) == written(5) && written(5) != written(6));
    }

    #[test]
    fn json_is_written_as_toml_and_sent_as_json() {
        let all = shop(&["shop"]).unwrap();
        let data = crate::described::Described::new(all.data.clone(), 7);
        let mut out = Vec::new();
        let scenario = &all.scenarios[0];
        let body = scenario.steps[0].body.as_ref().unwrap();
        body.write(&data, scenario.feeder.unwrap(), 4, &[], Encoding::Raw, &mut out);
        let sent: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(sent, serde_json::json!({"user": "u4", "tags": ["a", 1, 1.5, true], "at": {"x{": "{}"}}));
    }

    #[test]
    fn an_unknown_scenario_is_told_with_the_nearest_one() {
        insta::assert_snapshot!(shop(&["shp"]).unwrap_err(), @"shop.toml: unknown scenario `shp`; did you mean `shop`?");
    }

    proptest! {
        #[test]
        fn whatever_a_file_says_it_is_read_or_refused(
            text in ".{0,200}",
            request in "[A-Z]{0,4} ?[/a{}]{0,6}",
            capture in "[a-z/ {}]{0,12}",
        ) {
            let _ = Scenarios::parse("s.toml", &text, &[]);
            let file = format!(
                "[[scenario]]\nname='a'\n[[scenario.step]]\nname='b'\nrequest='{request}'\ncaptures={{a='{capture}'}}"
            );
            if let Ok(all) = Scenarios::parse("s.toml", &file, &[]) {
                let step = &all.scenarios[0].steps[0];
                prop_assert_eq!(step.captures[0].of.to_string(), capture.trim_end());
            }
        }
    }
}
