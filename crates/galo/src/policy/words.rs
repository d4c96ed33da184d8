//! What `galo check --policy` prints.

use galo_plan::policy::{Breach, Held};
use galo_plan::units::{format_bytes, format_bytes_apart, format_cpus_nano};

use super::AgainstBudget;
use crate::output::plain;

/// Widest line.
const WIDTH: usize = 80;
/// Columns of the file's name; then come CPU, memory and what came of it.
const FILE: usize = 43;
const CPU: usize = 11;
const MEMORY: usize = 11;

/// What a terminal can show.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) colour: bool,
    pub(super) unicode: bool,
}

/// A line for each file, below it one for each breach and for each advice, and at the end how many there are.
pub(super) fn table(held: &[AgainstBudget], look: Look) -> String {
    let mut text = format!("{:<FILE$}{:>CPU$}{:>MEMORY$}\n", "file", "CPU", "memory");
    for (held, _) in held {
        text += &row(held, look);
        let advice = held.advice.iter().map(|advice| format!("advice: {}", breach(advice)));
        for told in held.breaches.iter().map(breach).chain(advice) {
            for line in wrapped(&plain(&told)) {
                text += &line;
            }
        }
    }
    let breached = held.iter().filter(|(held, _)| !held.breaches.is_empty()).count();
    let files = if held.len() == 1 { "1 file".to_owned() } else { format!("{} files", held.len()) };
    text + &format!("{files}: {} within the policy, {breached} not\n", held.len() - breached)
}

fn row(held: &Held, look: Look) -> String {
    let (told, colour) = match held.breaches.len() {
        0 => ("within".to_owned(), "32"),
        1 => ("1 breach".to_owned(), "31"),
        many => (format!("{many} breaches"), "31"),
    };
    let told = if look.colour { format!("\u{1b}[{colour}m{told}\u{1b}[0m") } else { told };
    let file = ending(&plain(&held.file.display().to_string()), FILE - 1, look);
    let is_known = !held.services.is_empty();
    let figure = |written: String| if is_known { written } else { "-".to_owned() };
    let cpus = figure(format_cpus_nano(held.cpus_nano));
    let memory = figure(format_bytes(u64::try_from(held.memory_bytes).unwrap_or(u64::MAX)));
    format!("{file:<FILE$}{cpus:>CPU$}{memory:>MEMORY$}  {told}\n")
}

/// The end of a text that is too long for a column, which tells more of a path than its beginning.
fn ending(text: &str, width: usize, look: Look) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let mark = if look.unicode { "…" } else { "..." };
    let left: String = text.chars().skip(length + mark.chars().count() - width).collect();
    mark.to_owned() + &left
}

/// Lines of a sentence below its file, as wide as they may be. A word that is longer stands alone.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (nth, whole) in text.lines().enumerate() {
        let mut line = if nth == 0 { "  " } else { "    " }.to_owned();
        let mut is_empty = true;
        for word in whole.split_whitespace() {
            if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
                lines.push(std::mem::replace(&mut line, "    ".to_owned()) + "\n");
                is_empty = true;
            }
            if !is_empty {
                line.push(' ');
            }
            line += word;
            is_empty = false;
        }
        lines.push(line + "\n");
    }
    lines
}

/// One breach in one sentence; a hint may follow on a line of its own.
pub(super) fn breach(breach: &Breach) -> String {
    match breach {
        Breach::Unreadable { message } => message.clone(),
        Breach::CpuOverBudget { taken_nano, budget_nano } => {
            format!(
                "services take {} CPU of {}",
                format_cpus_nano(*taken_nano),
                format_cpus_nano(*budget_nano)
            )
        }
        Breach::MemoryOverBudget { taken_bytes, budget_bytes } => {
            let (taken, budget) = format_bytes_apart(*taken_bytes, *budget_bytes);
            format!("services take {taken} memory of {budget}")
        }
        Breach::NoCpuLimit { service } => format!("service `{service}` has no CPU limit"),
        Breach::NoMemoryLimit { service } => format!("service `{service}` has no memory limit"),
        Breach::TooFewInstances { found: 0 | 1, least } => {
            format!("no two services are of one image or one build: {least} instances must be")
        }
        Breach::TooFewInstances { found, least } => {
            format!("{found} services are of one image or one build: {least} instances must be")
        }
        Breach::ForbiddenKey { service, key } => format!("service `{service}`: `{key}` is forbidden"),
        Breach::PortNotPublished { port } => {
            format!("no service publishes port {port}, where the traffic goes")
        }
        Breach::ImageWithoutTag { service, image } => {
            format!("service `{service}`: image `{image}` has neither a tag nor a digest")
        }
        Breach::MountMissing { service, source } => {
            format!("service `{service}` mounts `{}`, which is not there", source.display())
        }
        Breach::ForeignPlatform { service, platform } => {
            format!("service `{service}` is for `{platform}`, not for `linux/amd64`")
        }
        Breach::NeedsTrust(asked) => asked.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Look = Look { colour: false, unicode: false };

    #[test]
    fn a_long_path_keeps_its_end() {
        assert_eq!(ending("a/compose.yaml", 20, PLAIN), "a/compose.yaml");
        assert_eq!(ending("contest/entries/someone/compose.yaml", 20, PLAIN), "...eone/compose.yaml");
        assert_eq!(
            ending("contest/entries/someone/compose.yaml", 20, Look { unicode: true, ..PLAIN })
                .chars()
                .count(),
            20
        );
    }

    #[test]
    fn a_long_sentence_is_wrapped_and_a_hint_stands_below() {
        let text = format!("{} {}\nhint: do it", "word ".repeat(20).trim(), "x".repeat(90));
        for line in wrapped(&text) {
            assert!(line.trim_end().chars().count() <= 80 || line.trim().len() == 90, "{line}");
        }
        assert_eq!(wrapped(&text).last().unwrap(), "    hint: do it\n");
    }
}
