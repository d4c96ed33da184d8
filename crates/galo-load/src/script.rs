//! The plan as the engine threads use it: what every request of a step has in common is written once.

use std::io::Write as _;

use galo_plan::capture::Captured;
use galo_plan::challenge::{Connection, Header};
use galo_plan::draw::draw;
use galo_plan::load::Target;
use galo_plan::model::ChallengeData;
use galo_plan::template::Encoding;
use galo_plan::{LoadPlan, Step};

use crate::cookies::Cookies;
use crate::net::{HeaderName, Outgoing};

/// Statuses up to this one can be accepted.
const STATUSES: usize = 600;

/// One scenario.
#[derive(Debug)]
pub(crate) struct ScenarioScript<'p> {
    /// Index into the model's feeders; meaningless where no row is used.
    pub(crate) feeder: usize,
    pub(crate) connection: Connection,
    /// Whether users send back cookies.
    pub(crate) cookies: bool,
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
    /// Whether somebody looks into its answers' bodies.
    pub(crate) reads_body: bool,
    /// Whether a request whose fate is unknown may be sent again (RFC 9110, section 9.2.2).
    pub(crate) is_idempotent: bool,
    /// The whole request, where nothing in it changes.
    constant: Option<Vec<u8>>,
    /// `METHOD `.
    start: String,
    /// From behind the target to the end of the headers.
    head: Vec<HeadPart<'p>>,
    /// What is known of each header line.
    names: Vec<HeaderName>,
    /// Whether a `Content-Length` is to be written.
    sized: bool,
    /// Whether a user's cookies are to be written, as the last line.
    cookies: bool,
    accepted: Vec<bool>,
}

#[derive(Debug)]
enum HeadPart<'p> {
    Text(String),
    /// A header whose value is drawn or filled in for each request.
    Varying(&'p Header),
}

/// Who asks: what a request needs to know of its user.
#[derive(Clone, Copy)]
pub(crate) struct Asker<'u> {
    pub(crate) data: &'u dyn ChallengeData,
    pub(crate) seed: u64,
    pub(crate) feeder: usize,
    pub(crate) row: u64,
    pub(crate) captured: &'u Captured,
    pub(crate) cookies: Option<&'u Cookies>,
}

/// All scenarios, by the plan's index.
pub(crate) fn scenarios(plan: &LoadPlan) -> Vec<ScenarioScript<'_>> {
    let mut flat = 0u8;
    let mut scripts = Vec::with_capacity(plan.scenarios.len());
    for (scenario, target) in plan.scenarios.iter().zip(&plan.targets) {
        let mut steps = Vec::with_capacity(scenario.steps.len());
        for step in &scenario.steps {
            steps.push(StepScript::new(step, flat, &plan.headers, target, scenario.cookies));
            flat = flat.wrapping_add(1);
        }
        let feeder = scenario.feeder.unwrap_or(0);
        let (connection, cookies) = (scenario.connection, scenario.cookies);
        scripts.push(ScenarioScript { feeder, connection, cookies, steps });
    }
    scripts
}

impl<'p> StepScript<'p> {
    fn new(step: &'p Step, flat: u8, headers: &'p [Header], target: &Target, cookies: bool) -> Self {
        let own = |name: &str| step.headers.iter().any(|own| own.name.eq_ignore_ascii_case(name));
        // What a step sends of its own takes the place of what all steps send.
        let all = || headers.iter().filter(|header| !own(&header.name)).chain(&step.headers);
        let given = |wanted: &str| all().rfind(|header| header.name.eq_ignore_ascii_case(wanted));
        let mut head = vec![HeadPart::Text(" HTTP/1.1\r\n".to_owned())];
        // A request has exactly one Host (RFC 9112, section 3.2), so the last one that the plan gives counts alone.
        match given("host") {
            Some(header) => add_header(&mut head, "Host", header),
            None => add_text(&mut head, &format!("Host: {}\r\n", target.authority)),
        }
        for header in all().filter(|header| !header.name.eq_ignore_ascii_case("host")) {
            add_header(&mut head, &header.name, header);
        }
        let sized = (step.body.is_some() || expects_body(&step.method)) && given("content-length").is_none();
        let mut names = vec![HeaderName::new("Host", true)];
        for header in all().filter(|header| !header.name.eq_ignore_ascii_case("host")) {
            names.push(HeaderName::new(&header.name, constant_value(header).is_some()));
        }
        if sized {
            names.push(HeaderName::new(
                "Content-Length",
                step.body.as_ref().is_none_or(|b| b.constant().is_some()),
            ));
        }
        if cookies {
            names.push(HeaderName::new("Cookie", false));
        }
        let mut accepted = vec![false; STATUSES];
        for &status in &step.statuses {
            if let Some(place) = accepted.get_mut(usize::from(status)) {
                *place = true;
            }
        }
        let mut script = Self {
            step,
            flat,
            is_head: step.method == "HEAD",
            reads_body: step.check.is_some() || !step.captures.is_empty(),
            is_idempotent: matches!(
                step.method.as_str(),
                "GET" | "HEAD" | "PUT" | "DELETE" | "OPTIONS" | "TRACE"
            ),
            constant: None,
            start: format!("{} ", step.method),
            head,
            names,
            sized,
            cookies,
            accepted,
        };
        script.constant = script.as_constant();
        script
    }

