//! A search for the best setting as it is told: what it gains on the start, what to paste, which knobs mattered, and every try.

use std::collections::BTreeMap;

use galo_judge::Verdict;
use galo_judge::tune::{Effect, JudgedTune, Try};
use galo_plan::knob;
use galo_plan::tune::Objective;
use galo_words::nouns::TRY;
use galo_words::{Both, Figure, Lang, say};

use crate::document::{Block, Cell, Column, Document, Emphasis, Line, Link, Section, Table, Tone};
use crate::limit::scale_of;
use crate::words::{fight_verdict, labels, ratio_in_words};

/// The whole of it. The page of each child is below its folder, by its number.
pub fn tune(tune: &JudgedTune, folders: &BTreeMap<u32, String>) -> Document {
    let verdict = verdict(tune);
    let sections = [paste(tune), fight(tune, folders), effects(tune), Some(tries(tune, folders))];
    Document {
        title: verdict.en.to_string(),
        warnings: Vec::new(),
        verdict,
        tone: if has_won(tune) == Some(true) { Tone::Decided } else { Tone::Open },
        answers: Vec::new(),
        subject: subject(tune),
        lines: vec![Line { text: spent(tune), warns: false }],
        next: None,
        sections: sections.into_iter().flatten().collect(),
        terms: Vec::new(),
        origin: Some(tune.header.clone()),
    }
}

/// Whether the best won its fight against the start at the end; `None`: there was none, or it does not say.
fn has_won(tune: &JudgedTune) -> Option<bool> {
    let fight = tune.fight.as_ref()?;
    let best = &fight.contenders.last()?.name;
    match &fight.verdict {
        Verdict::Better { winner, .. } => Some(winner == best),
        Verdict::NoDifference => Some(false),
        Verdict::Disqualified { contenders, .. } | Verdict::NotReady { contenders, .. } => {
            contenders.contains(best).then_some(false)
        }
        _ => None,
    }
}

/// What the fight at the end says, where there is one, and what the search found.
fn verdict(tune: &JudgedTune) -> Both {
    match &tune.fight {
        None => searched(tune),
        Some(fight) => {
            fight_verdict(fight).then(&Both::word("; in the search: ", "; na busca: ")).then(&searched(tune))
        }
    }
}

/// `mine: scale 8.2 instead of scale 3.1, x 2.65 (2.3 to 3)`.
fn searched(tune: &JudgedTune) -> Both {
    let (name, start) = (&tune.contender, tune.tries.first());
    let Some(best) = tune.better() else {
        return Both::each(|lang| match start.and_then(|start| start.value) {
            Some(value) => {
                let value = figure(tune.objective, value, lang);
                say!(
                    lang,
                    "{name}: no setting that was tried is expected to be better than its own, {value}",
                    "{name}: de nenhuma configuração tentada se espera que seja melhor que a própria, {value}"
                )
            }
            None if tune.tries.is_empty() => {
                say!(lang, "{name}: nothing was tried yet", "{name}: nada foi tentado ainda")
            }
            None => say!(
                lang,
                "{name}: no setting that was tried worked",
                "{name}: nenhuma configuração tentada funcionou"
            ),
        });
    };
    Both::each(|lang| {
        let value = figure(tune.objective, best.value.unwrap_or_default(), lang);
        if start.is_some_and(|start| start.void) {
            return say!(
                lang,
                "{name}: {value}; its own setting was not measured, as its rounds were void",
                "{name}: {value}; a própria configuração não foi medida, pois suas rodadas foram nulas"
            );
        }
        let Some(start) = start.and_then(|start| start.value) else {
            return say!(
                lang,
                "{name}: {value}, where its own setting failed",
                "{name}: {value}, onde a própria configuração falhou"
            );
        };
        let start = figure(tune.objective, start, lang);
        let times = tune.gain.map_or_else(String::new, |gain| {
            let is_known = gain.interval[0] < gain.interval[1];
            let ratio = ratio_in_words(gain.ratio, is_known.then_some(gain.interval));
            // Tries of these have no interval, so it is the fight's.
            let in_fight = match is_known && tune.objective != Objective::Scale {
                true => lang.pick(" in that fight", " nessa luta"),
                false => "",
            };
            format!(", x {}{in_fight}", ratio.get(lang))
        });
        say!(lang, "{name}: {value} instead of {start}{times}", "{name}: {value} em vez de {start}{times}")
    })
}

/// An objective with its name.
fn figure(objective: Objective, value: f64, lang: Lang) -> String {
    let told = lang.figure(cell(objective, value));
    match objective {
        Objective::Scale => say!(lang, "scale {told}", "escala {told}"),
        Objective::Cpu => {
            say!(lang, "{told} of CPU per 1,000 right answers", "{told} de CPU por 1.000 respostas certas")
        }
        Objective::P99 => format!("p99 {told}"),
    }
}

fn cell(objective: Objective, value: f64) -> Figure {
    match objective {
        Objective::Scale => scale_of(value),
        Objective::Cpu => Figure::With(value, 1, "ms"),
        Objective::P99 => Figure::Ms(value),
    }
}

