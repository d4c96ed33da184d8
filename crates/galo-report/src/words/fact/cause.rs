//! Of what held a round back. What was seen is told as "while", not as "because": that two things happen at once proves nothing.

use galo_judge::fact::{Cause, CauseFact, CpuUse, Explained, Said, Split, Waiting};
use galo_plan::units::format_bytes;
use galo_record::round::Lack;
use galo_words::nouns::{CONNECTION, FAILED_OPERATION, LINE, OPERATION, SLOW_OPERATION, STALL};
use galo_words::{Both, Lang, say};

pub(super) fn sentence(fact: &CauseFact, lang: Lang) -> String {
    let (seen, share) = (seen(&fact.cause, lang), percent(fact.share));
    let waiting = waiting(fact.waiting, lang);
    say!(lang, "{seen}; this covers {share} of {waiting}", "{seen}; isso cobre {share} {waiting}")
}

/// What to do, where that holds a figure or a name.
pub(super) fn remedy(cause: &Cause) -> Option<Both> {
    match cause {
        Cause::BusyNeighbour { busiest: Some(name), .. } if name == "docker-proxy" => Some(of_proxy()),
        Cause::AcceptQueue { is_engines: true, .. } => Some(of_proxy()),
        Cause::BusyNeighbour { busiest: Some(name), .. } => Some(Both::new(
            format!("end `{name}`, or keep it off these cores (`taskset`), and fight again"),
            format!("Encerre `{name}`, ou deixe-o longe destes núcleos (`taskset`), e rode a briga de novo."),
        )),
        Cause::CpuLimit { split: Some(split), .. } => {
            let [en, pt] = [Lang::En, Lang::Pt].map(|lang| parts(split, lang));
            let budget = |lang: Lang| cpus(split.budget_cpus, lang);
            Some(Both::new(
                format!(
                    "shared out by what an answer cost each of them, the same {} CPU are: {en}",
                    budget(Lang::En)
                ),
                format!(
                    "Divididas pelo que uma resposta custou a cada um, as mesmas {} CPU são: {pt}.",
                    budget(Lang::Pt)
                ),
            ))
        }
        _ => None,
    }
}

/// What is done against a container engine's proxy of ports.
fn of_proxy() -> Both {
    Both::new(
        "`docker-proxy` copies all that goes to the published port of a container on a bridge: give the load balancer the \
         machine's network (`network_mode: host`), or start the engine without it (`dockerd --userland-proxy=false`)",
        "O `docker-proxy` copia tudo que vai à porta publicada de um contêiner numa bridge: dê ao balanceador a rede da máquina \
         (`network_mode: host`), ou inicie o motor sem ele (`dockerd --userland-proxy=false`).",
    )
}

