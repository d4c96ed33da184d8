//! The report of a search for the best setting, and of a sweep.

use std::collections::BTreeMap;

use galo_judge::league::{AtSetting, Cell, Head, HeldBack, JudgedSweep, Ratio};
use galo_judge::measure::Measures;
use galo_judge::tune::{Effect, JudgedTune, Try};
use galo_judge::{Standing, Verdict};
use galo_plan::knob::{Knob, Turn, combinations};
use galo_plan::tune::Objective;
use galo_report::{Document, Language, Look};
use galo_words::Lang;
use insta::assert_snapshot;

use crate::runs::decided;
use crate::synthetic::header;

const PLAIN: Look = Look { width: 80, colour: false };

fn turns(text: &str) -> Vec<Turn> {
    let turn = |word: &str| {
        let (knob, value) = word.split_once('=').unwrap();
        Turn { knob: knob.to_owned(), value: value.to_owned() }
    };
    text.split_whitespace().map(turn).collect()
}

/// The start, a better split, and a pool at which it did not come up.
pub(crate) fn searched() -> JudgedTune {
    let one = |child, text: &str, value: Option<f64>, failed: Option<&str>| Try {
        child,
        turns: turns(text),
        value,
        interval: value.map(|value| [0.95 * value, 1.05 * value]),
        failed: failed.map(str::to_owned),
        void: false,
    };
    let effect = |knob: &str, factor, matters| Effect { knob: knob.to_owned(), factor, matters };
    JudgedTune {
        header: header(),
        contender: "mine".to_owned(),
        challenge: "pessoas".to_owned(),
        profile: "quick".to_owned(),
        scale: 1.0,
        seed: "7".to_owned(),
        objective: Objective::Scale,
        tries: vec![
            one(1, "", Some(2.4), None),
            one(2, "db.cpus=0.8 api1.cpus=0.25 api2.cpus=0.25 nginx.cpus=0.2 pool=30", Some(6.1), None),
            one(
                3,
                "db.cpus=0.7 api1.cpus=0.3 api2.cpus=0.3 nginx.cpus=0.2 pool=400",
                None,
                Some("it held no scale\nhint: \u{1b}[2J"),
            ),
        ],
        best: Some(1),
        gain: Some(Ratio { ratio: 2.54, interval: [2.3, 2.81] }),
        effects_after: 5,
        effects: vec![effect("pool", 1.8, true), effect("nginx.cpus", 1.02, false)],
        fragment: Some(
            "services:\n  db:\n    deploy:\n      resources:\n        limits:\n          cpus: \"0.8\"\n"
                .to_owned(),
        ),
        fight: None,
    }
}

/// Two contenders through two knobs; one does not start at one setting.
pub(crate) fn swept() -> JudgedSweep {
    let knobs = ["pool=1,25", "idle=0,25"].map(|text| Knob::parse(text).unwrap());
    let at = |contender: usize, index: usize| AtSetting {
        contender,
        takes: Default::default(),
        rounds: 4,
        places: Some(if index.is_multiple_of(2) { [2 - contender, 2 - contender] } else { [1, 2] }),
        among: 2,
        measures: Measures::default(),
        answers_per_s: Some(1000.0 * (index + 1) as f64 / (contender + 1) as f64),
        by_first: None,
        highest_scale: None,
        held_back: (index == 2)
            .then(|| HeldBack { finding: "cpu-limit".to_owned(), service: Some("db".to_owned()) }),
        out: (contender == 1 && index == 3)
            .then(|| Standing::NotReady { reason: "it ended before it was ready".to_owned() }),
        void_too_often: None,
        unseen: if contender == 1 { vec!["api.env.MIN_IDLE".to_owned()] } else { Vec::new() },
    };
    let cells = combinations(&knobs).unwrap().into_iter().enumerate().map(|(index, turns)| Cell {
        values: turns.into_iter().map(|turn| turn.value).collect(),
        contenders: vec![at(0, index), at(1, index)],
    });
    JudgedSweep {
        header: header(),
        head: Head {
            challenge: "posts".to_owned(),
            profile: "ten".to_owned(),
            scale: 1.0,
            seed: "7".to_owned(),
            is_over: true,
            limits_note: None,
            walls_note: None,
            budget: None,
            is_light: false,
            blocks: 8,
            passes: 4,
        },
        cells: cells.collect(),
        knobs: knobs.into(),
        contenders: ["go-gin-gorm", "rust-axum-seaorm"].map(str::to_owned).into(),
        refused: Vec::new(),
    }
}

