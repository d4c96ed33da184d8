//! Why a contender does not run.

use std::fmt;
use std::path::Path;

use galo_plan::Blame;

/// Why a contender does not run.
#[derive(Debug, thiserror::Error)]
pub struct HostError {
    /// Who is to blame.
    pub blame: Blame,
    /// Says what happened and, after `hint: `, what to do. One that begins with `it` has its subject in the next field.
    pub(crate) message: String,
    /// What it happened to, e.g. ``service `api1` of contender `x` ``.
    subject: Option<String>,
    /// The caller broke it off.
    pub interrupted: bool,
}

impl HostError {
    pub(crate) fn contender(message: impl Into<String>) -> Self {
        Self { blame: Blame::Contender, message: message.into(), subject: None, interrupted: false }
    }

    /// The machine's fault.
    pub fn host(message: impl Into<String>) -> Self {
        Self { blame: Blame::Host, message: message.into(), subject: None, interrupted: false }
    }

    pub(crate) fn client(message: impl Into<String>) -> Self {
        Self { blame: Blame::Client, message: message.into(), subject: None, interrupted: false }
    }

    pub(crate) fn interrupted() -> Self {
        let message = "broken off by the caller\nhint: start again; nothing was left running".to_owned();
        Self { blame: Blame::Client, message, subject: None, interrupted: true }
    }

    /// The file system refused.
    pub(crate) fn io(action: &str, path: &Path, error: &std::io::Error) -> Self {
        let hint = match error.kind() {
            std::io::ErrorKind::StorageFull => "free some space, or choose another folder with --out",
            std::io::ErrorKind::PermissionDenied => "run galo as a user who may do that",
            _ => "see whether the folder is still there and may be written",
        };
        Self::host(format!("cannot {action} `{}`: {error}\nhint: {hint}", path.display()))
    }

    /// Says what it happened to, from the inside out: first a service, then its contender.
    pub(crate) fn about(mut self, kind: &str, name: &str) -> Self {
        if !self.interrupted {
            let outer = format!("{kind} `{name}`");
            self.subject = Some(match self.subject {
                Some(inner) => format!("{inner} of {outer}"),
                None => outer,
            });
        }
        self
    }
}

/// The cause first: it is the subject that did it, or else the subject stands after it.
impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject: Some(subject), message, .. } = self else { return f.write_str(&self.message) };
        if let Some(rest) = message.strip_prefix("it ") {
            return write!(f, "{subject} {rest}");
        }
        let (cause, rest) = message.split_at(message.find('\n').unwrap_or(message.len()));
        // One pair of brackets is enough.
        match cause.strip_suffix(')') {
            Some(open) => write!(f, "{open}; {subject}){rest}"),
            None => write!(f, "{cause} ({subject}){rest}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_comes_first_then_what_it_happened_to_then_what_to_do() {
        let told = |message: &str| {
            HostError::contender(message).about("service", "api").about("contender", "mine").to_string()
        };
        assert_eq!(told("it ended\nhint: see"), "service `api` of contender `mine` ended\nhint: see");
        assert_eq!(
            told("no such command `x`\nhint: y"),
            "no such command `x` (service `api` of contender `mine`)\nhint: y"
        );
        assert_eq!(
            told("setup failed (7)\nhint: y"),
            "setup failed (7; service `api` of contender `mine`)\nhint: y"
        );
        assert_eq!(HostError::host("no room").to_string(), "no room");
        let broken_off = HostError::interrupted().about("contender", "mine").to_string();
        assert!(broken_off.starts_with("broken off by the caller\n"), "{broken_off}");
    }
}
