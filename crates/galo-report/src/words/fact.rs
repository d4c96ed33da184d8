//! What each fact is in a sentence, with its figures; and what to do about it.

mod account;
mod behaviour;
mod case;
mod cause;
mod crash;
mod durability;
mod evidence;
mod history;
mod host;
mod stress;
mod void;

use galo_judge::fact::{
    BrokenAt, BrokenRule, CasesMissing, Excuse, Fact, Finding, Number, StepName, VoidReason,
};
use galo_record::HostFact;
use galo_record::finding::Weight;
use galo_words::nouns::{CASE, OPERATION};
use galo_words::{Both, Lang, say};

pub(crate) use behaviour::cost_grows;
pub(crate) use case::difference;
pub(in crate::words) use evidence::memory_hits;
pub(in crate::words) use stress::used;

use super::table::finding_words;

/// A finding in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    /// One sentence with the figures in it: lower case, without a full stop.
    pub(crate) text: Both,
    /// Each piece in a few lines.
    pub(crate) evidence: Vec<Both>,
    /// What to do about it, if anything.
    pub(crate) remedy: Option<Both>,
}

impl Told {
    pub(crate) fn of(finding: &Finding) -> Self {
        let text = Both::told(|lang| match finding.excuse {
            Some(excuse) => format!("{} ({})", sentence(&finding.fact, lang), excused(excuse, lang)),
            None => sentence(&finding.fact, lang),
        });
        let own = match &finding.fact {
            Fact::Host(fact) => host::evidence(fact),
            _ => Vec::new(),
        };
        let evidence = finding.evidence.iter().map(|piece| Both::told(|lang| evidence::told(piece, lang)));
        Self { text, evidence: own.into_iter().chain(evidence).collect(), remedy: remedy(finding) }
    }
}

/// Why something is void, gravest first.
pub fn void_sentence(reasons: &[VoidReason], lang: Lang) -> String {
    void::all(reasons, lang)
}

/// Why a load by itself, or of a duel, is void, and what to do about it.
pub(crate) fn void_load_sentence(reason: &VoidReason, lang: Lang) -> String {
    void::of_load(reason, lang)
}

/// That galo's threads were busy for such a share of the time, in a load that counts. `is_open`: of the open model.
pub(crate) fn busy_sentence(share: f64, is_open: bool, lang: Lang) -> String {
    void::busy(share, is_open, lang)
}

/// What the host saw, in one sentence.
pub fn host_sentence(fact: &HostFact, lang: Lang) -> String {
    host::sentence(fact, lang)
}

/// The same, with what was seen beside it.
pub fn host_told(fact: &HostFact, lang: Lang) -> (String, Vec<String>) {
    let Told { text, evidence, .. } = Told::of(&Finding::from(fact));
    (text.of(lang).to_owned(), evidence.iter().map(|line| line.of(lang).to_owned()).collect())
}

/// One fact in one sentence.
pub fn sentence(fact: &Fact, lang: Lang) -> String {
    match fact {
        Fact::Account(fact) => account::sentence(fact, lang),
        Fact::Behaviour(fact) => behaviour::sentence(fact, lang),
        Fact::History(fact) => history::sentence(fact, lang),
        Fact::Durability(fact) => durability::sentence(fact, lang),
        Fact::Crash(fact) => crash::sentence(fact, lang),
        Fact::Rule(broken) => broken_rule(broken, lang),
        Fact::CasesMissing(missing) => cases_missing(missing, lang),
        Fact::Host(fact) => host::sentence(fact, lang),
        Fact::Cause(fact) => cause::sentence(fact, lang),
        Fact::Void(reason) => void::sentence(reason, lang),
        Fact::Stressed(stressed) => stress::sentence(stressed, lang),
    }
}

/// What to do: of what is held against nobody, and could have been, nothing.
fn remedy(finding: &Finding) -> Option<Both> {
    let name = finding.fact.name();
    let known = finding_words(name).and_then(|words| words.remedy.clone());
    let is_spared = finding.excuse.is_some() || (name == "settled-late" && finding.weight == Weight::Note);
    match &finding.fact {
        _ if is_spared => None,
        // What to do about it is in the rule.
        Fact::Rule(_) => None,
        Fact::Cause(fact) => cause::remedy(&fact.cause).or(known),
        Fact::Crash(fact) => crash::remedy(fact).or(known),
        Fact::Host(fact) => host::remedy(fact).or(known),
        Fact::Account(_)
        | Fact::Behaviour(_)
        | Fact::History(_)
        | Fact::Durability(_)
        | Fact::CasesMissing(_)
        | Fact::Void(_)
        | Fact::Stressed(_) => known,
    }
}

fn excused(excuse: Excuse, lang: Lang) -> &'static str {
    match excuse {
        Excuse::HeldBefore => lang.pick(
            "galo did not start this server, so it may have held them before",
            "o galo não iniciou este servidor, que já podia tê-los antes",
        ),
        Excuse::UsedByOthers => lang.pick(
            "galo did not start this server, so somebody else may use it",
            "o galo não iniciou este servidor, e outra pessoa pode estar usando-o",
        ),
    }
}

fn broken_rule(broken: &BrokenRule, lang: Lang) -> String {
    let BrokenRule { rule, text, cases, steps } = broken;
    let steps: Vec<String> = steps.iter().map(|at| broken_at(at, lang)).collect();
    let mut who = lang.listed(&steps);
    if *cases > 0 {
        let cases = lang.counted(*cases, CASE);
        let and = if who.is_empty() { "" } else { lang.pick(" and ", " e ") };
        who = say!(lang, "{cases} of conformance{and}{who}", "{cases} de conformidade{and}{who}");
    }
    let text = match lang {
        Lang::En => text.as_str(),
        Lang::Pt => finding_words(rule).and_then(|words| words.rule).unwrap_or(text),
    };
    let many = *cases + broken.steps.iter().map(|at| at.broken).sum::<u64>() != 1;
    let broke = if many { "quebraram" } else { "quebrou" };
    say!(lang, "{who} broke the rule: {text}", "{who} {broke} a regra: {text}")
}

fn broken_at(at: &BrokenAt, lang: Lang) -> String {
    let (broken, operations) = (lang.whole(at.broken), lang.counted(at.operations, OPERATION));
    let step = step(&at.step, lang);
    say!(lang, "{broken} of {operations} of {step}", "{broken} de {operations} de {step}")
}

fn cases_missing(missing: &CasesMissing, lang: Lang) -> String {
    let CasesMissing { missing, cases, because } = missing;
    let (missing, cases) = (lang.whole(*missing), lang.counted(*cases, CASE));
    say!(
        lang,
        "{missing} of {cases} of conformance could not be asked: {because}",
        "{missing} de {cases} de conformidade não puderam ser testados: {because}"
    )
}

/// A step as people find it: `` `create and read: create` ``.
fn step(name: &StepName, lang: Lang) -> String {
    let step = &name.step;
    match &name.scenario {
        Some(scenario) => format!("`{scenario}: {step}`"),
        None => say!(lang, "step number {step}", "passo número {step}"),
    }
}

/// Kinds with how many there were of each: `no answer in time: 12`.
fn numbers(kinds: &[Number], lang: Lang) -> Vec<String> {
    kinds.iter().map(|kind| format!("{}: {}", failure(&kind.of).of(lang), lang.whole(kind.number))).collect()
}

/// The kinds of failure that the load engine tells apart; another one is told as it came.
pub(crate) fn failure(kind: &str) -> Both {
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
