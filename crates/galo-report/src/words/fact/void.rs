//! Why a load, a round or a hold says nothing about who was asked.

use galo_judge::fact::{Contradiction, HistoryFault, VoidReason};
use galo_record::Ledger;
use galo_words::nouns::{ACKNOWLEDGED, OPERATION, STEP, THREAD};
use galo_words::{Lang, say};

use super::{failure, host, step};

/// That a round is void, and why.
pub(super) fn sentence(reason: &VoidReason, lang: Lang) -> String {
    let reason = why(reason, lang);
    say!(lang, "the round is void: {reason}", "a rodada é nula: {reason}")
}

/// Several of them, gravest first.
pub(in crate::words) fn all(reasons: &[VoidReason], lang: Lang) -> String {
    reasons.iter().map(|reason| why(reason, lang)).collect::<Vec<_>>().join("; ")
}

/// Why, with its figures.
fn why(reason: &VoidReason, lang: Lang) -> String {
    match reason {
        VoidReason::Interrupted => {
            lang.pick("the caller broke it off", "quem chamou o galo a interrompeu").to_owned()
        }
        VoidReason::CouldNotSend { operations } => {
            let kinds =
                operations.iter().map(|(kind, n)| format!("{}: {}", failure(kind).of(lang), lang.whole(*n)));
            let kinds = kinds.collect::<Vec<_>>().join(", ");
            say!(
                lang,
                "galo could not even try some operations ({kinds})",
                "o galo nem conseguiu tentar algumas operações ({kinds})"
            )
        }
        VoidReason::Late { percentile, lag_us, bound_us } => {
            let lag = lang.decimals(lag_us / 1e3, 1);
            let bound = lang.figure(((bound_us / 100.0).round() / 10.0).to_string());
            say!(
                lang,
                "galo itself was late: p{percentile} of its lag is {lag} ms, over {bound} ms",
                "o próprio galo se atrasou: o p{percentile} do seu atraso é de {lag} ms, acima de {bound} ms"
            )
        }
        VoidReason::Throttled { cpus, file, stopped_s, length_s } => {
            let cpus = lang.figure(((cpus * 1000.0).round() / 1000.0).to_string());
            let [stopped, length] = [*stopped_s, *length_s].map(|seconds| lang.decimals(seconds, 1));
            say!(
                lang,
                "galo may use {cpus} CPU ({file} of its control group), and was stopped for {stopped} s of {length} s by that",
                "o galo só pode usar {cpus} CPU ({file} do seu cgroup), e isso o deteve por {stopped} s de {length} s"
            )
        }
        VoidReason::Busy { threads, share, bound } => {
            let (threads, [share, bound]) =
                (lang.counted((*threads).into(), THREAD), [*share, *bound].map(percent));
            say!(
                lang,
                "galo was the bottleneck: its load engine ({threads}) was busy {share} of the time, over {bound}",
                "o gargalo foi o galo: o seu motor de carga ({threads}) esteve ocupado {share} do tempo, acima de {bound}"
            )
        }
        VoidReason::Waited { share, bound } => {
            let [share, bound] = [*share, *bound].map(percent);
            say!(
                lang,
                "galo waited for a core {share} of the time, over {bound}",
                "o galo esperou por um núcleo {share} do tempo, acima de {bound}"
            )
        }
        VoidReason::Stolen { share, bound } => {
            let [share, bound] = [*share, *bound].map(percent);
            say!(
                lang,
                "the hypervisor took {share} of the CPU time that this machine wanted, over {bound}",
                "o hipervisor tomou {share} do tempo de CPU que esta máquina queria, acima de {bound}"
            )
        }
        VoidReason::Unequal { found } => host::sentence(found, lang),
        VoidReason::OverQuota { service, over_s, limit_cpus, factor } => {
            let over = lang.decimals(*over_s, 2);
            let [factor, limit] = [*factor, *limit_cpus].map(|figure| lang.figure(figure.to_string()));
            say!(
                lang,
                "service `{service}` used {over} s of CPU more than {factor} times its limit of {limit} CPU, over a second \
                 or longer",
                "o serviço `{service}` usou {over} s de CPU além de {factor} vezes o seu limite de {limit} CPU, por um \
                 segundo ou mais"
            )
        }
        VoidReason::Contradiction { contradiction } => {
            let how = contradicting(contradiction, lang);
            say!(lang, "{how} (a bug in galo)", "{how} (um defeito do galo)")
        }
        VoidReason::JudgeFailed { said } => {
            let said =
                said.as_deref().unwrap_or_else(|| lang.pick("it did not say why", "não disse por quê"));
            say!(
                lang,
                "unknown: the judge failed (a bug in galo): {said}",
                "não se sabe: o juiz falhou (um defeito do galo): {said}"
            )
        }
    }
}

