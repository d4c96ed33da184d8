//! The plan as the engine threads use it: what every request of a step has in common is written once.

use std::io::Write as _;
use std::net::SocketAddr;

use galo_plan::challenge::Connection;
use galo_plan::model::ChallengeData;
use galo_plan::template::{Encoding, Part, Template};
use galo_plan::{Challenge, Step};

/// Statuses up to this one can be accepted.
const STATUSES: usize = 600;

/// One scenario.
#[derive(Debug)]
pub(crate) struct ScenarioScript<'p> {
    /// Index into the model's feeders; meaningless where no row is used.
    pub(crate) feeder: usize,
    pub(crate) connection: Connection,
    pub(crate) steps: Vec<StepScript<'p>>,
}

/// One step.
#[derive(Debug)]
pub(crate) struct StepScript<'p> {
    pub(crate) step: &'p Step,
    /// Flat number.
    pub(crate) flat: u8,
    /// Whether its answers have no body.
    pub(crate) is_head: bool,
    /// `METHOD `.
    start: String,
    /// From behind the target to the end of the constant headers.
    common: String,
    /// Whether a `Content-Length` is to be written.
    sized: bool,
    accepted: Vec<bool>,
}

/// Who asks: what a request needs to know of its user.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asker<'u> {
    pub(crate) feeder: usize,
    pub(crate) row: u64,
    /// Empty where nothing was captured.
    pub(crate) location: &'u [u8],
}

/// All scenarios, by the challenge's index.
pub(crate) fn scenarios(challenge: &Challenge, target: SocketAddr) -> Vec<ScenarioScript<'_>> {
    let mut flat = 0u8;
    let mut scripts = Vec::with_capacity(challenge.scenarios.len());
    for scenario in &challenge.scenarios {
        let mut steps = Vec::with_capacity(scenario.steps.len());
        for step in &scenario.steps {
            steps.push(StepScript::new(step, flat, &challenge.headers, target));
            flat = flat.wrapping_add(1);
        }
        let feeder = scenario.feeder.unwrap_or(0);
        scripts.push(ScenarioScript { feeder, connection: scenario.connection, steps });
    }
    scripts
}

impl<'p> StepScript<'p> {
    fn new(step: &'p Step, flat: u8, headers: &[(String, String)], target: SocketAddr) -> Self {
        let own = |name: &str| step.headers.iter().any(|(own, _)| own.eq_ignore_ascii_case(name));
        // What a step sends of its own takes the place of what all steps send.
        let all = || headers.iter().filter(|(name, _)| !own(name)).chain(&step.headers);
        let given = |wanted: &str| {
            all().filter(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value).next_back()
        };
        // A request has exactly one Host (RFC 9112, section 3.2), so the last one that the plan gives counts alone.
        let host = given("host").cloned().unwrap_or_else(|| target.to_string());
        let mut common = format!(" HTTP/1.1\r\nHost: {host}\r\n");
        for (name, value) in all().filter(|(name, _)| !name.eq_ignore_ascii_case("host")) {
            common.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut accepted = vec![false; STATUSES];
        for &status in &step.statuses {
            if let Some(place) = accepted.get_mut(usize::from(status)) {
                *place = true;
            }
        }
        // RFC 9110, section 8.6: methods that expect a body say so even where it is empty.
        let expects_body = matches!(step.method.as_str(), "POST" | "PUT" | "PATCH");
        Self {
            step,
            flat,
            is_head: step.method == "HEAD",
            start: format!("{} ", step.method),
            common,
            sized: (step.body.is_some() || expects_body) && given("content-length").is_none(),
            accepted,
        }
    }

    /// Whether the step accepts this status.
    pub(crate) fn accepts(&self, status: u16) -> bool {
        self.accepted.get(usize::from(status)).copied().unwrap_or(false)
    }

    /// Replaces `out` by the whole request. `body` is only for reuse of its memory.
    pub(crate) fn write(
        &self,
        data: &dyn ChallengeData,
        asker: Asker<'_>,
        body: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) {
        out.clear();
        out.extend_from_slice(self.start.as_bytes());
        write_template(&self.step.target, data, asker, Encoding::Percent, out);
        out.extend_from_slice(self.common.as_bytes());
        body.clear();
        if let Some(template) = &self.step.body {
            write_template(template, data, asker, Encoding::Raw, body);
        }
        if self.sized {
            // Writing to a Vec cannot fail.
            let _ = write!(out, "Content-Length: {}\r\n", body.len());
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(body);
    }
}

fn write_template(
    template: &Template,
    data: &dyn ChallengeData,
    asker: Asker<'_>,
    encoding: Encoding,
    out: &mut Vec<u8>,
) {
    match template.parts() {
        [Part::Text(text)] => out.extend_from_slice(text.as_bytes()),
        _ => template.write(data, asker.feeder, asker.row, asker.location, encoding, out),
    }
}
