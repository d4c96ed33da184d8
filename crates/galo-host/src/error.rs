//! Why a contender does not run.

use std::path::Path;

use galo_plan::Blame;

/// Why a contender does not run.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    /// Who is to blame.
    pub blame: Blame,
    /// Names the subject, says what happened and, after `hint: `, what to do.
    pub message: String,
    /// The caller broke it off.
    pub interrupted: bool,
}

impl HostError {
    pub(crate) fn contender(message: impl Into<String>) -> Self {
        Self { blame: Blame::Contender, message: message.into(), interrupted: false }
    }

    pub(crate) fn host(message: impl Into<String>) -> Self {
        Self { blame: Blame::Host, message: message.into(), interrupted: false }
    }

    pub(crate) fn client(message: impl Into<String>) -> Self {
        Self { blame: Blame::Client, message: message.into(), interrupted: false }
    }

    pub(crate) fn interrupted() -> Self {
        let message = "broken off by the caller\nhint: start again; nothing was left running".to_owned();
        Self { blame: Blame::Client, message, interrupted: true }
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

    /// Puts the subject before the message: ``contender `x`: service `api1`: ...``.
    pub(crate) fn about(mut self, subject: &str) -> Self {
        if !self.interrupted {
            self.message.insert_str(0, subject);
        }
        self
    }
}
