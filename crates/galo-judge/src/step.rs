//! Steps of a challenge as people find them.

use galo_plan::JsonSchema;
use galo_plan::Plan;
use galo_words::{Lang, say};
use serde::{Deserialize, Serialize};

/// A step as people find it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct StepName {
    /// Name of its scenario; null where the challenge has no step of this number.
    pub scenario: Option<String>,
    /// Its name, or its flat number.
    pub step: String,
}

impl StepName {
    /// Name of the step with this flat number.
    pub(crate) fn of(plan: &Plan, number: usize) -> Self {
        match plan.challenge.steps().nth(number) {
            Some((scenario, step)) => Self { scenario: Some(scenario.name.clone()), step: step.name.clone() },
            None => Self { scenario: None, step: number.to_string() },
        }
    }

    /// The step in a sentence: `` `create and read: create` ``.
    pub fn sentence(&self, lang: Lang) -> String {
        let step = &self.step;
        match &self.scenario {
            Some(scenario) => format!("`{scenario}: {step}`"),
            None => say!(lang, "step number {step}", "passo número {step}"),
        }
    }
}
