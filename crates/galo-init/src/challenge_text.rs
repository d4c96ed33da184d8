//! A challenge as the text of `challenge.toml`, with a word about each key.

use std::fmt::Write;
use std::time::Duration;

use crate::draft::{Case, Draft, Request, Scenario};
use crate::quoted::{braces, comment, toml, toml_key};

/// The traffic climbs to its rate from this part of it.
const RAMP_PART: u64 = 10;
/// Arrivals per second of a check, in millionths, where the rate is not less.
const CHECK_MICRO: u64 = 20_000_000;
/// Lengths of the profiles: ramp and hold.
const QUICK: [Duration; 2] = [Duration::from_secs(3), Duration::from_secs(17)];
const OFFICIAL: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(110)];
const CHECK: Duration = Duration::from_secs(5);

/// The whole file. `found_by`: the command that looks for a better rate.
pub(super) fn text(draft: &Draft, found_by: &str) -> String {
    let mut text = head(draft);
    text.push_str(SCENARIOS);
    for scenario in &draft.scenarios {
        text.push_str(&scenario_text(scenario));
    }
    text.push_str(&profiles(draft, found_by));
    if !draft.cases.is_empty() {
        text.push_str(CASES);
    }
    for case in &draft.cases {
        text.push_str(&case_text(case));
    }
    text
}

const SCENARIOS: &str = r#"
# Scenarios: what one user does, step by step. Braces of a text are written twice: `{{` and `}}`.
#   connection  `shared`: one of a pool that stays open; `per-user` and `per-request` open their own
#   statuses    of right answers, e.g. [200, "3xx"]; any other disqualifies, but for a 5xx, which has failed
"#;

const CASES: &str = "
# Cases of conformance, which `galo check` asks: what the answer to each request must be. Braces stand for themselves, and
# `{mark}` for a text that is new each time.
#   statuses    one of these
#   media-type  what the Content-Type of a 2xx names
#   shows       a JSON object that the body of a 2xx holds, and perhaps more
";

fn head(draft: &Draft) -> String {
    let Draft { name, title, port, cpus, memory, timeout, .. } = draft;
    let [name, title, cpus, memory, timeout] = [name, title, cpus, memory, timeout].map(|text| toml(text));
    format!(
        r#"# A challenge: what every contender must do, what it may use, and how it is driven. A contender's compose.yaml names
# this file. `galo fight` lets contenders fight, `galo check` asks whether one is right, `galo limit` how much it holds.

name = {name} # in reports
title = {title} # for people

[policy]
port = {port} # where a contender listens, on 127.0.0.1: all share it, since one is up at a time
cpus = {cpus} # CPU of all services of a contender together
memory = {memory} # their memory together, in binary units

[timeouts]
connect = {timeout} # until a connection is open
answer = {timeout} # until all of an answer is there

[service-level]
latency = "100ms" # an answer that takes longer, from when its request fell due, is not in time
classes = ["10ms", "100ms", "1s"] # bounds by which reports sort right answers

# Sent with every request of the traffic.
[headers]
User-Agent = "galo"
"#
    )
}

fn scenario_text(scenario: &Scenario) -> String {
    let Scenario { name, request, .. } = scenario;
    // All texts of a step are templates.
    let headers = request.headers.iter().map(|(name, value)| (name.clone(), braces(value)));
    let step = request_text(&Request {
        target: braces(&request.target),
        headers: headers.collect(),
        body: request.body.as_deref().map(braces),
        ..request.clone()
    });
    let name = toml(name);
    let closes = request.headers.iter().any(|(name, value)| is_connection(name) && closes(value));
    let connection = if closes { "per-request" } else { "shared" };
    format!(
        "\n[[scenario]]\nname = {name}\nconnection = \"{connection}\"\n\n  [[scenario.step]]\n  name = {name}\n{step}"
    )
}

/// A challenge says which connection a request takes, and galo writes the header.
fn is_connection(name: &str) -> bool {
    name.eq_ignore_ascii_case("connection")
}