fn subject(tune: &JudgedTune) -> Both {
    let JudgedTune { challenge, profile, .. } = tune;
    let objective = objective(tune.objective);
    Both::each(|lang| {
        let objective = objective.get(lang);
        say!(
            lang,
            "{challenge}, profile {profile}: {objective}",
            "{challenge}, perfil {profile}: {objective}"
        )
    })
}

const fn objective(objective: Objective) -> Both {
    match objective {
        Objective::Scale => Both::word("highest scale", "maior escala"),
        Objective::Cpu => Both::word("least CPU", "menos CPU"),
        Objective::P99 => Both::word("least p99", "menor p99"),
    }
}

fn spent(tune: &JudgedTune) -> Both {
    let failed = tune.tries.iter().filter(|one| one.failed.is_some() && !one.void).count();
    Both::each(|lang| {
        let tries = lang.counted(tune.tries.len() as u64, TRY);
        match failed {
            0 => tries,
            1 => say!(lang, "{tries}, of which 1 failed", "{tries}, das quais 1 falhou"),
            _ => say!(lang, "{tries}, of which {failed} failed", "{tries}, das quais {failed} falharam"),
        }
    })
}

/// What to paste into the Compose file; `None`: there is nothing, or it proved to be no better.
fn paste(tune: &JudgedTune) -> Option<Section> {
    let fragment = tune.fragment.clone().filter(|_| has_won(tune) != Some(false))?;
    Some(section("paste", labels::TO_PASTE, vec![Block::Lines(fragment)]))
}

/// What the best came to against the start.
fn fight(tune: &JudgedTune, folders: &BTreeMap<u32, String>) -> Option<Section> {
    let fight = tune.fight.as_ref()?;
    let child = tune.tries.len() as u32 + 1;
    let link = Link {
        name: labels::BEST_AGAINST_START,
        page: folders.get(&child).cloned(),
        sentence: fight_verdict(fight),
        sections: Vec::new(),
    };
    Some(section("fight", labels::BEST_AGAINST_START, vec![Block::Link(link)]))
}

fn effects(tune: &JudgedTune) -> Option<Section> {
    if tune.effects.is_empty() {
        tune.better()?;
        let needed = tune.effects_after;
        let remedy = match tune.fight {
            None => Both::word("--resume RUN --for 1h goes on", "--resume RUN --for 1h continua"),
            Some(_) => {
                Both::word("search anew with a longer --for", "busque de novo com um --for mais longo")
            }
        };
        let note = Both::each(|lang| {
            let remedy = remedy.get(lang);
            say!(
                lang,
                "too few tries to say: that takes {needed} ({remedy})",
                "poucas tentativas para dizer: são precisas {needed} ({remedy})"
            )
        });
        return Some(section("effects", labels::WHAT_MATTERED, vec![Block::Note(note)]));
    }
    let columns = [
        Column::text(Both::word("knob", "botão"), |effect: &Effect| effect.knob.clone()),
        Column::new(Both::word("makes", "faz"), |effect: &Effect| Figure::Number(effect.factor, 2)),
        Column::text(Both::word("matters", "importa"), |effect: &Effect| {
            if effect.matters {
                Both::word("yes", "sim")
            } else {
                Both::word("within noise", "dentro do ruído")
            }
        }),
    ];
    let table = Table::new("effects-table", labels::EFFECTS_CAPTION, columns, &tune.effects);
    Some(section("effects", labels::WHAT_MATTERED, vec![Block::Table(table)]))
}

fn tries(tune: &JudgedTune, folders: &BTreeMap<u32, String>) -> Section {
    let objective_of = tune.objective;
    let best = tune.best.map(|best| tune.tries[best].child);
    type OfTry<'a> = Column<'a, Try>;
    let columns = [
        OfTry::text(Both::word("setting", "configuração"), move |one| {
            let own = Both::word("as its file says", "como o arquivo diz");
            let told = if one.turns.is_empty() { own } else { Both::same(knob::told(&one.turns)) };
            match folders.get(&one.child) {
                Some(page) => Cell::Named(told, page.clone()),
                None => Cell::Words(told),
            }
        }),
        OfTry::new(objective(objective_of), move |one| one.value.map(|value| cell(objective_of, value))),
        OfTry::text(Both::same(""), move |one| {
            if Some(one.child) == best { labels::THE_BEST.into() } else { Cell::Nothing }
        }),
    ];
    let failed = |one: &Try| {
        one.failed.as_ref().and_then(|why| why.lines().next()).map(|why| Both::same(why.to_owned()))
    };
    let table = Table::warning("tries-table", labels::TRIES_CAPTION, columns, &tune.tries, failed);
    section("tries", labels::EVERY_TRY, vec![Block::Table(table)])
}

fn section(id: &'static str, name: Both, blocks: Vec<Block>) -> Section {
    Section { id: id.into(), name, emphasis: Emphasis::First, blocks }
}
