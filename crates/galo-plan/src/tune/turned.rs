//! What may be turned of a contender: shares of CPU, and dials.

use super::reached::Reached;
use super::{Dial, LEAST_CPUS_MILLI, Range, STEP_CPUS_MILLI, Share, TunePlan};
use crate::contender::Contender;
use crate::error::PlanError;
use crate::instances;
use crate::knob::{Knob, Turn, Values};
use crate::units::{format_cpus, parse_bytes, parse_cpus_milli};

/// Between ends that are so far apart a knob goes by factors.
const BY_FACTORS_FROM: f64 = 4.0;

impl TunePlan {
    /// What may be turned of a contender: the knobs that its file declares and those that are asked for, and with a budget of CPU the
    /// shares of it. A knob of the CPU of services bounds their shares.
    ///
    /// # Errors
    /// A knob that is none, two that turn the same, a range that cannot be read, or no split keeps within the budget; with what to do.
    pub fn turned(
        contender: &Contender,
        cpus_milli: Option<u32>,
        asked: &[Knob],
    ) -> Result<(Vec<Share>, Vec<Dial>), PlanError> {
        if let Some(Knob { name, .. }) = asked.iter().find(|knob| is_of_traffic(knob)) {
            return Err(PlanError::Invalid(format!(
                "knob `{name}`: it is of the traffic, which is the same for all tries\nhint: give it as --{name}"
            )));
        }
        let mut shares = cpus_milli.map_or_else(Vec::new, |milli| shares(contender, milli));
        let mut dials = Vec::new();
        for reached in Reached::all(contender, &shares, asked)? {
            let wrong = |error: String| PlanError::Invalid(format!("knob `{}`: {error}", reached.knob.name));
            let of_cpus = reached.services_of_cpus();
            match (cpus_milli, reached.is_of_cpus()) {
                (Some(_), true) => bound(&mut shares, &of_cpus, &reached).map_err(wrong)?,
                (None, true) => {
                    let hint = "hint: leave --no-shares out";
                    return Err(wrong(format!(
                        "it bounds a share of CPU, and all shares are to stay as they are\n{hint}"
                    )));
                }
                (_, false) if of_cpus.is_empty() => dials.push(dial(&reached).map_err(wrong)?),
                (_, false) => {
                    let hint = "hint: declare the CPU as a knob of its own";
                    return Err(wrong(format!("it turns CPU and something else\n{hint}")));
                }
            }
        }
        let least: u32 = shares.iter().map(|share| share.bounds_milli[0] * share.services.len() as u32).sum();
        if let Some(budget) = cpus_milli.filter(|budget| least > *budget) {
            let (least, budget) = (format_cpus(least), format_cpus(budget));
            return Err(PlanError::Invalid(format!(
                "the least shares together take {least} CPU of {budget}, so no split keeps within the budget\nhint: lower the \
                 ranges of CPU, or raise the limits of the file"
            )));
        }
        if shares.len() < 2 && dials.is_empty() {
            let hint = "hint: name a knob, --knob 'api*.env.POOL=2..100', or declare one in its file that is not CPU";
            return Err(PlanError::Invalid(format!(
                "there is nothing to turn: no shares and no knob beside them\n{hint}"
            )));
        }
        Ok((shares, dials))
    }
}

/// Services by who is an instance of one thing, the one with the most CPU first.
fn shares(contender: &Contender, cpus_milli: u32) -> Vec<Share> {
    let mut parts: Vec<Vec<&crate::Service>> = instances::groups(&contender.services);
    for service in &contender.services {
        if !parts.iter().flatten().any(|known| known.name == service.name) {
            parts.push(vec![service]);
        }
    }
    let mut shares: Vec<Share> = parts
        .iter()
        .map(|part| Share {
            services: part.iter().map(|service| service.name.clone()).collect(),
            cpus_milli: part.iter().map(|service| service.cpus_milli).max().unwrap_or(0),
            bounds_milli: [LEAST_CPUS_MILLI, cpus_milli],
        })
        .collect();
    shares.sort_by_key(|share| std::cmp::Reverse(share.cpus_milli));
    shares
}

fn is_of_traffic(knob: &Knob) -> bool {
    Turn { knob: knob.name.clone(), value: String::new() }.is_of_traffic()
}

/// Bounds the shares of these services by a knob.
fn bound(shares: &mut [Share], services: &[String], of: &Reached) -> Result<(), String> {
    let name = &of.knob.name;
    let [low, high] = match &of.knob.values {
        Values::Between([low, high]) => [parse_cpus_milli(low)?, parse_cpus_milli(high)?],
        Values::Each(values) if of.is_asked => {
            let hint = format!("hint: write {name}={}..{}", values[0], values[values.len() - 1]);
            return Err(format!("shares of CPU are found between two ends\n{hint}"));
        }
        // A file lists values for sweeps.
        Values::Each(values) => {
            let milli = values.iter().map(|value| parse_cpus_milli(value)).collect::<Result<Vec<_>, _>>()?;
            milli.iter().fold([u32::MAX, 0], |[low, high], &milli| [low.min(milli), high.max(milli)])
        }
    };
    if low > high {
        return Err("its range ends below its beginning".to_owned());
    }
    if high < STEP_CPUS_MILLI {
        let least = format_cpus(STEP_CPUS_MILLI);
        return Err(format!(
            "its range ends below {least} CPU, the least share\nhint: end it at {least} or above"
        ));
    }
    for share in shares.iter_mut().filter(|share| share.services.iter().any(|name| services.contains(name))) {
        share.bounds_milli = [low.max(STEP_CPUS_MILLI), high];
    }
    Ok(())
}

