//! Who is first, and where: what turns the ranking round.

use galo_judge::league::{AtSetting, Cell as Setting, JudgedSweep};
use galo_words::nouns::SETTING;
use galo_words::{Both, Lang, say};

use super::turned;
use crate::document::{Block, Cell, Section};
use crate::league::section as section_of;
use crate::limit::scale_of;
use crate::shape::{Row, Shape};
use crate::words::labels;

/// What a setting says of who is first there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum First {
    /// This contender is proven better than each other.
    Is(usize),
    /// Nobody is.
    Nobody,
    /// Nothing was compared.
    Unknown,
}

/// The settings at which something holds: all at which each of some knobs has one of some values.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Where {
    /// By knob: the values; none: any.
    values: Vec<Vec<String>>,
}

/// What the sweep comes to, in one sentence.
pub(super) fn verdict(sweep: &JudgedSweep) -> Both {
    match sweep.contenders.as_slice() {
        [one] => best_setting(sweep, one),
        _ => ranking_turns(sweep),
    }
}

/// Who is first at each setting.
pub(super) fn section(sweep: &JudgedSweep, shape: &Shape<'_>) -> Option<Section> {
    if sweep.contenders.len() < 2 || sweep.head.blocks == 0 {
        return None;
    }
    let cell = |row: &Row, column: usize| match shape
        .setting(row, column)
        .map(|setting| first(&sweep.cells[setting]))
    {
        Some(First::Is(contender)) => Cell::from(sweep.contenders[contender].clone()),
        Some(First::Nobody) => labels::NO_DIFFERENCE.into(),
        Some(First::Unknown) | None => Cell::Unseen,
    };
    let table = shape.table("first", labels::FIRST_CAPTION, false, cell);
    section_of(
        "first-where",
        labels::WHO_IS_FIRST,
        vec![Block::Table(table), Block::Note(labels::FIRST_NOTE)],
    )
}

/// Who is first at a setting. Whoever is out there is no one to be better than.
fn first(cell: &Setting) -> First {
    let mut compared = cell.contenders.iter().filter(|at| at.places.is_some());
    match compared.clone().count() {
        0 => First::Unknown,
        1 if cell.contenders.len() == 1 => First::Unknown,
        _ => {
            compared.find(|at| at.places == Some([1, 1])).map_or(First::Nobody, |at| First::Is(at.contender))
        }
    }
}

/// `go first where idle=25; no difference otherwise`.
fn ranking_turns(sweep: &JudgedSweep) -> Both {
    let cells: Vec<(&Setting, First)> = sweep.cells.iter().map(|cell| (cell, first(cell))).collect();
    let known: Vec<(&Setting, First)> =
        cells.iter().copied().filter(|(_, first)| *first != First::Unknown).collect();
    let count = |wanted: First| known.iter().filter(|(_, first)| *first == wanted).count();
    let mut winners: Vec<usize> =
        (0..sweep.contenders.len()).filter(|&one| count(First::Is(one)) > 0).collect();
    winners.sort_by_key(|&one| std::cmp::Reverse(count(First::Is(one))));
    Both::each(|lang| {
        let so_far = if sweep.head.is_over { "" } else { lang.pick(" so far", " até agora") };
        let settings = lang.counted(known.len() as u64, SETTING);
        match winners.as_slice() {
            _ if known.is_empty() => nothing_compared(sweep, lang),
            [] => say!(
                lang,
                "no difference proven at any of {settings}{so_far}",
                "nenhuma diferença provada em {settings}{so_far}"
            ),
            [one] if count(First::Is(*one)) == known.len() => {
                let name = &sweep.contenders[*one];
                say!(
                    lang,
                    "{name} first at all of {settings}{so_far}",
                    "{name} em primeiro em todas as {settings}{so_far}"
                )
            }
            several => {
                let each = several.iter().map(|&one| first_where(sweep, &known, one, lang));
                let rest = (count(First::Nobody) > 0)
                    .then(|| lang.pick("no difference otherwise", "sem diferença no resto").to_owned());
                each.chain(rest).collect::<Vec<_>>().join("; ") + so_far
            }
        }
    })
}

