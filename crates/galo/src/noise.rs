//! Noise floors: what a fight of a contender against itself measured is kept for later fights on the same terms.
//!
//! The store is one JSON file in the user's state folder. A fight copies what it takes from there into its plan, so
//! that its report needs the run folder alone.

use std::path::Path;

use anyhow::Result;
use galo_judge::fight::JudgedFight;
use galo_judge::judged::Judged;
use galo_judge::{Comparison, Folded, Verdict};
use galo_plan::plan::NoiseFloor;
use galo_plan::units::format_cpus;
use galo_plan::{Challenge, Contender, Options, Plan};
use galo_record::{AnyRun, RecordError, Run, Seeds};

use crate::exit::WrongUse;
use crate::live::Live;
use crate::output::say;
use crate::registry;
pub(crate) use galo_record::noise::{Floor, Store, Terms};

/// The noise floor that an earlier run measured by letting a contender fight itself.
pub(crate) fn of_run(path: &Path, options: &Options, challenge: &Challenge) -> Result<NoiseFloor> {
    let run = Run::<Plan>::open(path, &Seeds::of_user())?;
    let measured = &run.plan;
    let terms = (&measured.challenge, &measured.profile, measured.scale_milli, measured.limited);
    if terms != (challenge, &options.profile, options.scale_milli, options.limited) {
        return Err(WrongUse(format!(
            "`{}` measured the noise floor of other traffic ({}, profile {}, scale {}{})\nhint: measure it with the \
             same --profile, --scale and limits",
            path.display(),
            measured.challenge.name,
            measured.profile,
            format_cpus(measured.scale_milli),
            if measured.limited { "" } else { ", unlimited" }
        ))
        .into());
    }
    let unknown = || RecordError::UnknownModel(run.plan.challenge.model.clone());
    let model = registry::model(&run.plan.challenge.model).ok_or_else(unknown)?;
    let fight = JudgedFight::judge(&run, model, |_| ())?;
    let ([ratio, cpu_ratio], contender) = measured_by(&run.plan, &fight.comparisons).ok_or_else(|| {
        WrongUse(format!(
            "`{}` measured no noise floor\nhint: make one with at least 6 rounds of a contender against itself: \
             galo fight DIR DIR --rounds 6",
            path.display()
        ))
    })?;
    let (contender, measured) = (contender.name.clone(), run.header.started);
    Ok(NoiseFloor { ratio, cpu_ratio, from_run: path.to_path_buf(), contender, measured })
}

/// The ratios of p99 and of CPU time that a contender showed against itself, and which.
fn measured_by<'a>(plan: &'a Plan, comparisons: &[Comparison]) -> Option<([f64; 2], &'a Contender)> {
    let ratios = galo_judge::noise_floor(plan, comparisons)?;
    let name = &comparisons.first()?.contenders[0];
    Some((ratios, plan.contenders.iter().find(|c| c.name == *name)?))
}

/// Whether a contender fights itself, so that the fight measures a noise floor and needs none.
fn measures_itself(plan: &Plan) -> bool {
    let [first, others @ ..] = plan.contenders.as_slice() else { return false };
    others.iter().any(|other| first.is_same(other))
}

/// The largest noise floor that the store knows of a plan's contenders on these terms. A store that cannot be used is told, and
/// keeps no fight from being driven.
pub(crate) fn known_floor(plan: &Plan, store: &Store, terms: &Terms, live: &Live) -> Option<NoiseFloor> {
    if measures_itself(plan) {
        return None;
    }
    let known = store.read().unwrap_or_else(|problem| {
        say(&format!("noise floors are not used: {problem}"));
        Vec::new()
    });
    let of = |contender: &Contender| known.iter().find(|floor| floor.is_of(contender, terms));
    let (with, without): (Vec<_>, Vec<_>) = plan.contenders.iter().partition(|c| of(c).is_some());
    let floor = with.into_iter().filter_map(of).max_by(|a, b| a.ratio.total_cmp(&b.ratio))?;
    let unknown: Vec<_> = without.iter().map(|c| format!("; that of {} is not known", c.name)).collect();
    live.line(&format!(
        "noise floor {:.3} (CPU {:.3}): {} against itself, by galo {} on {}, in {}{} (--no-noise-floor ignores it)",
        floor.ratio,
        floor.cpu_ratio,
        floor.contender,
        floor.galo,
        floor.measured,
        floor.from_run.display(),
        unknown.concat()
    ));
    Some(floor.copied())
}

/// Keeps the noise floor that a finished fight of a contender against itself measured; what to tell of it, if anything.
pub(crate) fn keep(store: &Store, terms: Terms, folded: &Folded) -> Option<String> {
    let (AnyRun::Contenders(run), Judged::Fight(fight)) = (&folded.run, &folded.judged) else { return None };
    let ([ratio, cpu_ratio], contender) = measured_by(&run.plan, &fight.comparisons)?;
    if matches!(fight.verdict, Verdict::Void { .. } | Verdict::VoidTooOften { .. })
        || contender.file_sha256.is_empty()
    {
        return None;
    }
    let floor = Floor {
        contender: contender.name.clone(),
        file_sha256: contender.file_sha256.clone(),
        terms,
        ratio,
        cpu_ratio,
        pairs: fight.comparisons.first().map_or(0, |c| c.ratios.pairs),
        measured: run.header.started.clone(),
        galo: run.header.galo.clone(),
        // Whoever reads it may stand elsewhere.
        from_run: run.path.canonicalize().unwrap_or_else(|_| run.path.clone()),
    };
    Some(match store.keep(floor) {
        Ok(kept) => {
            let aside = kept.aside.map_or_else(String::new, |(aside, problem)| {
                format!("\nwhat was there is now {}: {problem}", aside.display())
            });
            let path = kept.path.display();
            format!(
                "noise floor {ratio:.3} (CPU {cpu_ratio:.3}) of {} is kept for later fights on these terms ({path}){aside}",
                contender.name
            )
        }
        Err(problem) => format!("noise floor {ratio:.3} of {} is not kept: {problem}", contender.name),
    })
}

