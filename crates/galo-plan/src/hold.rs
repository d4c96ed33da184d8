//! Holds: constant traffic at the rates with which a profile ends, times a scale, one after another at the same contender.
//!
//! Users of a later hold go on where those of the earlier ended, so no row is ever sent twice, and what a row must get
//! is the same as in a plan that sent all of them.

use std::net::SocketAddr;
use std::time::Duration;

use crate::challenge::Connection;
use crate::error::PlanError;
use crate::injection::Injection;
use crate::load::{Arrivals, LoadPlan, Pick, Pool, Source};
use crate::model::ChallengeModel;
use crate::plan::Plan;

/// Makes one load after another of a plan's scenarios.
pub struct Holds<'a> {
    plan: &'a Plan,
    model: &'a dyn ChallengeModel,
    /// Number of the next user, by scenario.
    next: Vec<u64>,
}

/// The rate at which one scenario is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeldRate {
    /// Index into the challenge's scenarios.
    pub scenario: usize,
    /// In millionths of a user per second.
    pub rate_micro: u64,
}

impl Plan {
    /// The rate with which each scenario of the profile ends, times a scale in thousandths, but for those that have ended before.
    pub fn held_rates(&self, scale_milli: u64) -> Vec<HeldRate> {
        let scaled = |micro: u64| (u128::from(micro) * u128::from(scale_milli) + 500) / 1000;
        let rate = |micro: u64| u64::try_from(scaled(micro)).unwrap_or(u64::MAX);
        let rates = self.scenarios().filter_map(|(scenario, _, traffic)| {
            Some(HeldRate { scenario, rate_micro: rate(traffic.flow.injection()?.final_rate_micro()) })
        });
        rates.filter(|held| held.rate_micro > 0).collect()
    }

    /// How many things a contender holds at the end of the whole profile at a scale: the least that a correct one
    /// acknowledges in the compared scenarios.
    pub fn held_at_end(&self, scale_milli: u64) -> u64 {
        let things = u128::from(self.ceiling.min) * u128::from(scale_milli);
        u64::try_from(things.div_ceil(1000)).unwrap_or(u64::MAX)
    }

    /// How many rows it takes for so many things to be created: some rows are refused, and some of two are one.
    pub fn rows_for(&self, things: u64) -> u64 {
        let users = self.creating_scenario().and_then(|scenario| self.traffic.get(scenario)?.as_ref());
        let users = users.map_or(0, |traffic| traffic.users);
        let rows = u128::from(things) * u128::from(users);
        u64::try_from(rows.div_ceil(u128::from(self.ceiling.min.max(1)))).unwrap_or(u64::MAX)
    }

    /// How many users of a hold create something.
    pub fn creating_users(&self, scale_milli: u64, length: Duration) -> u64 {
        let rates = self.held_rates(scale_milli);
        let rate = rates.iter().find(|rate| Some(rate.scenario) == self.creating_scenario());
        rate.map_or(0, |rate| Injection::constant(rate.rate_micro, length).users())
    }

    /// Index of the first compared scenario of the profile that creates.
    pub fn creating_scenario(&self) -> Option<usize> {
        let creates = |index: usize| self.challenge.scenarios[index].steps.iter().any(|step| step.creates);
        self.scenarios()
            .find_map(|(index, scenario, _)| (scenario.compared && creates(index)).then_some(index))
    }
}

impl<'a> Holds<'a> {
    /// Holds of a plan's profile, of which none was driven yet. The plan is of scale 1.
    pub fn new(plan: &'a Plan, model: &'a dyn ChallengeModel) -> Self {
        Self { plan, model, next: vec![0; plan.challenge.scenarios.len()] }
    }

    /// What a hold sends, and takes its rows.
    ///
    /// # Errors
    /// All holds together have more users than a history can number.
    pub fn hold(
        &mut self,
        scale_milli: u64,
        length: Duration,
        target: SocketAddr,
    ) -> Result<LoadPlan, PlanError> {
        let mut sources = Vec::new();
        for HeldRate { scenario, rate_micro } in self.plan.held_rates(scale_milli) {
            let injection = Injection::constant(rate_micro, length);
            let first_user = self.take(scenario, injection.users())?;
            sources.push(Source { first_user, ..Source::open(scenario, injection) });
        }
        let data = self.plan.prepare_for(&self.next, self.model);
        Ok(LoadPlan::of_sources(self.plan, self.plan.seed, sources, data, target))
    }

    /// Creations alone, in a closed loop on as many connections: the first step that creates of the first compared
    /// scenario with one, without a pause. Takes `total` rows. `None`: no scenario of the profile creates anything.
    ///
    /// # Errors
    /// As [`Self::hold`].
    pub fn creations(
        &mut self,
        users: u32,
        total: u64,
        target: SocketAddr,
    ) -> Result<Option<LoadPlan>, PlanError> {
        let Some(creating) = self.plan.creating_scenario() else { return Ok(None) };
        let source = Source {
            arrivals: Arrivals::Closed { users, total: Some(total), duration_ns: None },
            scenarios: vec![creating],
            pick: Pick::InTurn,
            first_user: self.take(creating, total)?,
            after: Vec::new(),
        };
        let data = self.plan.prepare_for(&self.next, self.model);
        let mut plan = LoadPlan::of_sources(self.plan, self.plan.seed, vec![source], data, target);
        plan.pool = Pool { connections: users, streams: 1 };
        let scenario = &mut plan.scenarios[creating];
        scenario.connection = Connection::Shared;
        scenario.steps.retain(|step| step.creates);
        scenario.steps.truncate(1);
        scenario.steps.iter_mut().for_each(|step| step.pause_ns = None);
        Ok(Some(plan))
    }

    /// The number of the first of so many users, who are then taken.
    fn take(&mut self, scenario: usize, users: u64) -> Result<u64, PlanError> {
        let first = self.next[scenario];
        let next = first.saturating_add(users);
        if next > u64::from(u32::MAX) {
            let name = &self.plan.challenge.scenarios[scenario].name;
            return Err(PlanError::Invalid(format!(
                "scenario `{name}`: {next} users are more than a history can number\nhint: begin nearer to the \
                 limit, or choose shorter holds"
            )));
        }
        self.next[scenario] = next;
        Ok(first)
    }
}

#[cfg(test)]
mod tests;