/// `go first where idle=25`; where no knob says it, at how many settings.
fn first_where(sweep: &JudgedSweep, known: &[(&Setting, First)], one: usize, lang: Lang) -> String {
    let name = &sweep.contenders[one];
    let of = |wanted: bool| {
        let is = move |(_, first): &&(&Setting, First)| (*first == First::Is(one)) == wanted;
        known.iter().filter(is).map(|(cell, _)| *cell).collect::<Vec<_>>()
    };
    let (won, others) = (of(true), of(false));
    match described(sweep, &won, &others) {
        Some(place) => {
            let place = place.told(sweep, lang);
            say!(lang, "{name} first where {place}", "{name} em primeiro onde {place}")
        }
        None => {
            let (won, all) = (won.len(), known.len());
            say!(
                lang,
                "{name} first at {won} of {all} settings",
                "{name} em primeiro em {won} de {all} configurações"
            )
        }
    }
}

/// The fewest knobs whose values tell these settings from the others; `None`: no one or two of them do.
fn described(sweep: &JudgedSweep, won: &[&Setting], others: &[&Setting]) -> Option<Where> {
    let knobs = sweep.knobs.len();
    let values = |knob: usize| {
        let mut values: Vec<String> = Vec::new();
        for cell in won {
            if !values.contains(&cell.values[knob]) {
                values.push(cell.values[knob].clone());
            }
        }
        values
    };
    let of = |chosen: &[usize]| Where {
        values: (0..knobs)
            .map(|knob| if chosen.contains(&knob) { values(knob) } else { Vec::new() })
            .collect(),
    };
    let pairs = (0..knobs).flat_map(|one| (one + 1..knobs).map(move |other| vec![one, other]));
    let choices = (0..knobs).map(|knob| vec![knob]).chain(pairs);
    let mut all = choices.map(|chosen| of(&chosen));
    all.find(|place| others.iter().all(|cell| !place.holds(cell)))
}

impl Where {
    fn holds(&self, cell: &Setting) -> bool {
        self.values
            .iter()
            .zip(&cell.values)
            .all(|(values, value)| values.is_empty() || values.contains(value))
    }

    /// `pool=5 or 25 and idle=0`.
    fn told(&self, sweep: &JudgedSweep, lang: Lang) -> String {
        let (or, and) = (lang.pick(" or ", " ou "), lang.pick(" and ", " e "));
        let knobs = sweep.knobs.iter().zip(&self.values).filter(|(_, values)| !values.is_empty());
        let each = knobs.map(|(knob, values)| format!("{}={}", knob.name, values.join(or)));
        each.collect::<Vec<_>>().join(and)
    }
}