/// Of a load by itself: what was wrong, and what to do about it with the options of `galo load`.
pub(in crate::words) fn of_load(reason: &VoidReason, lang: Lang) -> String {
    let mend = match reason {
        VoidReason::CouldNotSend { operations } => {
            let mends: Vec<&str> = operations.keys().map(|kind| mend(kind, lang)).collect();
            mends.join("; ")
        }
        VoidReason::Throttled { .. } => lang
            .pick(
                "give the container or the job that galo runs in more CPU, or ask for a lower rate",
                "dê mais CPU ao contêiner ou ao job em que o galo roda, ou peça uma taxa menor",
            )
            .to_owned(),
        VoidReason::Late { .. } => lang
            .pick(
                "give it a core of its own, more threads (--threads) or a lower rate",
                "dê-lhe um núcleo só seu, mais threads (--threads) ou uma taxa menor",
            )
            .to_owned(),
        VoidReason::Waited { .. } => lang
            .pick(
                "leave it one (`taskset` keeps the server on the others), or run it on another machine",
                "deixe-lhe um (`taskset` mantém o servidor nos outros), ou rode-o em outra máquina",
            )
            .to_owned(),
        _ => return why(reason, lang),
    };
    format!("{}; {mend}", why(reason, lang))
}

/// What to do where something was lacking.
fn mend(kind: &str, lang: Lang) -> &'static str {
    match kind {
        "no free local port" => lang.pick(
            "keep connections open (--connection shared), or widen net.ipv4.ip_local_port_range",
            "mantenha conexões abertas (--connection shared), ou aumente net.ipv4.ip_local_port_range",
        ),
        "too many open files" => lang.pick(
            "raise the limit (`ulimit -n`), or use fewer connections (--connections)",
            "aumente o limite (`ulimit -n`), ou use menos conexões (--connections)",
        ),
        "no memory for sockets" => {
            lang.pick("use fewer connections (--connections)", "use menos conexões (--connections)")
        }
        _ => lang.pick("see `galo doctor`", "veja `galo doctor`"),
    }
}

/// That galo's threads were busy for such a share of the time, in a load that counts.
pub(in crate::words) fn busy(share: f64, is_open: bool, lang: Lang) -> String {
    let what = match is_open {
        true => lang.pick(
            "a higher rate needs more of them (--threads)",
            "uma taxa maior precisa de mais delas (--threads)",
        ),
        false => lang.pick(
            "the rate may be galo's own limit, not the server's (--threads gives more of them)",
            "a taxa pode ser o limite do próprio galo, não o do servidor (--threads dá mais delas)",
        ),
    };
    let share = percent(share);
    say!(
        lang,
        "galo's threads were busy {share} of the time: {what}",
        "as threads do galo estiveram ocupadas {share} do tempo: {what}"
    )
}

