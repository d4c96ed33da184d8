//! On which terms each run was fought, in words.

use std::collections::BTreeSet;

use galo_judge::comparison::{Compared, ComparedRun, Spoils, Term, TermDifference, settings};
use galo_judge::duel::JudgedDuel;
use galo_judge::fight::JudgedFight;
use galo_record::{Machine, RunHeader};
use galo_words::nouns::CORE;
use galo_words::{Both, Figure, Lang, say};

use crate::duel::{self, cpus};
use crate::words::{cpu_limit, labels, memory_limit};

/// What a term is called.
pub(super) const fn name(term: Term) -> Both {
    match term {
        Term::Challenge => labels::CHALLENGE,
        Term::Traffic => Both::word("traffic", "tráfego"),
        Term::Budget => labels::BUDGET,
        Term::Data => Both::word("data", "dados"),
        Term::ServiceLevel => Both::word("service level", "nível de serviço"),
        Term::Request => labels::REQUEST,
        Term::Limits => Both::word("limits", "limites"),
        Term::Load(_) => Both::word("load", "carga"),
        Term::Machine => Both::word("machine", "máquina"),
        Term::System => labels::SYSTEM,
        Term::KernelSettings => Both::word("kernel setting", "configuração do kernel"),
        Term::Galo => Both::word("galo's version", "versão do galo"),
    }
}

/// What differs, which runs have what, and which figures cannot be compared for it.
pub(super) fn sentence(differs: &TermDifference, runs: &[ComparedRun]) -> Both {
    Both::each(|lang| {
        let name = name(differs.term);
        let (name, values, consequence) =
            (name.get(lang), values(differs, runs, lang), consequence(differs.spoils, lang));
        say!(lang, "{name} differs: {values}: {consequence}", "difere: {name}: {values}: {consequence}")
    })
}

/// Each value with its runs.
fn values(differs: &TermDifference, runs: &[ComparedRun], lang: Lang) -> String {
    let firsts = (0..runs.len()).filter(|run| differs.same_as[*run] == *run);
    let mut told: Vec<String> = Vec::new();
    let values = firsts.map(|first| {
        let value = value(differs.term, &runs[first].run, runs).get(lang).to_owned();
        let of_other_content = told.contains(&value);
        told.push(value.clone());
        let other = if of_other_content { lang.pick(" of other content", " de outro conteúdo") } else { "" };
        let its = (0..runs.len()).filter(|run| differs.same_as[*run] == first);
        let its: Vec<String> = its.map(|run| (run + 1).to_string()).collect();
        let noun = match its.len() {
            1 => lang.pick("run", "execução"),
            _ => lang.pick("runs", "execuções"),
        };
        format!("{value}{other} ({noun} {})", its.join(", "))
    });
    values.collect::<Vec<_>>().join("; ")
}

fn consequence(spoils: Spoils, lang: Lang) -> String {
    let figures = match spoils {
        Spoils::Everything => Both::word("no figure is comparable", "nenhuma medida é comparável"),
        Spoils::Times => Both::word("only memory is comparable", "só a memória é comparável"),
        Spoils::Counts => Both::word(
            "numbers of correct answers are not comparable",
            "números de respostas corretas não são comparáveis",
        ),
        Spoils::Level(level) => {
            let level = level.name();
            return say!(
                lang,
                "figures at level `{level}` are not comparable",
                "medidas no nível `{level}` não são comparáveis"
            );
        }
        Spoils::Nothing => Both::word("that may move every figure", "isso pode mover todas as medidas"),
    };
    figures.get(lang).to_owned()
}

/// What a term was in a run.
fn value(term: Term, of: &Compared, runs: &[ComparedRun]) -> Both {
    let RunHeader { galo, machine, .. } = of.header();
    match (term, of) {
        (Term::Machine, _) => Both::each(|lang| hardware(machine, lang)),
        (Term::System, _) => Both::each(|lang| system(machine, lang)),
        (Term::KernelSettings, _) => Both::each(|lang| differing_settings(machine, runs, lang)),
        (Term::Galo, _) => Both::same(galo.clone()),
        (term, Compared::Fight(fight)) => Both::each(|lang| of_fight(term, fight, lang)),
        (term, Compared::Duel(duel)) => Both::each(|lang| of_duel(term, duel, lang)),
    }
}

fn of_fight(term: Term, fight: &JudgedFight, lang: Lang) -> String {
    let JudgedFight { challenge, profile, seed, budget, .. } = fight;
    match term {
        Term::Traffic => {
            let scale = lang.figure(Figure::Plain(fight.scale));
            say!(lang, "profile {profile}, scale {scale}", "perfil {profile}, escala {scale}")
        }
        Term::Budget => {
            let memory = memory_limit(Some(budget.memory_bytes), lang);
            let cpus = lang.figure(Figure::Of(budget.cpus, "CPU"));
            format!("{cpus}, {memory}{}", enforced(fight.limits_enforced, lang))
        }
        Term::Data => say!(lang, "seed {seed}", "semente {seed}"),
        Term::ServiceLevel => lang.figure(Figure::Of(fight.service_level_ms, "ms")),
        _ => challenge.clone(),
    }
}

fn of_duel(term: Term, duel: &JudgedDuel, lang: Lang) -> String {
    match term {
        Term::Limits if duel.sides.iter().all(|side| side.command.is_none()) => {
            lang.pick("none (servers that ran before)", "nenhum (servidores que já estavam no ar)").to_owned()
        }
        Term::Limits => {
            let enforced = enforced(duel.cpus_milli.is_none() || duel.limits_enforced, lang);
            let (cpu, memory) = (cpu_limit(cpus(duel), lang), memory_limit(duel.memory_bytes, lang));
            say!(lang, "{cpu}, memory {memory}{enforced}", "{cpu}, memória {memory}{enforced}")
        }
        Term::Load(level) => match duel.level(level) {
            None => lang.pick("none", "nenhuma").to_owned(),
            Some(terms) => duel::level(terms).get(lang).to_owned(),
        },
        _ => duel.request.clone(),
    }
}

/// What stands behind limits.
const fn enforced(are_enforced: bool, lang: Lang) -> &'static str {
    if are_enforced { "" } else { lang.pick(", not enforced", ", não impostos") }
}

fn hardware(machine: &Machine, lang: Lang) -> String {
    let cores = lang.counted(machine.cores.into(), CORE);
    let kind = if machine.virtual_machine { ", virtual" } else { "" };
    format!("{}, {cores}, {}{kind}", machine.cpu, memory_limit(Some(machine.memory_bytes), lang))
}

fn system(Machine { system, kernel, cgroups, .. }: &Machine, lang: Lang) -> String {
    let groups = lang.pick("control groups", "grupos de controle");
    format!("{system}, {kernel}, {groups} {cgroups}")
}

/// The settings that are not the same in all runs.
fn differing_settings(machine: &Machine, runs: &[ComparedRun], lang: Lang) -> String {
    let all: Vec<_> = runs.iter().map(|of| settings(&of.run.header().machine)).collect();
    let differs = |name: &&str| all.iter().any(|of_run| of_run.get(name) != all[0].get(name));
    let names: BTreeSet<&str> =
        all.iter().flat_map(|of_run| of_run.keys().copied()).filter(differs).collect();
    let (own, unknown) = (settings(machine), lang.pick("unknown", "desconhecida"));
    let value = |name: &&str| format!("{name} {}", own.get(name).copied().unwrap_or(unknown));
    names.iter().map(value).collect::<Vec<_>>().join(", ")
}
