//! What the judge says of a round: one file for each finding, with its facts, what it weighs, who is to
//! blame, and its words in both languages.
//!
//! Its one key decision: a fact holds all that its sentence needs, and nothing that is already a
//! sentence. What others wrote (an answer, a line of a log, the message of an error) is quoted as it
//! came. A new finding is one file, and its row in the list of `kinds.rs`.

mod caused;
mod contradiction;
mod failures;
mod kinds;
mod lacking;
mod losses;

mod above_ceiling;
mod accept_queue;
mod acknowledged_before_flush;
mod balance_not_conserved;
mod balancer_connections;
mod below_ceiling;
mod broken_rule;
mod broken_trail;
mod busy_neighbour;
mod cases_missing;
mod commit_not_synchronous;
mod cost_grows_with_stored;
mod count_ambiguous;
mod count_differs;
mod count_moves_unasked;
mod count_slow;
mod count_unanswered;
mod count_unjudged;
mod count_unreadable;
mod cpu_limit;
mod crash;
mod created_twice;
mod database_connections;
mod database_lock;
mod delayed_ack;
mod descriptors;
mod dirty_start;
mod emptied_at_start;
mod failed_but_kept;
mod flushes_unseen;
mod galo_busy;
mod galo_could_not_send;
mod galo_lag;
mod galo_late;
mod galo_throttled;
mod heap;
mod history_unjudged;
mod host_steal;
mod identity_given_twice;
mod interrupted;
mod judge_failed;
mod kept_without_answer;
mod limits_lost;
mod limits_not_enforced;
mod log_flood;
mod lost_after_crash;
mod lost_after_restart;
mod lost_in_outage;
mod lost_update;
mod memory_limit;
mod no_outage_round;
mod not_in_its_volumes;
mod not_linearizable;
mod not_up_after_crash;
mod not_up_after_restart;
mod nothing_flushed;
mod operations_failed;
mod outage;
mod outage_not_recovered;
mod outlives_its_volume;
mod pauses;
mod pool_exhausted;
mod ports;
mod read_misses_acknowledged;
mod records_contradict;
mod refused_after_crash;
mod refused_after_restart;
mod refused_but_kept;
mod refused_within_limit;
mod refused_without_duplicate;
mod resets_connections;
mod restart;
mod search_forgets;
mod search_misses_acknowledged;
mod search_unknown_person;
mod second_start_failed;
mod seldom_flushed;
mod service_died;
mod service_hard_to_kill;
mod service_late_to_stop;
mod service_left_its_group;
mod service_out_of_memory;
mod service_out_of_processes;
mod settled_late;
mod slow_disk;
mod slow_instance;
mod slows_with_rows;
mod stalls;
mod start_differs;
mod started_by_others;
mod statement_list;
mod statement_order_by_times;
mod statement_stale;
mod statement_torn;
mod stressed;
mod unbalanced;
mod unequal_terms;
mod unlimited;
mod volumes_in_memory;

use galo_plan::Blame;
use galo_plan::JsonSchema;
use galo_record::HostFact;
use galo_record::finding::Weight;
use galo_words::{Both, Lang};
use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;
pub use caused::{Caused, Explained, Waiting};
pub use contradiction::{Contradiction, HistoryFault};
pub use failures::{Number, failure};
pub use galo_busy::busy_sentence;
pub use kinds::*;
pub use lacking::{Lacking, Said};
pub use losses::{AllThere, Loss, NotUp};

pub use broken_rule::BrokenAt;
pub use cost_grows_with_stored::HoldCost;
pub use count_differs::CountDifference;
pub use count_unreadable::When;
pub use cpu_limit::{Part, Split};
pub use history_unjudged::Unjudged;
pub use operations_failed::FirstErrors;
pub use outage::OutageFigures;
pub use outage_not_recovered::NotRecovered;
pub use pauses::Pause;
pub use search_misses_acknowledged::SearchLacks;
pub use statement_list::Listing;
pub use stressed::{Near, Stress};
pub use unbalanced::ServiceCpu;

/// What is told of a finding whatever its figures are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct About {
    /// What it means for the contender, where its facts do not say otherwise.
    pub weight: Weight,
    /// What was seen, in a few words: lower case, without a full stop.
    pub headline: Both,
    /// In Portuguese: what it means, beside what its sentence says.
    pub means: &'static str,
    /// What to do, where anything can be done.
    pub remedy: Option<Both>,
}

/// What one finding says of its figures.
pub(crate) trait Tell {
    /// One sentence with the figures in it: lower case, without a full stop.
    fn sentence(&self, lang: Lang) -> String;

    /// Who is to blame.
    fn blame(&self) -> Blame {
        Blame::Contender
    }

    /// Lines that show it.
    fn evidence(&self) -> Vec<Both> {
        Vec::new()
    }

    /// What to do about it. `usual` is its kind's remedy.
    fn remedy(&self, usual: Option<Both>) -> Option<Both> {
        usual
    }
}

/// What a cause says of its figures.
pub(crate) trait Cause {
    /// What was seen while operations were slow or failed.
    fn seen(&self, lang: Lang) -> String;

    /// Who is to blame.
    fn blame(&self) -> Blame {
        Blame::Contender
    }

    /// What to do about it. `usual` is its kind's remedy.
    fn remedy(&self, usual: Option<Both>) -> Option<Both> {
        usual
    }
}

/// What a reason to be void says of its figures.
pub(crate) trait Void {
    /// Why, with its figures.
    fn why(&self, lang: Lang) -> String;

    /// What to do about it with the options of `galo load`.
    fn mend(&self, _lang: Lang) -> Option<String> {
        None
    }

    /// galo (or its caller), or the host.
    fn blame(&self) -> Blame {
        Blame::Client
    }