pub(crate) fn documents() -> [Document; 2] {
    [galo_report::tune(&searched(), &BTreeMap::new()), galo_report::sweep(&swept())]
}

#[test]
fn what_was_searched_and_what_was_swept_are_told_in_both_languages() {
    for document in documents() {
        for lang in [Lang::En, Lang::Pt] {
            let told = document.terminal(PLAIN, lang);
            assert!(!told.contains('\u{1b}'));
            assert_snapshot!(told);
        }
        assert_snapshot!(document.markdown(Lang::En));
    }
    // What was searched has fought nobody yet.
    let tones = documents().map(|document| {
        let page = document.html(Language::OfBrowser).unwrap();
        page.split_once("class=\"verdict ").unwrap().1.split_once('"').unwrap().0.to_owned()
    });
    assert_eq!(tones, ["open", "decided"]);
}

#[test]
fn the_fight_at_the_end_decides_whether_there_is_anything_to_paste() {
    let page = |is_won: bool, verdict: Option<Verdict>| {
        let mut fight = decided().report.clone();
        // The start comes first, and the best last: of these the first wins.
        if is_won {
            fight.contenders.reverse();
        }
        fight.verdict = verdict.unwrap_or(fight.verdict);
        let tune = JudgedTune { fight: Some(Box::new(fight)), ..searched() };
        galo_report::tune(&tune, &BTreeMap::new()).html(Language::English).unwrap()
    };
    let told = |page: &str| (page.contains("class=\"verdict decided\""), page.contains("To paste"));
    let won = page(true, None);
    assert_eq!(told(&won), (true, true));
    let (_, verdict) = won.split_once("<h1").unwrap();
    let (fight, searched) =
        verdict.split_once("; in the search: mine: scale 6.1 instead of scale 2.4").unwrap();
    assert!(fight.contains("rust-sqlite is better than go-postgres"), "{fight}");
    assert!(searched.starts_with(", x 2.540 (2.300 to 2.810)</span>"), "{}", &searched[..200]);
    assert_eq!(told(&page(false, None)), (false, false));
    assert_eq!(told(&page(true, Some(Verdict::NoDifference))), (false, false));
    let few = Verdict::TooFewRounds { pairs: 2, needed: 6 };
    assert_eq!(told(&page(true, Some(few))), (false, true));
}

#[test]
fn every_try_links_to_its_page_the_start_too() {
    let folders = [(1, "tries/1".to_owned()), (2, "tries/2".to_owned())].into();
    let page = galo_report::tune(&searched(), &folders).html(Language::English).unwrap();
    let (_, tries) = page.split_once("<caption id=\"tries-table\">").unwrap();
    let links: Vec<&str> = tries.split("<th scope=\"row\"><a href=\"").skip(1).collect();
    assert_eq!(links.len(), 2, "the third has no page");
    assert!(links[0].starts_with("tries/1/report.html\"><span lang=\"en\">as its file says"), "{}", links[0]);
    assert!(links[1].starts_with("tries/2/report.html\">"), "{}", links[1]);
}

#[test]
fn the_figures_of_who_is_out_at_a_setting_are_in_brackets() {
    let mut sweep = swept();
    let out = &mut sweep.cells[0].contenders[1];
    out.out = Some(Standing::Disqualified { rules: vec!["count-differs".to_owned()] });
    let told = galo_report::sweep(&sweep).terminal(PLAIN, Lang::En);
    let row = told.lines().find(|line| line.starts_with("rust-axum-seaorm pool=1 ") && line.contains("500"));
    assert!(row.is_some_and(|row| row.contains(" [500] ") && row.ends_with(" 1,000")), "{told}");
    assert!(told.contains("\nFigures in [brackets] are of a contender that is out"), "{told}");
}

#[test]
fn a_search_whose_best_has_fought_the_start_does_not_go_on() {
    let told = |fight, lang| {
        let few = JudgedTune { effects: Vec::new(), fight, ..searched() };
        galo_report::tune(&few, &BTreeMap::new()).terminal(PLAIN, lang).replace("\n  ", " ")
    };
    let fight = || Some(Box::new(decided().report.clone()));
    assert!(told(None, Lang::En).contains("(--resume RUN --for 1h goes on)"));
    assert!(told(fight(), Lang::En).contains("(search anew with a longer --for)"));
    let pt = told(fight(), Lang::Pt);
    assert!(pt.contains("(busque de novo com um --for mais longo)"), "{pt}");
    assert!(pt.contains("\nA melhor contra o início: "), "{pt}");
}
