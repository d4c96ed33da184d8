//! What held back a side of a duel, or a service: what was used up, with its figures, and what follows of that by arithmetic alone.

use galo_judge::bottleneck::{Bottleneck, Usage};
use galo_judge::evidence::memory_hits;
use galo_plan::units::in_binary_unit;
use galo_words::nouns::{CORE, PERIOD, REQUEST};
use galo_words::{Figure, Lang, say};

/// One sentence without a full stop, which begins with the name where it can. `connections`: requests at once, at most, where there
/// was a most.
pub(crate) fn held_back(
    name: &str,
    by: Bottleneck,
    usage: &Usage,
    connections: Option<u32>,
    lang: Lang,
) -> String {
    let used = used(usage, lang);
    match by {
        Bottleneck::OutOfMemory => {
            let (limit, killed) = (of_memory_limit(usage, lang), lang.whole(usage.oom_kills));
            say!(
                lang,
                "{name} ran out of its memory{limit}: the kernel killed {killed} of its processes",
                "{name} ficou sem a sua memória{limit}: o kernel matou {killed} dos seus processos"
            )
        }
        Bottleneck::MemoryLimit => {
            let limit = of_memory_limit(usage, lang);
            let hits = memory_hits(usage.memory_limit_hits, usage.major_faults, lang);
            let most = usage.anonymous_peak_bytes.map_or_else(String::new, |most| {
                let most = lang.figure(in_binary_unit(most));
                say!(lang, ", {most} of it anonymous at most", ", no máximo {most} dela anônima")
            });
            say!(
                lang,
                "{name} was at its memory limit{limit}: {hits}{most}",
                "{name} esteve no seu limite de memória{limit}: {hits}{most}"
            )
        }
        Bottleneck::CpuLimit => {
            let thread = usage.full_thread().map_or_else(String::new, |cpu| {
                let cpu = two(cpu, lang);
                say!(lang, ", {cpu} of it in one thread", ", {cpu} disso numa thread")
            });
            let throttled = match usage.throttled_periods {
                0 => String::new(),
                _ => {
                    let periods = periods(usage, lang);
                    say!(lang, ", throttled in {periods}", ", com a CPU cortada em {periods}")
                }
            };
            let decides = cost_decides(usage, lang);
            say!(
                lang,
                "{name} used up its CPU limit: {used}{thread}{throttled}{decides}",
                "{name} usou todo o seu limite de CPU: {used}{thread}{throttled}{decides}"
            )
        }
        Bottleneck::CpuLimitAtTimes => {
            let periods = periods(usage, lang);
            say!(
                lang,
                "{name} used up its CPU limit in {periods}, and {used} in all",
                "{name} usou todo o seu limite de CPU em {periods}, e ao todo {used}"
            )
        }
        Bottleneck::OneThread => {
            let thread = two(usage.busiest_thread.unwrap_or_default(), lang);
            say!(
                lang,
                "{name} used up one core: one of its threads used {thread}, all of them {used}; to use more it would need \
                 more threads",
                "{name} usou um núcleo inteiro: uma das suas threads usou {thread}, todas juntas {used}; para usar mais, \
                 precisaria de mais threads"
            )
        }
        Bottleneck::AllCores => {
            let [cpus, galo] = [usage.cpus, usage.galo_cpus.unwrap_or_default()].map(|cpus| two(cpus, lang));
            let cores = lang.counted(usage.cores.unwrap_or_default().into(), CORE);
            let decides = cost_decides(usage, lang);
            say!(
                lang,
                "{name} used up the cores that galo left: {cpus} CPU beside galo's {galo}, of {cores}{decides}",
                "{name} usou os núcleos que o galo deixou: {cpus} CPU ao lado de {galo} do galo, de {cores}{decides}"
            )
        }
        Bottleneck::BusyCores => {
            let waited = percent(usage.waited_share().unwrap_or_default());
            let meanwhile = meanwhile(usage, lang);
            say!(
                lang,
                "{name} waited for a core in {waited} of the time in which it wanted one: it used {used}{meanwhile}",
                "{name} esperou por um núcleo em {waited} do tempo em que queria um: usou {used}{meanwhile}"
            )
        }
        Bottleneck::Galo => {
            let thread = percent(usage.engine_thread);
            say!(
                lang,
                "{name} could have been asked for more: galo's busiest thread was busy {thread} of the time, while {name} \
                 used {used}; --threads gives galo more of them",
                "dava para pedir mais a {name}: a thread mais ocupada do galo esteve ocupada {thread} do tempo, enquanto \
                 {name} usou {used}; --threads dá mais delas ao galo"
            )
        }
        Bottleneck::SomethingElse => {
            let more = connections.map_or_else(String::new, |connections| {
                let requests = lang.counted(connections.into(), REQUEST);
                say!(lang, ", or more than {requests} at once", ", ou mais de {requests} de cada vez")
            });
            say!(
                lang,
                "{name} was short of neither CPU nor memory: it used {used}; so it waited for something else: its own sleep, \
                 a lock, a database, the network{more}",
                "não faltou CPU nem memória a {name}: usou {used}; então esperou por outra coisa: uma pausa própria, uma \
                 trava, um banco de dados, a rede{more}"
            )
        }
        Bottleneck::Nothing => say!(
            lang,
            "{name} was short of neither CPU nor memory: it used {used}; a higher rate would tell more",
            "não faltou CPU nem memória a {name}: usou {used}; uma taxa mais alta diria mais"
        ),
    }
}