    /// What it spoils.
    fn spoils(&self) -> Spoils {
        Spoils::Figures
    }
}

impl<T: Void> Tell for T {
    fn sentence(&self, lang: Lang) -> String {
        let why = self.why(lang);
        galo_words::say!(lang, "the round is void: {why}", "a rodada é nula: {why}")
    }

    fn blame(&self) -> Blame {
        Void::blame(self)
    }
}

/// How far what is void may still be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spoils {
    /// Its times and rates. An answer is as wrong as ever, however late it was asked for.
    Figures,
    /// The account itself: nothing in it may be held against anybody.
    Account,
}

impl VoidReason {
    /// What it spoils.
    pub fn spoils(&self) -> Spoils {
        self.teller().spoils()
    }

    /// Why a load by itself, or of a duel, is void, and what to do about it.
    pub fn of_load(&self, lang: Lang) -> String {
        let why = self.teller().why(lang);
        match self.teller().mend(lang) {
            Some(mend) => format!("{why}; {mend}"),
            None => why,
        }
    }
}

/// What the host saw, in one sentence.
pub fn host_sentence(fact: &HostFact, lang: Lang) -> String {
    Fact::from(fact.clone()).sentence(lang)
}

/// Why something is void, gravest first.
pub fn void_sentence(reasons: &[VoidReason], lang: Lang) -> String {
    reasons.iter().map(|reason| reason.teller().why(lang)).collect::<Vec<_>>().join("; ")
}

/// One fact about a contender, the machine or galo itself, with its evidence and who is to blame.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Stable, in kebab case: a rule's name, or e.g. `service-died`.
    pub name: String,
    /// What was found.
    pub fact: Fact,
    /// What it means for the contender.
    pub weight: Weight,
    /// Who is to blame.
    pub blame: Blame,
    /// Why it is held against nobody, where it else would be.
    pub excuse: Option<Excuse>,
    /// What shows it: each piece can be checked by hand.
    pub evidence: Vec<Evidence>,
    /// A cause's share of the trouble of slow and failed operations, in thousandths. `None`: it is no cause.
    pub explains_milli: Option<u16>,
}

/// Why a fact is held against nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Excuse {
    /// galo did not start the server, so it may have held things before.
    HeldBefore,
    /// galo did not start the server, so somebody else may use it.
    UsedByOthers,
    /// What became of earlier requests is unknown.
    LeftOpen,
}

/// A finding in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wording {
    /// One sentence with the figures in it: lower case, without a full stop.
    pub text: Both,
    /// Each piece in a few lines.
    pub evidence: Vec<Both>,
    /// What to do about it, if anything.
    pub remedy: Option<Both>,
}

impl Finding {
    /// A finding without evidence, which weighs what its kind does.
    pub fn new(fact: impl Into<Fact>) -> Self {
        let fact = fact.into();
        let (name, weight) = (fact.name().to_owned(), fact.kind().about().weight);
        let blame = fact.teller().blame();
        Self { name, fact, weight, blame, excuse: None, evidence: Vec::new(), explains_milli: None }
    }

    /// The same with this evidence.
    pub(crate) fn shown_by(self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        Self { evidence: evidence.into_iter().collect(), ..self }
    }

    /// The same, merely good to know.
    pub(crate) fn noted(self) -> Self {
        Self { weight: Weight::Note, ..self }
    }

    /// The same fact, held against nobody.
    pub(crate) fn excused(self, excuse: Excuse) -> Self {
        Self { excuse: Some(excuse), ..self.noted() }
    }

    /// Stable, in kebab case: a rule's name, or e.g. `service-died`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// It in words. What is held against nobody asks for nothing.
    pub fn wording(&self) -> Wording {
        let teller = self.fact.teller();
        let text = Both::each(|lang| match self.excuse {
            Some(excuse) => format!("{} ({})", teller.sentence(lang), excuse.sentence(lang)),
            None => teller.sentence(lang),
        });
        let evidence = self.evidence.iter().map(|piece| Both::each(|lang| piece.wording(lang)));
        let remedy = teller.remedy(self.fact.kind().about().remedy).filter(|_| self.excuse.is_none());
        Wording { text, evidence: teller.evidence().into_iter().chain(evidence).collect(), remedy }
    }
}

impl Excuse {
    fn sentence(self, lang: Lang) -> &'static str {
        match self {
            Self::HeldBefore => lang.pick(
                "galo did not start this server, so it may have held them before",
                "o galo não iniciou este servidor, que já podia tê-los antes",
            ),
            Self::UsedByOthers => lang.pick(
                "galo did not start this server, so somebody else may use it",
                "o galo não iniciou este servidor, e outro usuário pode estar usando-o",
            ),
            Self::LeftOpen => lang.pick(
                "an earlier request without an answer may explain it",
                "uma requisição anterior sem resposta pode explicá-lo",
            ),
        }
    }
}

impl From<&HostFact> for Finding {
    fn from(fact: &HostFact) -> Self {
        Self::new(fact.clone())
    }
}

impl Fact {
    /// Stable, in kebab case: a rule's name, or e.g. `service-died`.
    pub fn name(&self) -> &str {
        match self {
            Self::BrokenRule(broken) => &broken.rule,
            other => other.kind().name(),
        }
    }

    /// One sentence with the figures in it: lower case, without a full stop.
    pub fn sentence(&self, lang: Lang) -> String {
        self.teller().sentence(lang)
    }

    /// What was seen, in a few words; `None`: a challenge has none for its rule.
    pub fn headline(&self) -> Option<Both> {
        match self {
            Self::BrokenRule(broken) => broken.headline.clone().map(|[en, pt]| Both::new(en, pt)),
            other => Some(other.kind().about().headline),
        }
    }
}

#[cfg(test)]
mod tests;