/// At which of its settings the only contender is best.
fn best_setting(sweep: &JudgedSweep, name: &str) -> Both {
    let of_one: Vec<(&Setting, &AtSetting)> =
        sweep.cells.iter().filter_map(|cell| Some((cell, cell.contenders.first()?))).collect();
    let so_far = if sweep.head.is_over { Both::same("") } else { Both::word(" so far", " até agora") };
    let highest = of_one.iter().filter_map(|(_, at)| at.highest_scale).max_by(f64::total_cmp);
    if let Some(highest) = highest {
        let all = of_one.iter().filter(|(_, at)| at.highest_scale == Some(highest));
        let all: Vec<String> = all.map(|(cell, _)| turned(sweep, cell)).collect();
        return Both::each(|lang| {
            let (scale, places) = (lang.figure(scale_of(highest)), places(&all, lang));
            let so_far = so_far.get(lang);
            say!(
                lang,
                "{name} holds the highest scale, {scale}, at {places}{so_far}",
                "{name} sustenta a maior escala, {scale}, com {places}{so_far}"
            )
        });
    }
    let best: Vec<String> = of_one
        .iter()
        .filter(|(_, at)| at.places.is_some_and(|[first, _]| first == 1))
        .map(|(cell, _)| turned(sweep, cell))
        .collect();
    let is_proven = of_one.iter().any(|(_, at)| at.among > 1 && at.places == Some([1, 1]));
    let compared = of_one.iter().filter(|(_, at)| at.among > 1).count();
    let measured = of_one.iter().filter(|(_, at)| at.rounds > 0).count();
    Both::each(|lang| {
        let so_far = so_far.get(lang);
        let settings = lang.counted(compared as u64, SETTING);
        match best.as_slice() {
            _ if compared == 0 && sweep.head.is_over && measured == 1 => say!(
                lang,
                "{name} at one setting, with nothing to compare it with",
                "{name} em uma configuração, sem nada com que comparar"
            ),
            _ if compared == 0 && sweep.head.is_over && measured == 0 => {
                let settings = lang.counted(of_one.len() as u64, SETTING);
                say!(
                    lang,
                    "{name} has no figure at any of {settings}",
                    "{name} não tem nenhuma medida em {settings}"
                )
            }
            _ if compared == 0 => nothing_compared(sweep, lang),
            [place] if is_proven => {
                say!(lang, "{name} is best at {place}{so_far}", "{name} é melhor com {place}{so_far}")
            }
            all if all.len() == compared => say!(
                lang,
                "{name}: no difference proven between {settings}{so_far}",
                "{name}: nenhuma diferença provada entre {settings}{so_far}"
            ),
            several => {
                let places = places(several, lang);
                say!(
                    lang,
                    "{name} is best at one of {places}; each other of {settings} is worse than one of these{so_far}",
                    "{name} é melhor com um de {places}; cada outra de {settings} é pior que uma destas{so_far}"
                )
            }
        }
    })
}

/// Settings in a sentence, as many as it has room for.
fn places(all: &[String], lang: Lang) -> String {
    /// Settings that are told.
    const TOLD: usize = 4;
    let more = if all.len() > TOLD { lang.pick(" and more", " e mais") } else { "" };
    lang.listed(&all[..all.len().min(TOLD)]) + more
}

