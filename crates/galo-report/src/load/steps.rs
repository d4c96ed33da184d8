//! The steps of scenarios, where a load is of users who do several things.

use galo_plan::{LoadPlan, Scenario};
use schemars::JsonSchema;
use serde::Serialize;

use super::{LoadReport, UrlReport};
use galo_record::Ledger;
use galo_record::Percentiles;

/// Users of scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct UsersReport {
    /// How many began.
    pub begun: u64,
    /// How many were to arrive each second, where that was one rate.
    pub asked_per_s: Option<f64>,
}

/// One step of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StepReport {
    /// The scenario's name.
    pub scenario: String,
    /// The step's name.
    pub step: String,
    /// Users who did not come to it: they had not been given what it sends, or the load ended before.
    pub left_out: u64,
    /// Operations by result.
    pub ledger: Ledger,
    /// Latency from the intended start, of everything that ended.
    pub latency: Percentiles,
    /// Latency from the actual send, of right answers.
    pub service_time: Percentiles,
}

/// Which step a part of a load is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepName {
    scenario: String,
    step: String,
    /// Whether it is its scenario's first.
    is_first: bool,
}

impl StepName {
    /// All steps of a plan, by flat number.
    pub fn all(plan: &LoadPlan) -> Vec<Self> {
        let of = |scenario: &Scenario| {
            let name = scenario.name.clone();
            let steps = scenario.steps.iter().enumerate();
            steps
                .map(|(index, step)| Self {
                    scenario: name.clone(),
                    step: step.name.clone(),
                    is_first: index == 0,
                })
                .collect::<Vec<_>>()
        };
        plan.scenarios.iter().flat_map(of).collect()
    }

    /// As it is told where requests have one name.
    pub fn told(&self) -> String {
        format!("{}: {}", self.scenario, self.step)
    }
}

impl LoadReport {
    /// Enters that its parts are these steps, asked at this address by users of whom so many were to arrive each second.
    pub fn of_steps(&mut self, url: &str, names: &[StepName], asked_per_s: Option<f64>) {
        url.clone_into(&mut self.url);
        self.asked_per_s = None;
        let mut parts = std::mem::take(&mut self.urls);
        if let ([name], true) = (names, parts.is_empty()) {
            let (ledger, latency, service_time) = (self.ledger, self.latency, self.service_time);
            parts.push(UrlReport { url: name.told(), ledger, latency, service_time });
        }
        let (mut users, mut begun) = (0, 0);
        for (name, part) in names.iter().zip(parts) {
            if name.is_first {
                users = part.ledger.intended;
                begun += users;
            }
            self.steps.push(StepReport {
                scenario: name.scenario.clone(),
                step: name.step.clone(),
                left_out: users.saturating_sub(part.ledger.intended),
                ledger: part.ledger,
                latency: part.latency,
                service_time: part.service_time,
            });
        }
        self.users = Some(UsersReport { begun, asked_per_s });
    }
}
