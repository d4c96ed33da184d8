//! The list of all findings: it makes their names, their order, the types that hold any of them, and the
//! schema.

use galo_plan::JsonSchema;
use serde::{Deserialize, Serialize};

use galo_record::HostFact;

#[cfg(test)]
use super::Weight;
use super::{About, Caused, Tell, Void};

/// `"name": file::Type,` for each finding, gravest rule first.
macro_rules! findings {
    (
        facts { $($name:literal: $file:ident::$fact:ident,)* }
        causes { $($cause_name:literal: $cause_file:ident::$cause:ident,)* }
        void { $($void_name:literal: $void_file:ident::$void:ident,)* }
        host { $($host_name:literal: $host_file:ident::$host:ident,)* }
    ) => {
        $(pub use super::$file::$fact;)*
        $(pub use super::$cause_file::$cause;)*
        $(pub use super::$void_file::$void;)*
        $(pub use galo_record::finding::$host;)*

        /// What a finding is, without its figures.
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
        )]
        pub enum Kind {
            $(#[doc = $name] #[serde(rename = $name)] $fact,)*
            $(#[doc = $cause_name] #[serde(rename = $cause_name)] $cause,)*
            $(#[doc = $void_name] #[serde(rename = $void_name)] $void,)*
            $(#[doc = $host_name] #[serde(rename = $host_name)] $host,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &[Self] = &[
                $(Self::$fact,)* $(Self::$cause,)* $(Self::$void,)* $(Self::$host,)*
            ];

            /// The one of this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|kind| kind.name() == name)
            }

            /// Stable, in kebab case.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$fact => $name,)*
                    $(Self::$cause => $cause_name,)*
                    $(Self::$void => $void_name,)*
                    $(Self::$host => $host_name,)*
                }
            }

            /// Whether it is a rule that the judge itself holds contenders to.
            #[cfg(test)]
            pub(super) fn is_rule(self) -> bool {
                let is_own = matches!(self, $(Self::$fact)|*);
                let others = [Self::BrokenRule, Self::CasesMissing, Self::OperationsFailed, Self::CostGrowsWithStored];
                is_own && !others.contains(&self) && self.about().weight != Weight::Note
            }

            /// Whether it holds rounds back: a page of galo's `docs/findings`.
            #[cfg(test)]
            pub(super) fn is_cause(self) -> bool {
                let no_causes = [Self::Interrupted, Self::RecordsContradict, Self::JudgeFailed];
                matches!(self, $(Self::$cause)|* $(| Self::$void)*) && !no_causes.contains(&self)
            }

            /// What is told of it whatever its figures are.
            pub const fn about(self) -> About {
                match self {
                    $(Self::$fact => super::$file::ABOUT,)*
                    $(Self::$cause => super::$cause_file::ABOUT,)*
                    $(Self::$void => super::$void_file::ABOUT,)*
                    $(Self::$host => super::$host_file::ABOUT,)*
                }
            }
        }

        /// What was found.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        pub enum Fact {
            $(#[doc = $name] #[serde(rename = $name)] $fact($fact),)*
            $(#[doc = $cause_name] #[serde(rename = $cause_name)] $cause(Caused<$cause>),)*
            $(#[doc = $void_name] #[serde(rename = $void_name)] $void($void),)*
            $(#[doc = $host_name] #[serde(rename = $host_name)] $host($host),)*
        }

        impl Fact {
            /// What it is, without its figures.
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Self::$fact(_) => Kind::$fact,)*
                    $(Self::$cause(_) => Kind::$cause,)*
                    $(Self::$void(_) => Kind::$void,)*
                    $(Self::$host(_) => Kind::$host,)*
                }
            }

            pub(super) fn teller(&self) -> &dyn Tell {
                match self {
                    $(Self::$fact(fact) => fact,)*
                    $(Self::$cause(fact) => fact,)*
                    $(Self::$void(fact) => fact,)*
                    $(Self::$host(fact) => fact,)*
                }
            }
        }

        $(impl From<$fact> for Fact {
            fn from(fact: $fact) -> Self {
                Self::$fact(fact)
            }
        })*

        $(impl From<Caused<$cause>> for Fact {
            fn from(fact: Caused<$cause>) -> Self {
                Self::$cause(fact)
            }
        })*

        impl From<HostFact> for Fact {
            fn from(fact: HostFact) -> Self {
                match fact {
                    $(HostFact::$host(fact) => Self::$host(fact),)*
                }
            }
        }

        /// One reason for a load to be void, with its figures.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        pub enum VoidReason {
            $(#[doc = $void_name] #[serde(rename = $void_name)] $void($void),)*
        }

        impl VoidReason {
            /// What it is, without its figures.
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Self::$void(_) => Kind::$void,)*
                }
            }

            pub(super) fn teller(&self) -> &dyn Void {
                match self {
                    $(Self::$void(reason) => reason,)*
                }
            }
        }

        impl From<VoidReason> for Fact {
            fn from(reason: VoidReason) -> Self {
                match reason {
                    $(VoidReason::$void(reason) => Self::$void(reason),)*
                }
            }
        }

        $(impl From<$void> for VoidReason {
            fn from(reason: $void) -> Self {
                Self::$void(reason)
            }
        })*
    };
}