fn closes(value: &str) -> bool {
    value.split(',').any(|option| option.trim().eq_ignore_ascii_case("close"))
}

fn case_text(case: &Case) -> String {
    let (name, request) = (toml(&case.name), request_text(&case.request));
    let media_type = case.media_type.as_ref().map(|text| format!("  media-type = {}\n", toml(text)));
    format!("\n[[case]]\nname = {name}\n\n  [[case.request]]\n{request}{}", media_type.unwrap_or_default())
}

/// The lines of a request, as steps and cases have them.
fn request_text(request: &Request) -> String {
    let Request { method, target, headers, body, statuses } = request;
    let mut text = format!("  request = {}\n", toml(&format!("{method} {target}")));
    let sent = headers.iter().filter(|(name, _)| !is_connection(name));
    let each: Vec<_> = sent.map(|(name, value)| format!("{} = {}", toml_key(name), toml(value))).collect();
    if !each.is_empty() {
        let _ = writeln!(text, "  headers = {{ {} }}", each.join(", "));
    }
    if let Some(body) = body {
        let _ = writeln!(text, "  body = {}", toml(body));
    }
    let _ = writeln!(text, "  statuses = [{}]", status_names(statuses).join(", "));
    text
}

/// Statuses in ascending order, whole hundreds as one: `404`, `"4xx"`.
fn status_names(statuses: &[u16]) -> Vec<String> {
    let is_whole = |hundred: u16| (hundred..hundred + 100).all(|status| statuses.contains(&status));
    let name = |&status: &u16| match (is_whole(status / 100 * 100), status % 100) {
        (false, _) => Some(status.to_string()),
        (true, 0) => Some(format!("\"{}xx\"", status / 100)),
        (true, _) => None,
    };
    statuses.iter().filter_map(name).collect()
}

fn profiles(draft: &Draft, found_by: &str) -> String {
    let phases = |[ramp, hold]: [Duration; 2]| {
        move |micro: u64| {
            let (first, last) = (rate((micro / RAMP_PART).max(1)), rate(micro));
            let (ramp, hold) = (ramp.as_secs(), hold.as_secs());
            format!("[\"ramp {first} to {last} over {ramp}s\", \"{last} for {hold}s\"]")
        }
    };
    let least = draft.rate_micro.min(CHECK_MICRO);
    let light = |micro: u64| {
        let part = u128::from(micro) * u128::from(least) / u128::from(draft.rate_micro.max(1));
        format!("[\"{} for {}s\"]", rate((part as u64).max(1)), CHECK.as_secs())
    };
    format!(
        "
# Profiles: how many users of each scenario arrive per second, and for how long.
# {} per second in all was asked for, or is a guess. A better one is where contenders are near their limits:
#   {}
\n[profile.quick] # what `galo fight` drives
{}
[profile.official] # the same, longer: --profile official
{}
[profile.check] # what `galo check` drives: some of everything
{}",
        rate(draft.rate_micro).trim_end_matches("/s"),
        comment(found_by),
        profile(draft, phases(QUICK)),
        profile(draft, phases(OFFICIAL)),
        profile(draft, light)
    )
}

/// A line for each scenario, by its share of the rate.
fn profile(draft: &Draft, phases: impl Fn(u64) -> String) -> String {
    let sum: u64 = draft.scenarios.iter().map(|scenario| u64::from(scenario.weight)).sum();
    let line = |scenario: &Scenario| {
        let share = u128::from(draft.rate_micro) * u128::from(scenario.weight) / u128::from(sum.max(1));
        format!("{} = {}\n", toml_key(&scenario.name), phases((share as u64).max(1)))
    };
    draft.scenarios.iter().map(line).collect()
}

/// Millionths per second as a phase has them: `33.5/s`.
fn rate(micro: u64) -> String {
    let decimals = format!("{:06}", micro % 1_000_000);
    match decimals.trim_end_matches('0') {
        "" => format!("{}/s", micro / 1_000_000),
        decimals => format!("{}.{decimals}/s", micro / 1_000_000),
    }
}
