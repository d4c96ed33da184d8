//! Kinds of failure that the load engine tells apart, and how many there were of each.

use galo_plan::JsonSchema;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

/// How many there are of something that has a name: a kind of failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Number {
    /// The kind of failure.
    pub of: String,
    /// How many.
    pub number: u64,
}

/// Kinds with how many there were of each: `no answer in time: 12`.
pub(super) fn numbers(kinds: &[Number], lang: Lang) -> Vec<String> {
    kinds.iter().map(|kind| format!("{}: {}", failure(&kind.of).get(lang), lang.whole(kind.number))).collect()
}

/// The kinds of failure that the load engine tells apart; another one is told as it came.
pub fn failure(kind: &str) -> Both {
    const FAILURES: &[(&str, &str)] = &[
        ("closed before the answer", "fechada antes da resposta"),
        ("closed within the body", "fechada no meio do corpo"),
        ("closed within the headers", "fechada no meio dos cabeçalhos"),
        ("connection given up by the kernel", "o kernel desistiu da conexão"),
        ("connection refused", "conexão recusada"),
        ("connection reset", "conexão derrubada"),
        ("no answer in time", "sem resposta a tempo"),
        ("no free local port", "nenhuma porta local livre"),
        ("no memory for sockets", "sem memória para sockets"),
        ("no route to the contender", "sem rota até o competidor"),
        ("not permitted to connect", "sem permissão para conectar"),
        ("the server's queue of connections is full", "a fila de conexões do servidor está cheia"),
        ("too many open files", "arquivos abertos demais"),
    ];
    let known = FAILURES.iter().find(|(english, _)| *english == kind);
    known
        .map_or_else(|| Both::same(kind.to_owned()), |&(english, portuguese)| Both::word(english, portuguese))
}
