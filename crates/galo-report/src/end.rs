//! How a run came to its end, as it is told.

use galo_record::RunEnd;
use galo_words::Both;

/// What a reader must know of it; nothing where it ended by itself.
pub(crate) fn told(end: &RunEnd) -> Option<Both> {
    Some(match end {
        RunEnd::Done => return None,
        RunEnd::Running => Both::word(
            "it was not ended by galo: what follows is what was known then",
            "não foi encerrado pelo galo: o que segue é o que se sabia então",
        ),
        RunEnd::Interrupted => Both::word(
            "broken off: what follows is what was known then",
            "interrompido: o que segue é o que se sabia então",
        ),
        RunEnd::Failed(error) | RunEnd::Refused(error) => {
            Both::new(format!("ended by an error: {error}"), format!("encerrado por um erro: {error}"))
        }
    })
}