fn dial(of: &Reached) -> Result<Dial, String> {
    let Reached { knob, reach, .. } = of;
    let range = range(knob, of.is_of_memory())?;
    Ok(Dial { knob: knob.name.clone(), to: reach.places.clone(), own: reach.own.clone(), range })
}

fn range(knob: &Knob, is_memory: bool) -> Result<Range, String> {
    let ends = match &knob.values {
        Values::Each(values) if values.len() < 2 => {
            let hint = "hint: write a range, LOW..HIGH, or several values, A,B,C";
            return Err(format!("it has one value, `{}`, so there is nothing to turn\n{hint}", values[0]));
        }
        Values::Each(values) => return Ok(Range::Each(values.clone())),
        Values::Between(ends) => ends,
    };
    let number = |text: &String| -> Result<f64, String> {
        if is_memory {
            return parse_bytes(text).map(|bytes| bytes as f64);
        }
        text.parse::<f64>().ok().filter(|number| number.is_finite()).ok_or(format!("`{text}` is no number"))
    };
    let [low, high] = [number(&ends[0])?, number(&ends[1])?];
    if low >= high {
        return Err("its range ends where it begins, or below".to_owned());
    }
    let decimals = |text: &String| text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let decimals = if is_memory { 0 } else { ends.iter().map(decimals).max().unwrap_or(0).min(9) as u8 };
    Ok(Range::Between { ends: [low, high], by_factors: low > 0.0 && high / low >= BY_FACTORS_FROM, decimals })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reading;
    use crate::challenge::Policy;

    fn knob(text: &str) -> Knob {
        Knob::parse(text).unwrap()
    }

    #[test]
    fn values_go_by_factors_where_the_ends_are_far_apart() {
        let pool = range(&knob("pool=2..200"), false).unwrap();
        assert_eq!([0.0, 0.5, 1.0].map(|at| pool.value(at)), ["2", "20", "200"]);
        assert!((pool.at("20").unwrap() - 0.5).abs() < 1e-9);
        let near = range(&knob("share=0.20..0.60"), false).unwrap();
        assert_eq!([0.0, 0.5, 1.0].map(|at| near.value(at)), ["0.20", "0.40", "0.60"]);
        let memory = range(&knob("db.memory=256MB..1GB"), true).unwrap();
        assert_eq!(memory.value(0.0), "268435456");
        assert!((memory.at("512MB").unwrap() - 0.5).abs() < 1e-9);
        let some = range(&knob("gc=none,full,some"), false).unwrap();
        assert_eq!([0.0, 0.4, 1.0].map(|at| some.value(at)), ["none", "full", "some"]);
        assert_eq!(some.at("full").map(|at| some.value(at)), Some("full".to_owned()));
        assert_eq!(some.at("other"), None);
        let pools = range(&knob("pool=1,5,25,100"), false).unwrap();
        assert_eq!(["1", "20", "25", "200"].map(|value| pools.at(value)), [0.125, 0.5, 0.625, 1.0].map(Some));
    }

    #[test]
    fn ranges_that_are_none_are_told() {
        for (text, wanted) in [
            ("pool=4..2", "ends where it begins, or below"),
            ("pool=1..b", "`b` is no number"),
            ("pool=a..b", "it has one value, `a..b`"),
        ] {
            assert!(range(&knob(text), false).unwrap_err().contains(wanted), "{text}");
        }
    }

    /// The start of a file with two instances and a database; with these lines under `knobs:`.
    fn turned(
        knobs: &str,
        cpus_milli: Option<u32>,
        asked: &[&str],
    ) -> Result<(Vec<Share>, Vec<Dial>), String> {
        let service = |name: &str, cpus: &str| {
            let limits = format!("limits: {{ cpus: \"{cpus}\", memory: 256MB }}");
            format!(
                "  {name}: {{ deploy: {{ resources: {{ {limits} }} }}, x-galo: {{ command: ./{name} }} }}\n"
            )
        };
        let services =
            [("db", "0.6"), ("api1", "0.3"), ("api2", "0.3")].map(|(name, cpus)| service(name, cpus));
        let text =
            format!("x-galo:\n  challenge: pessoas\n  knobs:\n{knobs}services:\n{}", services.concat());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("compose.yaml");
        std::fs::write(&file, text).unwrap();
        let policy = Policy::of_budget(9999, 1500, 3072 << 20);
        let contender = Contender::load(&file, &Reading::untrusted(&policy)).unwrap();
        let asked: Vec<Knob> = asked.iter().map(|text| knob(text)).collect();
        let turned = TunePlan::turned(&contender, cpus_milli, &asked);
        turned.map_err(|error| error.to_string().replace(&*file.to_string_lossy(), "compose.yaml"))
    }

    /// The bounds of each share, and the knob of each dial.
    fn told((shares, dials): (Vec<Share>, Vec<Dial>)) -> (Vec<(String, [u32; 2])>, Vec<String>) {
        let shares = shares.iter().map(|share| (share.name(), share.bounds_milli));
        (shares.collect(), dials.into_iter().map(|dial| dial.knob).collect())
    }

    const SHARE: &str = "    share: { to: [api1.cpus, api2.cpus], range: 0.1..0.5 }\n";
    const POOL: &str = "    pool: { to: 'api*.env.POOL', range: 1..100 }\n";

    #[test]
    fn a_declared_knob_of_cpu_bounds_its_shares_and_is_no_dial() {
        let all = |knobs: &str| told(turned(knobs, Some(1500), &[]).unwrap());
        let shares = |db, api| vec![("db.cpus".to_owned(), db), ("api1+api2.cpus".to_owned(), api)];
        let free = [LEAST_CPUS_MILLI, 1500];
        assert_eq!(all(SHARE), (shares(free, [100, 500]), vec![]));
        // A list is for sweeps; its ends may lie beyond the budget.
        let listed = "    database: { to: db.cpus, values: [2, 0.6] }\n";
        assert_eq!(all(listed), (shares([600, 2000], free), vec![]));
        // Where all shares stay, it turns nothing.
        let (kept, dials) = turned(&format!("{SHARE}{POOL}"), None, &[]).unwrap();
        assert_eq!((kept.len(), dials[0].knob.as_str(), dials.len()), (0, "pool", 1));
        let memory = turned("    memory: { to: db.memory, range: 256MB..1GB }\n", None, &[]).unwrap().1;
        assert_eq!(memory[0].range.value(0.0), "268435456");
    }

    #[test]
    fn an_asked_knob_replaces_the_declared_ones_that_turn_the_same() {
        let all = |asked: &str| told(turned(&format!("{SHARE}{POOL}"), Some(1500), &[asked]).unwrap());
        let api = |(shares, dials): (Vec<(String, [u32; 2])>, Vec<String>)| (shares[1].1, dials);
        assert_eq!(api(all("pool=2..4")), ([100, 500], vec!["pool".to_owned()]));
        assert_eq!(api(all("api1.env.POOL=1..200")), ([100, 500], vec!["api1.env.POOL".to_owned()]));
        for share in ["share=0.2..0.3", "api1.cpus=0.2..0.3", "api*.cpus=0.2..0.3"] {
            assert_eq!(api(all(share)), ([200, 300], vec!["pool".to_owned()]), "{share}");
        }
    }

    #[test]
    fn knobs_that_cannot_be_turned_are_refused_with_what_to_do() {
        let refused = |knobs: &str, asked: &[&str]| turned(knobs, Some(1500), asked).unwrap_err();
        insta::assert_snapshot!(refused(SHARE, &["api1.cpus=0.1..0.2", "api2.cpus=0.1..0.2"]), @"
        knobs `api1.cpus` and `api2.cpus` both turn `api1+api2.cpus`
        hint: leave one of them out
        ");
        insta::assert_snapshot!(refused(SHARE, &["db.env.A=1..9", "db.env.A=2..9"]), @"
        knob `db.env.A` is named twice
        hint: write its range in one place
        ");
        insta::assert_snapshot!(refused(&format!("{POOL}    one: {{ to: api1.env.POOL, range: 1..9 }}\n"), &[]), @"
        knobs `pool` and `one` both turn `api1.env.POOL`
        hint: name the one to turn, --knob pool=LOW..HIGH
        ");
        insta::assert_snapshot!(refused("    both: { to: [db.cpus, db.memory], range: 1..2 }\n", &[]), @"
        knob `both`: it turns CPU and something else
        hint: declare the CPU as a knob of its own
        ");
        insta::assert_snapshot!(refused(SHARE, &["api1.cpus=0..0.005"]), @"
        knob `api1.cpus`: its range ends below 0.01 CPU, the least share
        hint: end it at 0.01 or above
        ");
        insta::assert_snapshot!(refused(SHARE, &["api1.cpus=0.5..0.1"]), @"knob `api1.cpus`: its range ends below its beginning");
        insta::assert_snapshot!(refused(SHARE, &["share=0.1,0.5"]), @"
        knob `share`: shares of CPU are found between two ends
        hint: write share=0.1..0.5
        ");
        insta::assert_snapshot!(refused(SHARE, &["dc.cpus=0.1..0.5"]), @"compose.yaml: knob `dc.cpus`: unknown service `dc`; did you mean `db`?");
        insta::assert_snapshot!(turned(SHARE, None, &["share=0.1..0.5"]).unwrap_err(), @"
        knob `share`: it bounds a share of CPU, and all shares are to stay as they are
        hint: leave --no-shares out
        ");
    }
}