fn seen(cause: &Cause, lang: Lang) -> String {
    match cause {
        Cause::AcceptQueue { dropped, seen, is_engines } => {
            let connections = lang.counted(*dropped, CONNECTION);
            let (was, foram) =
                if *dropped == 1 { ("was", "foi descartada") } else { ("were", "foram descartadas") };
            let seen = of(*seen, TIME, lang);
            let whose = match is_engines {
                true => say!(lang, " of the container engine's proxy", " do proxy do motor de contêineres"),
                false => String::new(),
            };
            say!(
                lang,
                "{connections} {was} dropped because an accept queue{whose} was full, and such a client waits a second before it \
                 tries again; {seen} followed on that",
                "{connections} {foram} porque uma fila de accept{whose} estava cheia, e um cliente assim espera um segundo antes de \
                 tentar de novo; {seen} veio depois disso"
            )
        }
        Cause::BusyNeighbour { waited_share, others_cpus, .. } => {
            let (waited, others) = (percent(*waited_share), lang.decimals(*others_cpus, 2));
            say!(
                lang,
                "the services waited for a core in {waited} of the time in which they wanted one, while processes that are \
                 neither the contender's nor galo's used {others} CPU",
                "os serviços esperaram por um núcleo em {waited} do tempo em que queriam um, enquanto processos que não são \
                 nem do competidor nem do galo usavam {others} CPU"
            )
        }
        Cause::CpuLimit { service, limit_cpus, seen, idle, .. } => {
            let idle: Vec<String> = idle.iter().map(|other| idle_other(other, lang)).collect();
            let idle = match idle.as_slice() {
                [] => String::new(),
                some => {
                    let some = some.join(", ");
                    say!(lang, ", while {some}", ", enquanto {some}")
                }
            };
            used_up(service, *limit_cpus, *seen, lang) + &idle
        }
        Cause::SlowInstance { service, limit_cpus, seen, twin, twin_share } => {
            let (used, share) = (used_up(service, *limit_cpus, *seen, lang), percent(*twin_share));
            say!(
                lang,
                "{used}, its twin `{twin}` in {share}: one instance is slower than the others",
                "{used}, o seu gêmeo `{twin}` em {share}: uma instância é mais lenta que as outras"
            )
        }
        Cause::DatabaseLock { seen, most } => {
            let seen = of(*seen, BUSY_TIME, lang);
            say!(
                lang,
                "sessions of the database waited for a lock in {seen}, up to {most} at once",
                "sessões do banco esperaram por um lock em {seen}, até {most} de uma vez"
            )
        }
        Cause::SlowDisk { seen, commit_ns } => {
            let seen = of(*seen, BUSY_TIME, lang);
            let commit = lang.decimals(*commit_ns as f64 / 1e6, 1);
            say!(
                lang,
                "sessions of the database waited for the disk in {seen}, {commit} ms for each commit",
                "sessões do banco esperaram pelo disco em {seen}, {commit} ms para cada commit"
            )
        }
        Cause::PoolExhausted { seen, sessions, under_way } => {
            let (seen, under_way) = (of(*seen, TIME, lang), lang.decimals(*under_way, 0));
            say!(
                lang,
                "the sessions with the database (at most {sessions}) were in use for {seen}, while {under_way} operations \
                 were under way and no service was at its CPU limit",
                "as sessões com o banco (no máximo {sessions}) estiveram em uso por {seen}, enquanto {under_way} operações \
                 estavam em andamento e nenhum serviço estava no seu limite de CPU"
            )
        }
        Cause::MemoryLimit { service, limit_bytes, seen, killed } => {
            let (limit, seen) = (lang.figure(format_bytes(*limit_bytes)), of(*seen, TIME, lang));
            let killed = match killed {
                0 => String::new(),
                killed => say!(
                    lang,
                    "the kernel killed {killed} of its processes, and ",
                    "o kernel matou {killed} dos seus processos, e "
                ),
            };
            say!(
                lang,
                "`{service}` ran out of its memory of {limit}: {killed}it was short of memory in {seen}",
                "`{service}` ficou sem a sua memória de {limit}: {killed}faltou-lhe memória em {seen}"
            )
        }
        Cause::Stalls { stalls, longest_ns, period_ns } => {
            let (stalls, longest) = (lang.counted(*stalls, STALL), lang.seconds(*longest_ns));
            let period = period_ns.map_or_else(String::new, |ns| {
                let period = lang.seconds(ns);
                say!(lang, ", every {period}", ", a cada {period}")
            });
            say!(
                lang,
                "nobody was answered in {stalls} of up to {longest}{period}, though many waited and no service was at its \
                 CPU limit",
                "ninguém teve resposta em {stalls} de até {longest}{period}, embora muitos esperassem e nenhum serviço \
                 estivesse no seu limite de CPU"
            )
        }
        Cause::Lack { lack, said, failed } => {
            let said: Vec<String> = said.iter().map(|said| who_says_so(said, lang)).collect();
            let (what, said) = (lacked(*lack, lang), said.join(", "));
            let falhou = if *failed == 1 { "falhou" } else { "falharam" };
            let failed = lang.counted(*failed, OPERATION);
            say!(lang, "{what}: {said}, and {failed} failed", "{what}: {said}, e {failed} {falhou}")
        }
    }
}

