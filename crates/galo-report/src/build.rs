//! From a run folder to the report: judge each round, then the fight, then write it all down in rounded figures.
//!
//! One round is in memory at a time; what stays of it are its figures and its series.

mod round;
mod usage;

pub(crate) use round::classes;

use galo_judge::{Comparison, Field, Verdict, judge_field, judge_fight, judge_round, settled};
use galo_plan::{ChallengeModel, Contender, Kind, Plan};
use galo_record::{Placement, RecordError, Run, RunHeader};
use galo_words::Both;

use crate::digits::significant;
use crate::report::{
    BudgetReport, ContenderReport, FORMAT, NoiseFloorReport, PlannedService, Report, RoundReport,
    VerdictReport,
};
use crate::series::RoundSeries;
use crate::summary::summaries;
use crate::words::{self, Fight};

/// What `limits_note` says where the caller switched the limits off.
const UNLIMITED: Both =
    Both::word("limits were switched off (--unlimited)", "os limites foram desligados (--unlimited)");
/// ... and where the server ran already.
const STARTED_BY_OTHERS: Both =
    Both::word("galo did not start it, so nothing is limited", "o galo não o iniciou, então nada é limitado");
/// ... and where a round was not limited without saying why.
const UNEXPLAINED: Both = Both::word(
    "not every limit was set, and the round does not say why",
    "nem todo limite foi imposto, e a rodada não diz por quê",
);
/// ... and where there is no round that could tell.
const UNPLACED: Both = Both::word(
    "no contender came up, so no limit could be read back",
    "nenhum competidor subiu, então nenhum limite pôde ser lido de volta",
);

/// Stands for the digest of what a run that is not over sends.
const NOT_TOLD: &str = "-";

/// Rebuilds the report of a run, and the series for its charts, from the run folder alone. `model` makes the rows
/// of its rounds again.
///
/// # Errors
/// A file of the folder that cannot be read or is damaged.
pub fn build(run: &Run, model: &dyn ChallengeModel) -> Result<(Report, Vec<RoundSeries>), RecordError> {
    let plan = &run.plan;
    let mut judgements = Vec::with_capacity(run.len());
    let mut rounds = Vec::with_capacity(run.len());
    let mut series = Vec::with_capacity(run.len());
    let mut limits = Limits::default();
    for index in 0..run.len() {
        let data = run.round(index)?;
        let judgement = judge_round(plan, &*plan.prepare(plan.seed.of_pair(data.record.pair), model), &data);
        limits.see(data.record.placement.as_ref());
        rounds.push(RoundReport::new(plan, &data, &judgement));
        series.push(RoundSeries::new(plan, &data));
        judgements.push(judgement);
    }
    for (round, settled) in rounds.iter_mut().zip(settled(&judgements)) {
        round.standing = settled.standing;
    }
    let (verdict, comparisons) = judge_fight(plan, &judgements);
    let fight = Fight::of(plan, &comparisons);
    let told = Both::told(|lang| words::verdict(&verdict, &fight, lang));
    let mut report = head(&run.header, plan, VerdictReport::new(rounded_verdict(verdict), told));
    report.walls_note = limits.open.take();
    report.limits_told = limits.note(plan);
    report.limits_note = report.limits_told.as_ref().map(|note| note.en.to_string());
    report.limits_enforced = report.limits_note.is_none();
    report.comparisons = comparisons.into_iter().map(rounded_comparison).collect();
    report.field = judge_field(plan, &judgements)
        .map(|field| Field { against: field.against.into_iter().map(rounded_comparison).collect(), ..field });
    for (contender, summary) in report.contenders.iter_mut().zip(summaries(plan, &rounds)) {
        contender.summary = summary;
    }
    report.rounds = rounds;
    report.seed = run.seed_told();
    if !run.is_over {
        // By their digest the rows of a short seed would be found.
        report.data_sha256 = NOT_TOLD.to_owned();
    }
    Ok((report, series))
}

/// What the rounds tell of their limits.
#[derive(Default)]
struct Limits {
    /// Whether any contender came up.
    placed: bool,
    /// Why limits are not enforced, by the first round in which they are not.
    unenforced: Option<Both>,
    /// Why services are not kept apart, by the first round in which they are not.
    open: Option<String>,
}

