//! How a service's readiness is seen: `x-galo.ready`, else its Compose `healthcheck`, else that it runs.

use super::keys;
use super::raw::RawService;
use super::reader::{Reader, get};
use crate::address::{Place, Url};
use crate::contender::{Ready, Runner};
use crate::error::PlanError;
use crate::yaml::{Node, Value};
use crate::{suggest, units};

/// Time between tries where the file does not say. Docker's own 30 s would only make every round longer.
const INTERVAL_NS: u64 = 1_000_000_000;

/// Time for one try where the file does not say, as Docker has it.
const TIMEOUT_NS: u64 = 30_000_000_000;

pub(super) fn resolve(reader: Reader<'_>, raw: &RawService) -> Result<Ready, PlanError> {
    match (raw.galo("ready"), raw.node("healthcheck")) {
        (Some(node), _) => address(reader, node),
        (None, Some(node)) => healthcheck(reader, node),
        (None, None) => Ok(Ready::Started),
    }
}

/// A container's: by its health check, whose test the engine itself runs.
pub(super) fn of_container(reader: Reader<'_>, raw: &RawService) -> Result<Ready, PlanError> {
    raw.node("healthcheck").map_or(Ok(Ready::Started), |node| healthcheck(reader, node))
}

/// A duration that is not 0.
pub(super) fn duration_ns(reader: Reader<'_>, node: &Node, name: &str) -> Result<u64, PlanError> {
    match units::parse_duration_ns(&reader.text(node, name)?) {
        Ok(0) => reader.error(node.line, format!("`{name}` may not be 0")),
        parsed => parsed.or_else(|message| reader.error(node.line, format!("`{name}`: {message}"))),
    }
}

fn address(reader: Reader<'_>, node: &Node) -> Result<Ready, PlanError> {
    let text = reader.text(node, "ready")?;
    let tcp = text.strip_prefix("tcp://").unwrap_or(&text);
    if text.bytes().all(|b| b.is_ascii_graphic()) {
        if text.starts_with("http://") && Url::parse(&text).is_ok() {
            return Ok(Ready::Http(text));
        }
        if Place::parse(tcp).is_ok_and(|place| place.port.is_some()) {
            return Ok(Ready::Tcp(tcp.to_owned()));
        }
    }
    let forms =
        "write for example `http://127.0.0.1:8081/health`, or `127.0.0.1:5432` for a port that accepts";
    reader.error(node.line, format!("`ready`: cannot use `{text}`\nhint: {forms}"))
}

fn healthcheck(reader: Reader<'_>, node: &Node) -> Result<Ready, PlanError> {
    let entries = reader.known_map(node, "healthcheck", &keys::HEALTHCHECK)?;
    if let Some(disable) = get(entries, "disable")
        && reader.text(disable, "disable")? == "true"
    {
        return Ok(Ready::Started);
    }
    let Some(test) = get(entries, "test") else {
        // Then the image has the test, or nobody.
        if reader.runner == Runner::Docker {
            return Ok(Ready::Started);
        }
        return reader.error(node.line, "`healthcheck` has no `test`");
    };
    let Some(command) = test_command(reader, test)? else { return Ok(Ready::Started) };
    let duration = |key: &str| get(entries, key).map(|node| duration_ns(reader, node, key)).transpose();
    // While a container starts, Compose tries at `start_interval`; only that time is of interest here.
    let interval_ns = duration("start_interval")?.or(duration("interval")?).unwrap_or(INTERVAL_NS);
    Ok(Ready::Command { command, interval_ns, timeout_ns: duration("timeout")?.unwrap_or(TIMEOUT_NS) })
}

/// The program and arguments of a `test`; `None` where it says that there is none.
fn test_command(reader: Reader<'_>, test: &Node) -> Result<Option<Vec<String>>, PlanError> {
    let shell = |text: String| Ok(Some(vec!["sh".to_owned(), "-c".to_owned(), text]));
    if !matches!(test.value, Value::List(_)) {
        return shell(reader.text(test, "test")?);
    }
    let words = reader.words(test, "test")?;
    match words.split_first() {
        Some((kind, [])) if kind == "NONE" => Ok(None),
        Some((kind, command @ [_, ..])) if kind == "CMD" => Ok(Some(command.to_vec())),
        Some((kind, [text])) if kind == "CMD-SHELL" => shell(text.clone()),
        Some((kind, _)) if !["NONE", "CMD", "CMD-SHELL"].contains(&kind.as_str()) => {
            reader.error(test.line, suggest::unknown("word", kind, &["CMD", "CMD-SHELL", "NONE"]))
        }
        _ => {
            let forms = "write `[\"CMD\", program, argument, ...]`, `[\"CMD-SHELL\", text]` or `[\"NONE\"]`";
            reader.error(test.line, format!("cannot read this `test`\nhint: {forms}"))
        }
    }
}