fn used_up(service: &str, limit_cpus: f64, seen: Explained, lang: Lang) -> String {
    let (limit, seen) =
        (cpus(limit_cpus, lang), of(seen, ("the quota periods", "dos períodos da cota"), lang));
    say!(
        lang,
        "`{service}` had used up its CPU limit of {limit} in {seen}",
        "`{service}` tinha esgotado o seu limite de CPU de {limit} em {seen}"
    )
}

fn idle_other(CpuUse { service, cpus: used, limit_cpus }: &CpuUse, lang: Lang) -> String {
    let (used, limit) = (lang.decimals(*used, 2), cpus(limit_cpus.unwrap_or_default(), lang));
    say!(lang, "`{service}` used {used} of {limit}", "`{service}` usou {used} de {limit}")
}

fn who_says_so(Said { service, lines }: &Said, lang: Lang) -> String {
    let lines = lang.counted(*lines, LINE);
    say!(lang, "`{service}` says so in {lines}", "`{service}` o diz em {lines}")
}

const fn lacked(lack: Lack, lang: Lang) -> &'static str {
    match lack {
        Lack::BalancerConnections => {
            lang.pick("the load balancer had no connection left", "o balanceador ficou sem conexões")
        }
        Lack::DatabaseConnections => lang.pick("the database refused sessions", "o banco recusou sessões"),
        Lack::PoolConnections => {
            lang.pick("a connection pool had nothing left", "um pool de conexões ficou sem nenhuma")
        }
        Lack::Descriptors => lang.pick("no file descriptor was left", "acabaram os descritores de arquivo"),
        Lack::Ports => lang.pick("no local port was left", "acabaram as portas locais"),
        Lack::Heap => lang.pick("a runtime's own heap was full", "o heap de um runtime encheu"),
    }
}

/// Of what a sign covers a share, in both languages.
type Covered = (&'static str, &'static str);
const TIME: Covered = ("the time", "do tempo");
const BUSY_TIME: Covered = ("the busy time", "do tempo ocupado");

/// `93 % of the time in which users waited (4 % while all was well)`.
fn of(seen: Explained, (en, pt): Covered, lang: Lang) -> String {
    let calm = seen.in_calm.map_or_else(String::new, |share| {
        let share = percent(share);
        say!(lang, " ({share} while all was well)", " ({share} enquanto tudo ia bem)")
    });
    let share = percent(seen.in_trouble);
    say!(lang, "{share} of {en} in which users waited{calm}", "{share} {pt} em que usuários esperavam{calm}")
}

/// `the waiting of 4,312 slow or failed operations (over 40 ms)`.
fn waiting(Waiting { operations, slow_ns }: Waiting, lang: Lang) -> String {
    match slow_ns {
        Some(slow_ns) => {
            let ms = lang.decimals(slow_ns as f64 / 1e6, 0);
            let operations = lang.counted(operations, SLOW_OPERATION);
            say!(
                lang,
                "the waiting of {operations} (over {ms} ms)",
                "da espera de {operations} (acima de {ms} ms)"
            )
        }
        None => {
            let operations = lang.counted(operations, FAILED_OPERATION);
            say!(lang, "the waiting of {operations}", "da espera de {operations}")
        }
    }
}

fn parts(split: &Split, lang: Lang) -> String {
    let each = split.parts.iter().map(|part| format!("`{}` {}", part.service, lang.decimals(part.cpus, 2)));
    each.collect::<Vec<_>>().join(", ")
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// With two decimals at most: `0.5`, `1`.
pub(super) fn cpus(cpus: f64, lang: Lang) -> String {
    let text = format!("{cpus:.2}");
    lang.figure(text.trim_end_matches('0').trim_end_matches('.').to_owned())
}
