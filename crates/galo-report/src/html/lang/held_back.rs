//! What held a side of a duel back, in both languages. The English sentence is the judge's; the Portuguese one says the same, and
//! a new bottleneck does not compile before it has one.

use galo_judge::duel::{Bottleneck, HeldBack, SideUsage};
use galo_plan::units::format_bytes;

use super::{
    Both, HELD_BY_ALL_CORES, HELD_BY_BUSY_CORES, HELD_BY_CPU_LIMIT, HELD_BY_GALO, HELD_BY_MEMORY,
    HELD_BY_NOTHING, HELD_BY_ONE_THREAD, HELD_BY_SOMETHING_ELSE, with_decimal_commas,
};
use crate::text::clean;
use crate::words::{count, number};

/// All of it in one sentence; `name` is the side's.
pub(crate) fn held_back(name: &str, told: &HeldBack) -> Both {
    Both::new(clean(&told.text), clean(&portuguese(name, told)))
}

/// In two or three words.
pub(crate) const fn bottleneck(by: Bottleneck) -> Both {
    match by {
        Bottleneck::OutOfMemory | Bottleneck::MemoryLimit => HELD_BY_MEMORY,
        Bottleneck::CpuLimit | Bottleneck::CpuLimitAtTimes => HELD_BY_CPU_LIMIT,
        Bottleneck::OneThread => HELD_BY_ONE_THREAD,
        Bottleneck::AllCores => HELD_BY_ALL_CORES,
        Bottleneck::BusyCores => HELD_BY_BUSY_CORES,
        Bottleneck::Galo => HELD_BY_GALO,
        Bottleneck::SomethingElse => HELD_BY_SOMETHING_ELSE,
        Bottleneck::Nothing => HELD_BY_NOTHING,
    }
}

fn portuguese(name: &str, told: &HeldBack) -> String {
    let HeldBack { by, connections, usage, .. } = told;
    let used = used(usage);
    match by {
        Bottleneck::OutOfMemory => format!(
            "{name} ficou sem a sua memória{}: o kernel matou {} dos seus processos",
            of_memory_limit(usage),
            whole(usage.oom_kills)
        ),
        Bottleneck::MemoryLimit => {
            let most = usage.anonymous_peak_bytes.map_or_else(String::new, |most| {
                format!(", no máximo {} dela anônima", with_decimal_commas(&format_bytes(most)))
            });
            let hits = match usage.memory_limit_hits {
                0 => String::new(),
                hits => format!("alocações no limite: {}, ", whole(hits)),
            };
            format!(
                "{name} esteve no seu limite de memória{}: {hits}páginas lidas de novo do disco: {}{most}",
                of_memory_limit(usage),
                whole(usage.major_faults)
            )
        }
        Bottleneck::CpuLimit => {
            let thread = usage
                .full_thread()
                .map_or_else(String::new, |cpu| format!(", {} disso numa thread", two(cpu)));
            let throttled = match usage.throttled_periods {
                0 => String::new(),
                _ => format!(", com a CPU cortada em {}", periods(usage)),
            };
            format!("{name} usou todo o seu limite de CPU: {used}{thread}{throttled}{}", cost_decides(usage))
        }
        Bottleneck::CpuLimitAtTimes => {
            format!("{name} usou todo o seu limite de CPU em {}, e ao todo {used}", periods(usage))
        }
        Bottleneck::OneThread => format!(
            "{name} usou um núcleo inteiro: uma das suas threads usou {}, todas juntas {used}; para usar mais, precisaria de \
             mais threads",
            two(usage.busiest_thread.unwrap_or_default())
        ),
        Bottleneck::AllCores => format!(
            "{name} usou os núcleos que o galo deixou: {} CPU ao lado de {} do galo, de {} núcleos{}",
            two(usage.cpus),
            two(usage.galo_cpus.unwrap_or_default()),
            usage.cores.unwrap_or_default(),
            cost_decides(usage)
        ),
        Bottleneck::BusyCores => format!(
            "{name} esperou por um núcleo em {} do tempo em que queria um: usou {used}{}",
            percent(usage.waited_share().unwrap_or_default()),
            meanwhile(usage)
        ),
        Bottleneck::Galo => format!(
            "dava para pedir mais a {name}: a thread mais ocupada do galo esteve ocupada {} do tempo, enquanto {name} usou \
             {used}; --threads dá mais delas ao galo",
            percent(usage.engine_thread)
        ),
        Bottleneck::SomethingElse => format!(
            "não faltou CPU nem memória a {name}: usou {used}; então esperou por outra coisa: uma pausa própria, uma trava, um \
             banco de dados, a rede, ou mais de {connections} requisições de cada vez"
        ),
        Bottleneck::Nothing => {
            format!("não faltou CPU nem memória a {name}: usou {used}; uma taxa mais alta diria mais")
        }
    }
}

/// `0,48 de 0,5 CPU`, `1,31 CPU de 2 núcleos`.
fn used(usage: &SideUsage) -> String {
    let used = two(usage.cpus);
    match (usage.cpu_limit, usage.cores) {
        (Some(limit), _) => format!("{used} de {} CPU", with_decimal_commas(&limit.to_string())),
        (None, Some(1)) => format!("{used} CPU de 1 núcleo"),
        (None, Some(cores)) => format!("{used} CPU de {cores} núcleos"),
        (None, None) => format!("{used} CPU"),
    }
}

fn periods(usage: &SideUsage) -> String {
    format!("{} de {} períodos", whole(usage.throttled_periods), whole(usage.periods))
}

fn cost_decides(usage: &SideUsage) -> String {
    usage.cpu_us_per_answer.map_or_else(String::new, |us| {
        let us = with_decimal_commas(&number(us, if us < 1e3 { 1 } else { 0 }));
        format!("; então quem decide é a CPU por resposta: {us} us")
    })
}

fn meanwhile(usage: &SideUsage) -> String {
    let told = [
        usage.galo_cpus.map(|cpus| format!("o galo usou {}", two(cpus))),
        usage.told_other_cpus().map(|cpus| format!("outros programas usaram {}", two(cpus))),
        usage.told_stolen_cpus().map(|cpus| format!("um hipervisor tomou {}", two(cpus))),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    if told.is_empty() { String::new() } else { format!(", enquanto {}", super::sentence::listed(&told)) }
}

fn of_memory_limit(usage: &SideUsage) -> String {
    let limit = usage.memory_limit_bytes.map(format_bytes);
    limit.map_or_else(String::new, |limit| format!(" de {}", with_decimal_commas(&limit)))
}

fn two(cpus: f64) -> String {
    with_decimal_commas(&format!("{cpus:.2}"))
}

fn whole(value: u64) -> String {
    with_decimal_commas(&count(value))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share.min(1.0) * 100.0)
}