impl Limits {
    fn see(&mut self, placement: Option<&Placement>) {
        let Some(placement) = placement else { return };
        self.placed = true;
        self.open = self.open.take().or_else(|| placement.walls_note.clone());
        if !placement.limits_enforced && self.unenforced.is_none() {
            self.unenforced = Some(placement.limits_note.clone().map_or(UNEXPLAINED, Both::same));
        }
    }

    /// Why limits are not enforced; `None` where they are.
    fn note(self, plan: &Plan) -> Option<Both> {
        if plan.contenders.iter().any(Contender::runs_already) {
            return Some(STARTED_BY_OTHERS);
        }
        if !plan.limited {
            return Some(UNLIMITED);
        }
        if self.placed { self.unenforced } else { Some(UNPLACED) }
    }
}

/// The part of a report that is known without any round.
fn head(header: &RunHeader, plan: &Plan, verdict: VerdictReport) -> Report {
    let policy = &plan.challenge.policy;
    Report {
        format: FORMAT,
        galo: header.galo.clone(),
        challenge: plan.challenge.name.clone(),
        profile: plan.profile.clone(),
        scale: f64::from(plan.scale_milli) / 1e3,
        seed: String::new(),
        data_sha256: plan.data_sha256.clone(),
        command: header.command.clone(),
        started: header.started.clone(),
        machine: header.machine.clone(),
        limits_enforced: false,
        limits_note: None,
        walls_note: None,
        restarts: match plan.kind {
            Kind::Fight { restarts, .. } if plan.creates() => Some(restarts),
            _ => None,
        },
        budget: BudgetReport { cpus: cpus(policy.cpus_milli), memory_bytes: policy.memory_bytes },
        service_level_ms: plan.challenge.service_level.latency_ns as f64 / 1e6,
        noise_floor: plan.noise_floor.as_ref().map(|floor| NoiseFloorReport {
            ratio: significant(floor.ratio, 4),
            cpu_ratio: significant(floor.cpu_ratio, 4),
            contender: floor.contender.clone(),
            from_run: floor.from_run.display().to_string(),
            measured: floor.measured.clone(),
        }),
        verdict,
        comparisons: Vec::new(),
        field: None,
        contenders: plan.contenders.iter().map(contender).collect(),
        rounds: Vec::new(),
        limits_told: None,
        over_budget: plan.contenders.iter().filter_map(|c| words::beyond_budget(c, policy)).collect(),
    }
}

fn contender(contender: &galo_plan::Contender) -> ContenderReport {
    let services = contender.services.iter();
    ContenderReport {
        name: contender.name.clone(),
        title: contender.title.clone(),
        language: contender.language.clone(),
        file_sha256: contender.file_sha256.clone(),
        runner: contender.runner.word(),
        services: services
            .map(|s| PlannedService {
                name: s.name.clone(),
                cpus: cpus(s.cpus_milli),
                memory_bytes: s.memory_bytes,
            })
            .collect(),
        summary: crate::report::Summary::default(),
    }
}

/// Thousandths of a CPU as CPUs.
fn cpus(milli: u32) -> f64 {
    f64::from(milli) / 1e3
}

fn rounded_verdict(mut verdict: Verdict) -> Verdict {
    if let Verdict::Better { ratio, interval, .. } = &mut verdict {
        *ratio = significant(*ratio, 4);
        *interval = interval.map(|bound| significant(bound, 4));
    }
    verdict
}

fn rounded_comparison(mut comparison: Comparison) -> Comparison {
    comparison.ratio = comparison.ratio.map(|ratio| significant(ratio, 4));
    comparison.interval = comparison.interval.map(|bounds| bounds.map(|bound| significant(bound, 4)));
    comparison.p_value = comparison.p_value.map(|p| significant(p, 4));
    if let Some(told) = &mut comparison.sensitivity {
        told.noise = significant(told.noise, 4);
        told.smallest_ratio = told.smallest_ratio.map(|ratio| significant(ratio, 4));
    }
    comparison
}
