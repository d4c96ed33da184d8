//! Of services, as the host saw them.

use galo_plan::units::format_bytes;
use galo_record::HostFact;
use galo_record::finding::{Ended, MemoryLimit};
use galo_words::nouns::PASS;
use galo_words::{Both, Lang, say};

pub(super) fn sentence(fact: &HostFact, lang: Lang) -> String {
    match fact {
        HostFact::ServiceDied { service, ended, out_of_memory, .. } => {
            let mut how = match ended {
                Ended::Status(code) => say!(lang, "exit status {code}", "status de saída {code}"),
                Ended::Signal(signal) => say!(lang, "killed by signal {signal}", "morto pelo sinal {signal}"),
            };
            if let Some(limit) = out_of_memory {
                let limit = memory(*limit, lang);
                how += &say!(
                    lang,
                    "; killed by the kernel: out of {limit}",
                    "; morto pelo kernel: ficou sem {limit}"
                );
            }
            say!(
                lang,
                "service `{service}` died while it should have run ({how})",
                "o serviço `{service}` morreu quando deveria estar rodando ({how})"
            )
        }
        HostFact::ServiceOutOfMemory { service, killed, limit, .. } => {
            let limit = memory(*limit, lang);
            say!(
                lang,
                "service `{service}`: the kernel killed {killed} of its processes: out of {limit}",
                "serviço `{service}`: o kernel matou {killed} dos seus processos: ficou sem {limit}"
            )
        }
        HostFact::LimitsLost { service, difference: Some(_), .. } => say!(
            lang,
            "service `{service}` no longer had its limits during the round",
            "o serviço `{service}` já não tinha os seus limites durante a rodada"
        ),
        HostFact::LimitsLost { service, difference: None, .. } => say!(
            lang,
            "the limits of service `{service}` were written to during the round",
            "alguém escreveu nos limites do serviço `{service}` durante a rodada"
        ),
        HostFact::ServiceLeftItsGroup { service, pid, command, .. } => say!(
            lang,
            "process {pid} (`{command}`) of service `{service}` left its control group, and with it the service's limits",
            "o processo {pid} (`{command}`) do serviço `{service}` saiu do seu cgroup, e com isso dos limites do serviço"
        ),
        HostFact::ServiceOutOfProcesses { service, limit, refused } => say!(
            lang,
            "service `{service}` wanted more than its {limit} processes and threads, and was refused {refused} times",
            "o serviço `{service}` quis mais do que os seus {limit} processos e threads, e foi recusado {refused} vezes"
        ),
        HostFact::LogFlood { service, limit_bytes, .. } => {
            let most = lang.figure(format_bytes(*limit_bytes));
            say!(
                lang,
                "service `{service}` wrote more than {most} of log, which costs it CPU",
                "o serviço `{service}` escreveu mais de {most} de log, o que lhe custa CPU"
            )
        }
        HostFact::ServiceLateToStop { service, grace_ns } => {
            let seconds = lang.figure((*grace_ns as f64 / 1e9).to_string());
            say!(
                lang,
                "service `{service}` had not ended {seconds} s after its stop signal, and was killed",
                "o serviço `{service}` não tinha terminado {seconds} s depois do seu sinal de parada, e foi morto"
            )
        }
        HostFact::ServiceHardToKill { service, passes } => {
            let passes = lang.counted(u64::from(*passes), PASS);
            say!(
                lang,
                "service `{service}` went on making processes while it was killed ({passes})",
                "o serviço `{service}` continuou criando processos enquanto era morto ({passes})"
            )
        }
        HostFact::SecondStartFailed { error } => say!(
            lang,
            "after its round it did not start again on fresh volumes: {error}",
            "depois da rodada ele não iniciou de novo com volumes novos: {error}"
        ),
        HostFact::VolumesInMemory { place, file_system } => say!(
            lang,
            "volumes lie in memory (`{place}` is a {file_system}), so no flush proves anything",
            "os volumes ficam na memória (`{place}` é um {file_system}), então nenhum flush prova nada"
        ),
        HostFact::NoOutageRound => lang
            .pick(
                "no outage was tried: no two services have names or commands that are the same but for digits",
                "a falta de uma instância não foi testada: não há dois serviços com nomes ou comandos iguais a não ser por números",
            )
            .to_owned(),
    }
}

/// What was seen beside it.
pub(super) fn evidence(fact: &HostFact) -> Vec<Both> {
    match fact {
        HostFact::ServiceDied { log, .. } | HostFact::ServiceOutOfMemory { log, .. } => {
            log.iter().map(|line| Both::same(line.clone())).collect()
        }
        HostFact::LimitsLost { written, difference, .. } => {
            written.iter().chain(difference).map(|line| Both::same(line.clone())).collect()
        }
        HostFact::ServiceLeftItsGroup { groups, .. } => {
            groups.iter().map(|line| Both::same(line.clone())).collect()
        }
        HostFact::LogFlood { .. }
        | HostFact::ServiceOutOfProcesses { .. }
        | HostFact::ServiceLateToStop { .. }
        | HostFact::ServiceHardToKill { .. }
        | HostFact::SecondStartFailed { .. }
        | HostFact::VolumesInMemory { .. }
        | HostFact::NoOutageRound => Vec::new(),
    }
}

/// What to do, where that holds a figure.
pub(super) fn remedy(fact: &HostFact) -> Option<Both> {
    match fact {
        HostFact::ServiceDied { log_path, .. } => {
            Some(Both::new(format!("see {log_path}"), format!("Veja {log_path}.")))
        }
        HostFact::LogFlood { log_path, .. } => Some(Both::new(
            format!("let it log less; of {log_path} the middle is cut"),
            format!("Faça-o escrever menos; o meio de {log_path} foi cortado."),
        )),
        HostFact::ServiceOutOfMemory { .. }
        | HostFact::ServiceLeftItsGroup { .. }
        | HostFact::ServiceOutOfProcesses { .. }
        | HostFact::LimitsLost { .. }
        | HostFact::ServiceLateToStop { .. }
        | HostFact::ServiceHardToKill { .. }
        | HostFact::SecondStartFailed { .. }
        | HostFact::VolumesInMemory { .. }
        | HostFact::NoOutageRound => None,
    }
}

fn memory(limit: MemoryLimit, lang: Lang) -> String {
    match limit.bytes {
        Some(bytes) => {
            let bytes = lang.figure(format_bytes(bytes));
            say!(lang, "its {bytes}", "os seus {bytes}")
        }
        None => lang.pick("memory", "memória").to_owned(),
    }
}