/// `0.48 of 0.5 CPU`, `1.31 CPU of 2 cores`.
fn used(usage: &Usage, lang: Lang) -> String {
    let used = two(usage.cpus, lang);
    match (usage.cpu_limit, usage.cores) {
        (Some(limit), _) => {
            let limit = lang.figure(Figure::Plain(limit));
            say!(lang, "{used} of {limit} CPU", "{used} de {limit} CPU")
        }
        (None, Some(cores)) => {
            let cores = lang.counted(cores.into(), CORE);
            say!(lang, "{used} CPU of {cores}", "{used} CPU de {cores}")
        }
        (None, None) => format!("{used} CPU"),
    }
}

/// `36 of 40 quota periods`.
fn periods(usage: &Usage, lang: Lang) -> String {
    let (some, all) = (lang.whole(usage.throttled_periods), lang.counted(usage.periods, PERIOD));
    say!(lang, "{some} of {all}", "{some} de {all}")
}

/// Answers per second are CPU used, divided by the CPU for each answer.
fn cost_decides(usage: &Usage, lang: Lang) -> String {
    usage.cpu_us_per_answer.map_or_else(String::new, |us| {
        let us = lang.figure(Figure::With(us, if us < 1e3 { 1 } else { 0 }, "us"));
        say!(
            lang,
            "; so the CPU for each answer decides: {us}",
            "; então quem decide é a CPU por resposta: {us}"
        )
    })
}

/// ` of 64 MiB`, or nothing.
fn of_memory_limit(usage: &Usage, lang: Lang) -> String {
    usage.memory_limit_bytes.map_or_else(String::new, |limit| {
        let limit = lang.figure(in_binary_unit(limit));
        say!(lang, " of {limit}", " de {limit}")
    })
}

/// What else used the machine.
fn meanwhile(usage: &Usage, lang: Lang) -> String {
    let cpus = |cpus: Option<f64>| cpus.map(|cpus| two(cpus, lang));
    let told = [
        cpus(usage.galo_cpus).map(|cpus| say!(lang, "galo used {cpus}", "o galo usou {cpus}")),
        cpus(usage.told_other_cpus())
            .map(|cpus| say!(lang, "other programs used {cpus}", "outros programas usaram {cpus}")),
        cpus(usage.told_stolen_cpus())
            .map(|cpus| say!(lang, "a hypervisor took {cpus}", "um hipervisor tomou {cpus}")),
    ];
    let told: Vec<String> = told.into_iter().flatten().collect();
    if told.is_empty() {
        return String::new();
    }
    let told = lang.listed(&told);
    say!(lang, ", while {told}", ", enquanto {told}")
}

fn two(cpus: f64, lang: Lang) -> String {
    lang.decimals(cpus, 2)
}

/// A share of the time; a sample is seldom exactly where a load is.
fn percent(share: f64) -> String {
    format!("{:.0} %", share.min(1.0) * 100.0)
}