fn nothing_compared(sweep: &JudgedSweep, lang: Lang) -> String {
    match sweep.head.is_over {
        true => lang.pick("nothing could be compared", "nada pôde ser comparado"),
        false => lang.pick("nothing was compared yet", "nada foi comparado ainda"),
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use galo_judge::league::Head;
    use galo_plan::Knob;
    use galo_record::RunHeader;

    use super::*;

    /// A sweep of two knobs and contenders `go` and `rust`; `who` says by values who is first.
    fn sweep(who: impl Fn(&str, &str) -> Option<usize>) -> JudgedSweep {
        let knobs = ["pool=1,5,25", "idle=0,25"].map(|text| Knob::parse(text).unwrap());
        let at = |contender: usize, first: Option<usize>| AtSetting {
            contender,
            takes: Default::default(),
            rounds: 4,
            places: Some(match first {
                Some(one) if one == contender => [1, 1],
                Some(_) => [2, 2],
                None => [1, 2],
            }),
            among: 2,
            measures: Default::default(),
            answers_per_s: None,
            by_first: None,
            highest_scale: None,
            held_back: None,
            out: None,
            void_too_often: None,
            unseen: Vec::new(),
        };
        let cell = |(pool, idle): (&str, &str)| Setting {
            values: vec![pool.to_owned(), idle.to_owned()],
            contenders: (0..2).map(|one| at(one, who(pool, idle))).collect(),
        };
        let settings = ["1", "5", "25"].into_iter().flat_map(|pool| ["0", "25"].map(|idle| (pool, idle)));
        JudgedSweep {
            header: RunHeader {
                format: 1,
                galo: String::new(),
                command: Vec::new(),
                started: String::new(),
                machine: Default::default(),
            },
            head: Head {
                challenge: "posts".to_owned(),
                profile: "ten".to_owned(),
                scale: 1.0,
                seed: String::new(),
                is_over: true,
                limits_note: None,
                walls_note: None,
                budget: None,
                is_light: false,
                blocks: 4,
                passes: 4,
            },
            knobs: knobs.into(),
            contenders: ["go", "rust"].map(str::to_owned).into(),
            cells: settings.map(cell).collect(),
            refused: Vec::new(),
        }
    }

    fn told(who: impl Fn(&str, &str) -> Option<usize>) -> String {
        verdict(&sweep(who)).en.into_owned()
    }

    #[test]
    fn what_turns_the_ranking_round_is_told_by_the_fewest_knobs() {
        assert_eq!(
            told(|_, idle| (idle == "25").then_some(0)),
            "go first where idle=25; no difference otherwise"
        );
        assert_eq!(
            told(|_, idle| Some(usize::from(idle == "25"))),
            "go first where idle=0; rust first where idle=25"
        );
        assert_eq!(
            told(|pool, idle| (pool != "1" && idle == "0").then_some(1)),
            "rust first where pool=5 or 25 and idle=0; no difference otherwise"
        );
        assert_eq!(told(|_, _| Some(1)), "rust first at all of 6 settings");
        assert_eq!(told(|_, _| None), "no difference proven at any of 6 settings");
        // No one or two knobs tell these from the others.
        let mixed = |pool: &str, idle: &str| ((pool == "1") == (idle == "0")).then_some(0);
        assert_eq!(told(mixed), "go first at 3 of 6 settings; no difference otherwise");
    }

    /// A sweep of `go` alone for the highest scale at each pool.
    fn of_scales(is_over: bool, scale: impl Fn(&str) -> Option<f64>) -> String {
        let mut sweep = sweep(|_, _| None);
        (sweep.head.is_over, sweep.head.blocks) = (is_over, 0);
        sweep.contenders.truncate(1);
        for cell in &mut sweep.cells {
            cell.contenders.truncate(1);
            let at = &mut cell.contenders[0];
            (at.highest_scale, at.places, at.among, at.rounds) = (scale(&cell.values[0]), None, 0, 0);
        }
        verdict(&sweep).en.into_owned()
    }

    #[test]
    fn every_setting_that_holds_the_highest_scale_is_told() {
        let most_at =
            |pools: &'static [&str]| move |pool: &str| Some(if pools.contains(&pool) { 8.0 } else { 2.0 });
        assert_eq!(
            of_scales(true, most_at(&["5"])),
            "go holds the highest scale, 8, at pool=5 idle=0 and pool=5 idle=25"
        );
        assert_eq!(
            of_scales(false, most_at(&["1", "5", "25"])),
            "go holds the highest scale, 8, at pool=1 idle=0, pool=1 idle=25, pool=5 idle=0 and pool=5 idle=25 and more so far"
        );
    }

    #[test]
    fn what_has_no_figure_or_cannot_be_compared_is_told_once_all_is_over() {
        assert_eq!(of_scales(true, |_| None), "go has no figure at any of 6 settings");
        assert_eq!(of_scales(false, |_| None), "nothing was compared yet");
        let mut alone = sweep(|_, _| None);
        alone.cells.iter_mut().flat_map(|cell| &mut cell.contenders).for_each(|at| at.places = None);
        assert_eq!(verdict(&alone).en, "nothing could be compared");
    }

    #[test]
    fn both_languages_tell_the_same() {
        let both = verdict(&sweep(|_, idle| (idle == "25").then_some(0)));
        assert_eq!(both.pt, "go em primeiro onde idle=25; sem diferença no resto");
    }
}