/// How records contradict one another.
fn contradicting(what: &Contradiction, lang: Lang) -> String {
    match what {
        Contradiction::LedgerDoesNotAddUp { step: of, ledger } => {
            let (step, ledger) = (step(of, lang), sums(ledger, lang));
            say!(
                lang,
                "the ledger of {step} does not add up: {ledger}",
                "a conta de {step} não fecha: {ledger}"
            )
        }
        Contradiction::OtherSteps { planned, recorded } => {
            let planned = lang.counted(*planned, STEP);
            say!(
                lang,
                "the challenge has {planned}, but the round recorded {recorded}",
                "o desafio tem {planned}, mas a rodada registrou {recorded}"
            )
        }
        Contradiction::History { fault, operations } => {
            let (operations, fault) = (lang.counted(*operations, OPERATION), strange(*fault, lang));
            say!(lang, "the history has {operations} {fault}", "o histórico tem {operations} {fault}")
        }
        Contradiction::EmptyHistory { operations } => {
            let operations = lang.counted(*operations, OPERATION);
            say!(
                lang,
                "the ledger has {operations}, but the history is empty",
                "a conta tem {operations}, mas o histórico está vazio"
            )
        }
        Contradiction::HistoryDiffers { step: of, ledger, history } => {
            let (step, [ledger, history]) = (step(of, lang), [ledger, history].map(|sum| sums(sum, lang)));
            say!(
                lang,
                "ledger and history of {step} differ: {ledger}, and {history}",
                "a conta e o histórico de {step} diferem: {ledger}, e {history}"
            )
        }
        Contradiction::LatenciesDiffer { step: of, right, other, right_latencies, other_latencies } => {
            let step = step(of, lang);
            say!(
                lang,
                "{step}: the ledger has {right} right and {other} other operations, but latencies of {right_latencies} and \
                 {other_latencies}",
                "{step}: a conta tem {right} operações certas e {other} outras, mas latências de {right_latencies} e \
                 {other_latencies}"
            )
        }
        Contradiction::CountNotRead => lang
            .pick(
                "the count was not read before and after the load",
                "a contagem não foi lida antes e depois da carga",
            )
            .to_owned(),
        Contradiction::NobodyKilled => lang
            .pick(
                "nobody was killed in a round that was made for it",
                "ninguém foi morto numa rodada feita para isso",
            )
            .to_owned(),
        Contradiction::StrangeLookups => lang
            .pick(
                "it looked up creations that its history does not have",
                "consultou criações que o seu histórico não tem",
            )
            .to_owned(),
        Contradiction::NotLookedUp { creations } => {
            let creations = lang.counted(*creations, ACKNOWLEDGED);
            say!(lang, "it did not look up {creations}", "não consultou {creations}")
        }
    }
}

const fn strange(fault: HistoryFault, lang: Lang) -> &'static str {
    match fault {
        HistoryFault::NoSuchStep => {
            lang.pick("of a step that the challenge does not have", "de um passo que o desafio não tem")
        }
        HistoryFault::NoSuchRule => lang.pick(
            "with a broken rule that the plan does not have",
            "com uma regra quebrada que o plano não tem",
        ),
        HistoryFault::NoRule => lang.pick(
            "with a wrong answer but no rule that it breaks",
            "com uma resposta errada mas nenhuma regra que ela quebre",
        ),
        HistoryFault::OutOfOrder => lang.pick("out of the order of time", "fora da ordem do tempo"),
        HistoryFault::Twice => lang.pick(
            "that is there already: one user did one step twice",
            "a mais: um usuário fez um passo duas vezes",
        ),
        HistoryFault::EndedBeforeSent => lang.pick(
            "that ended before it was sent, or was sent before it was due",
            "com o fim antes do envio, ou o envio antes da hora",
        ),
        HistoryFault::EndedAfterTheLoad => {
            lang.pick("that ended after the load", "com o fim depois da carga")
        }
        HistoryFault::AnsweredOutside => lang.pick(
            "whose answer began before it was due, or after its end",
            "cuja resposta começou antes da hora, ou depois do fim",
        ),
        HistoryFault::NoSuchUser => {
            lang.pick("of a user that the plan does not have", "de um usuário que o plano não tem")
        }
        HistoryFault::ShowedMore => {
            lang.pick("that showed more than the history has", "com mais à mostra do que o histórico tem")
        }
    }
}

fn sums(sum: &Ledger, lang: Lang) -> String {
    let Ledger { intended, ok, wrong, failed, timed_out, unfinished, .. } = sum;
    say!(
        lang,
        "{intended} intended, {ok} ok + {wrong} wrong + {failed} failed + {timed_out} timed out + {unfinished} unfinished",
        "{intended} previstas, {ok} certas + {wrong} erradas + {failed} falhas + {timed_out} expiradas + {unfinished} \
         inacabadas"
    )
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}