findings! {
    facts {
        "dirty-start": dirty_start::DirtyStart,
        "count-unreadable": count_unreadable::CountUnreadable,
        "count-differs": count_differs::CountDiffers,
        "above-ceiling": above_ceiling::AboveCeiling,
        "below-ceiling": below_ceiling::BelowCeiling,
        "created-twice": created_twice::CreatedTwice,
        "read-misses-acknowledged": read_misses_acknowledged::ReadMissesAcknowledged,
        "search-misses-acknowledged": search_misses_acknowledged::SearchMissesAcknowledged,
        "search-forgets": search_forgets::SearchForgets,
        "search-unknown-person": search_unknown_person::SearchUnknownPerson,
        "identity-given-twice": identity_given_twice::IdentityGivenTwice,
        "refused-but-kept": refused_but_kept::RefusedButKept,
        "refused-without-duplicate": refused_without_duplicate::RefusedWithoutDuplicate,
        "not-linearizable": not_linearizable::NotLinearizable,
        "start-differs": start_differs::StartDiffers,
        "lost-update": lost_update::LostUpdate,
        "broken-trail": broken_trail::BrokenTrail,
        "refused-within-limit": refused_within_limit::RefusedWithinLimit,
        "statement-stale": statement_stale::StatementStale,
        "statement-torn": statement_torn::StatementTorn,
        "statement-list": statement_list::StatementList,
        "statement-order-by-times": statement_order_by_times::StatementOrderByTimes,
        "balance-not-conserved": balance_not_conserved::BalanceNotConserved,
        "failed-but-kept": failed_but_kept::FailedButKept,
        "count-ambiguous": count_ambiguous::CountAmbiguous,
        "settled-late": settled_late::SettledLate,
        "count-unanswered": count_unanswered::CountUnanswered,
        "pauses": pauses::Pauses,
        "slows-with-rows": slows_with_rows::SlowsWithRows,
        "resets-connections": resets_connections::ResetsConnections,
        "count-slow": count_slow::CountSlow,
        "delayed-ack": delayed_ack::DelayedAck,
        "unbalanced": unbalanced::Unbalanced,
        "nothing-flushed": nothing_flushed::NothingFlushed,
        "count-moves-unasked": count_moves_unasked::CountMovesUnasked,
        "outlives-its-volume": outlives_its_volume::OutlivesItsVolume,
        "acknowledged-before-flush": acknowledged_before_flush::AcknowledgedBeforeFlush,
        "commit-not-synchronous": commit_not_synchronous::CommitNotSynchronous,
        "lost-after-crash": lost_after_crash::LostAfterCrash,
        "refused-after-crash": refused_after_crash::RefusedAfterCrash,
        "not-up-after-crash": not_up_after_crash::NotUpAfterCrash,
        "lost-after-restart": lost_after_restart::LostAfterRestart,
        "refused-after-restart": refused_after_restart::RefusedAfterRestart,
        "not-up-after-restart": not_up_after_restart::NotUpAfterRestart,
        "not-in-its-volumes": not_in_its_volumes::NotInItsVolumes,
        "emptied-at-start": emptied_at_start::EmptiedAtStart,
        "lost-in-outage": lost_in_outage::LostInOutage,
        "outage-not-recovered": outage_not_recovered::OutageNotRecovered,
        "broken-rule": broken_rule::BrokenRule,
        "cases-missing": cases_missing::CasesMissing,
        "cost-grows-with-stored": cost_grows_with_stored::CostGrowsWithStored,
        "count-unjudged": count_unjudged::CountUnjudged,
        "crash": crash::Crash,
        "flushes-unseen": flushes_unseen::FlushesUnseen,
        "galo-lag": galo_lag::GaloLag,
        "history-unjudged": history_unjudged::HistoryUnjudged,
        "kept-without-answer": kept_without_answer::KeptWithoutAnswer,
        "limits-not-enforced": limits_not_enforced::LimitsNotEnforced,
        "operations-failed": operations_failed::OperationsFailed,
        "outage": outage::Outage,
        "restart": restart::Restart,
        "seldom-flushed": seldom_flushed::SeldomFlushed,
        "started-by-others": started_by_others::StartedByOthers,
        "stressed": stressed::Stressed,
        "unlimited": unlimited::Unlimited,
    }
    causes {
        "accept-queue": accept_queue::AcceptQueue,
        "balancer-connections": balancer_connections::BalancerConnections,
        "busy-neighbour": busy_neighbour::BusyNeighbour,
        "cpu-limit": cpu_limit::CpuLimit,
        "database-connections": database_connections::DatabaseConnections,
        "database-lock": database_lock::DatabaseLock,
        "descriptors": descriptors::Descriptors,
        "heap": heap::Heap,
        "memory-limit": memory_limit::MemoryLimit,
        "pool-exhausted": pool_exhausted::PoolExhausted,
        "ports": ports::Ports,
        "slow-disk": slow_disk::SlowDisk,
        "slow-instance": slow_instance::SlowInstance,
        "stalls": stalls::Stalls,
    }
    void {
        "interrupted": interrupted::Interrupted,
        "galo-could-not-send": galo_could_not_send::GaloCouldNotSend,
        "galo-throttled": galo_throttled::GaloThrottled,
        "host-steal": host_steal::HostSteal,
        "galo-busy": galo_busy::GaloBusy,
        "galo-late": galo_late::GaloLate,
        "unequal-terms": unequal_terms::UnequalTerms,
        "records-contradict": records_contradict::RecordsContradict,
        "judge-failed": judge_failed::JudgeFailed,
    }
    host {
        "service-died": service_died::ServiceDied,
        "service-out-of-memory": service_out_of_memory::ServiceOutOfMemory,
        "service-left-its-group": service_left_its_group::ServiceLeftItsGroup,
        "service-out-of-processes": service_out_of_processes::ServiceOutOfProcesses,
        "limits-lost": limits_lost::LimitsLost,
        "log-flood": log_flood::LogFlood,
        "service-late-to-stop": service_late_to_stop::ServiceLateToStop,
        "service-hard-to-kill": service_hard_to_kill::ServiceHardToKill,
        "second-start-failed": second_start_failed::SecondStartFailed,
        "volumes-in-memory": volumes_in_memory::VolumesInMemory,
        "no-outage-round": no_outage_round::NoOutageRound,
    }
}