    fn as_constant(&self) -> Option<Vec<u8>> {
        if self.cookies {
            return None;
        }
        let target = self.step.target.constant()?;
        let body = self.step.body.as_ref().map_or(Some(&b""[..]), |body| body.constant())?;
        let [HeadPart::Text(head)] = self.head.as_slice() else { return None };
        let mut whole = [self.start.as_bytes(), target, head.as_bytes()].concat();
        self.finish(body, None, &mut whole);
        Some(whole)
    }

    /// Whether the step accepts this status.
    pub(crate) fn accepts(&self, status: u16) -> bool {
        self.accepted.get(usize::from(status)).copied().unwrap_or(false)
    }

    /// The whole request, where all users send the same.
    pub(crate) fn constant(&self) -> Option<&[u8]> {
        self.constant.as_deref()
    }

    /// Appends the whole request to `out`. `body` is only for reuse of its memory.
    pub(crate) fn write(&self, asker: Asker<'_>, body: &mut Vec<u8>, out: &mut Vec<u8>) {
        let Asker { data, seed, feeder, row, captured, cookies } = asker;
        out.extend_from_slice(self.start.as_bytes());
        self.step.target.write(data, feeder, row, captured, Encoding::Percent, out);
        for (index, part) in self.head.iter().enumerate() {
            match part {
                HeadPart::Text(text) => out.extend_from_slice(text.as_bytes()),
                HeadPart::Varying(header) => {
                    out.extend_from_slice(header.name.as_bytes());
                    out.extend_from_slice(b": ");
                    let start = out.len();
                    let drawn = draw(seed, &[row, index as u64]) % header.values.len().max(1) as u64;
                    if let Some(value) = header.values.get(drawn as usize) {
                        value.write(data, feeder, row, captured, Encoding::Raw, out);
                    }
                    // A row's text must not end the header, or begin another.
                    out[start..]
                        .iter_mut()
                        .filter(|byte| byte.is_ascii_control())
                        .for_each(|byte| *byte = b' ');
                    out.extend_from_slice(b"\r\n");
                }
            }
        }
        body.clear();
        if let Some(template) = &self.step.body {
            template.write(data, feeder, row, captured, Encoding::Raw, body);
        }
        let line = cookies.and_then(|cookies| {
            let target = out[self.start.len()..].split(|&b| b == b' ').next();
            cookies.line(target.unwrap_or_default())
        });
        self.finish(body, line.as_deref(), out);
    }

    /// What [`Self::write`] wrote, as it is handed on.
    pub(crate) fn outgoing<'a>(&'a self, text: &'a [u8]) -> Outgoing<'a> {
        let target_is_constant = self.step.target.constant().is_some();
        Outgoing { method: &self.step.method, text, names: &self.names, target_is_constant }
    }

    fn finish(&self, body: &[u8], cookies: Option<&str>, out: &mut Vec<u8>) {
        if self.sized {
            // Writing to a Vec cannot fail.
            let _ = write!(out, "Content-Length: {}\r\n", body.len());
        }
        if let Some(cookies) = cookies {
            let _ = write!(out, "Cookie: {cookies}\r\n");
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(body);
    }
}

fn add_header<'p>(head: &mut Vec<HeadPart<'p>>, name: &str, header: &'p Header) {
    match constant_value(header) {
        Some(value) => add_text(head, &format!("{name}: {}\r\n", String::from_utf8_lossy(value))),
        None => head.push(HeadPart::Varying(header)),
    }
}

/// Its value, where all requests have the same.
fn constant_value(header: &Header) -> Option<&[u8]> {
    match header.values.as_slice() {
        [value] => value.constant(),
        _ => None,
    }
}

/// RFC 9110, section 8.6: methods that expect a body say so even where it is empty.
fn expects_body(method: &str) -> bool {
    matches!(method, "POST" | "PUT" | "PATCH")
}

fn add_text(head: &mut Vec<HeadPart<'_>>, text: &str) {
    match head.last_mut() {
        Some(HeadPart::Text(last)) => last.push_str(text),
        _ => head.push(HeadPart::Text(text.to_owned())),
    }
}