#[cfg(test)]
mod tests {
    use galo_judge::Folding;
    use galo_record::RunWriter;

    use super::*;
    use crate::live::Room;
    use crate::registry;
    use crate::watched::Watched;

    fn plan(contenders: &[&str]) -> Plan {
        let registry::Definition { challenge, model } = registry::challenge(registry::BUILT_IN).unwrap();
        let contender = |(number, file): (usize, &&str)| {
            let address = ([127, 0, 0, 1], number as u16 + 1).into();
            let contender = Contender::at_address(address, &challenge.name);
            Contender { file_sha256: (*file).to_owned(), name: (*file).to_owned(), ..contender }
        };
        let contenders = contenders.iter().enumerate().map(contender).collect();
        let options = Options {
            profile: "check".to_owned(),
            scale_milli: 1000,
            rounds: 6,
            seed: galo_plan::Seed::of_number(1),
            limited: true,
            noise_floor: None,
        };
        Plan::new(challenge, model, contenders, &options).unwrap()
    }

    fn terms(enforced: bool) -> Terms {
        Terms::for_plan(&plan(&[]), enforced, &galo_record::Machine::default())
    }

    fn known() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path());
        for (file, ratio) in [("a", 1.02), ("b", 1.05), ("c", 1.5)] {
            let floor = Floor {
                contender: file.to_owned(),
                file_sha256: file.to_owned(),
                terms: terms(true),
                ratio,
                cpu_ratio: 1.0,
                pairs: 6,
                measured: "2026-01-02T03:04:05Z".to_owned(),
                galo: "0.1.0".to_owned(),
                from_run: format!("/runs/{file}").into(),
            };
            store.keep(floor).unwrap();
        }
        (folder, store)
    }

    /// The run from which such a fight takes its floor.
    fn taken(contenders: &[&str], terms: &Terms) -> Option<String> {
        let (_folder, store) = known();
        let floor =
            known_floor(&plan(contenders), &store, terms, &Live::start(Room::Nothing, &Watched::default()));
        floor.map(|floor| format!("{} {}", floor.ratio, floor.from_run.display()))
    }

    #[test]
    fn a_fight_takes_the_larger_floor_of_its_own_contenders_on_its_own_terms() {
        let same = terms(true);
        assert_eq!(taken(&["a", "b"], &same).as_deref(), Some("1.05 /runs/b"));
        assert_eq!(taken(&["a", "unknown"], &same).as_deref(), Some("1.02 /runs/a"));
        assert_eq!(taken(&["x", "y"], &same), None);
        assert_eq!(taken(&["a", "b"], &terms(false)), None, "measured under limits, fought without");
    }

    #[test]
    fn a_contender_against_itself_measures_anew() {
        assert_eq!(taken(&["a", "a"], &terms(true)), None);
    }

    #[test]
    fn what_containers_show_against_themselves_says_nothing_of_processes() {
        let mut contained = plan(&["a", "b"]);
        contained.contenders.iter_mut().for_each(|contender| contender.runner = galo_plan::Runner::Docker);
        let machine = galo_record::Machine::default();
        assert_ne!(Terms::for_plan(&contained, true, &machine), terms(true));
        let mut both = plan(&["a", "a"]);
        both.contenders[1].runner = galo_plan::Runner::Docker;
        assert!(!measures_itself(&both));
        assert_ne!(Terms::for_plan(&both, true, &machine), Terms::for_plan(&contained, true, &machine));
    }

    #[test]
    fn a_store_that_cannot_be_read_keeps_nobody_from_fighting() {
        let (folder, store) = known();
        std::fs::write(folder.path().join("noise-floors.json"), "{").unwrap();
        let floor = known_floor(
            &plan(&["a", "b"]),
            &store,
            &terms(true),
            &Live::start(Room::Nothing, &Watched::default()),
        );
        assert_eq!(floor, None);
    }

    #[test]
    fn a_fight_of_two_contenders_or_of_too_few_rounds_keeps_nothing() {
        let (folder, store) = known();
        let before = std::fs::read(folder.path().join("noise-floors.json")).unwrap();
        let header = crate::session::header(galo_record::Machine::default());
        let seeds = Seeds::at(&folder.path().join("seeds"));
        for (number, contenders) in [["a", "b"], ["a", "a"]].into_iter().enumerate() {
            let path = folder.path().join(number.to_string());
            RunWriter::create(&path, &header, &plan(&contenders), &seeds).unwrap();
            let mut folding = Folding { seeds: &seeds, model: &registry::model, see: &mut |_, _| () };
            let folded = Folded::open(&path, &mut folding).unwrap();
            assert_eq!(keep(&store, terms(true), &folded), None);
        }
        assert_eq!(std::fs::read(folder.path().join("noise-floors.json")).unwrap(), before);
    }

    #[test]
    fn a_challenge_from_a_file_is_known_by_what_it_says() {
        let of = |model: &str, port| {
            let mut plan = plan(&["a"]);
            (plan.challenge.model, plan.challenge.policy.port) = (model.to_owned(), port);
            Terms::for_plan(&plan, true, &galo_record::Machine::default())
        };
        let from_file = |port| of(galo_plan::NoModel::NAME, port);
        assert_eq!(of("pessoas", 9999), of("pessoas", 9998));
        assert_ne!(from_file(9999), from_file(9998));
        assert_eq!(from_file(9999), from_file(9999));
    }
}
