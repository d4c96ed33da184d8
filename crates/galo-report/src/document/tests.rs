use galo_judge::Difference;
use galo_judge::findings::Wording;
use galo_plan::Blame;
use galo_words::{Figure, Lang};

use super::*;
use crate::Language;
use crate::text::Look;

const LOOK: Look = Look { width: 80, colour: false };

/// A row: a name, a figure, and what it warns of.
type Row = (String, Cell, Option<&'static str>);

fn table(rows: Vec<Row>) -> Document {
    type OfRow<'a> = Column<'a, Row>;
    let columns = [
        OfRow::text(Both::word("name", "nome"), |(name, _, _)| name.clone()),
        OfRow::new(Both::word("errors", "erros"), |(_, errors, _)| errors.clone()),
    ];
    let warning = |(_, _, warning): &Row| warning.map(Both::same);
    let table = Table::warning("t", Both::word("All", "Tudo"), columns, rows, warning);
    let blocks = vec![Block::Table(table), Block::Note(Both::word("a note", "uma nota"))];
    Document {
        title: "a title".to_owned(),
        warnings: vec![Both::word("beware", "cuidado")],
        verdict: Both::word("it holds", "sustenta"),
        tone: Tone::Open,
        answers: vec![Answer {
            question: Both::word("sure", "certo"),
            text: Both::same("4"),
            warns: false,
            is_tile: false,
            link: None,
        }],
        subject: Both::same("pessoas"),
        lines: vec![Line { text: Both::word("a line", "uma linha"), warns: true }],
        next: Some(Next {
            why: Both::word("next: what says more", "a seguir: o que diz mais"),
            command: "galo fight 'a b' --scale 9".to_owned(),
        }),
        sections: vec![Section {
            id: "s".into(),
            name: Both::word("Rows", "Linhas"),
            emphasis: Emphasis::First,
            blocks,
        }],
        terms: vec![(Both::word("seed", "semente"), Both::same("7"))],
        origin: Some(RunHeader {
            format: 1,
            galo: "0.0.0".to_owned(),
            command: vec!["galo".to_owned(), "limit".to_owned()],
            started: "2026-01-02T03:04:05Z".to_owned(),
            machine: Default::default(),
        }),
    }
}

fn row(name: &str, errors: impl Into<Cell>, warning: Option<&'static str>) -> Row {
    (name.to_owned(), errors.into(), warning)
}

#[test]
fn every_form_tells_the_same_in_the_language_that_was_asked_for() {
    let document = table(vec![row("a", Figure::Number(1_234.5, 1), None), row("b", 2_u64, Some("too many"))]);
    insta::assert_snapshot!(document.terminal(LOOK, Lang::Pt), @r"
    cuidado
    sustenta
    uma linha
    certo: 4
    a seguir: o que diz mais
      galo fight 'a b' --scale 9
    pessoas

    Linhas
    nome    erros
    a     1.234,5
    b           2
      too many
    uma nota
    ");
    let english = document.terminal(LOOK, Lang::En);
    for told in ["beware", "it holds", "sure: 4", "1,234.5", "too many", "a note", "a line"] {
        assert!(english.contains(told), "{told}: {english}");
    }
    let markdown = document.markdown(Lang::Pt);
    for told in ["### sustenta", "- certo: 4", "| a | 1.234,5 |", "too many", "uma nota", "galo limit"] {
        assert!(markdown.contains(told), "{told}: {markdown}");
    }
    let page = document.html(Language::Portuguese).unwrap();
    for told in ["sustenta", "it holds", "1.234,5", "too many", "uma nota", "galo limit"] {
        assert!(page.contains(told), "{told}");
    }
}

#[test]
fn what_is_told_of_a_contender_is_shown_and_never_obeyed() {
    let hostile = "<script>alert(1)</script>\u{1b}[2J|";
    let document = table(vec![row(hostile, hostile.to_owned(), None)]);
    assert!(!document.terminal(LOOK, Lang::En).contains('\u{1b}'));
    assert!(!document.markdown(Lang::En).contains("<script>"));
    assert!(!document.html(Language::English).unwrap().contains("<script>alert"));
}

#[test]
fn no_line_is_wider_than_the_terminal_however_long_the_cells_are() {
    let long = "many words of a name ".repeat(9);
    let document = table(vec![row(&long, 1_u64, None), row("b", "9".repeat(60), None)]);
    for line in document.terminal(LOOK, Lang::En).lines() {
        assert!(crate::text::width(line) <= LOOK.width, "{line}");
    }
}

#[test]
fn findings_of_one_name_can_each_be_linked_to() {
    let told = Wording { text: Both::same("x"), evidence: Vec::new(), remedy: None };
    let found = ShownFinding {
        name: "cpu-limit".to_owned(),
        weight: Weight::Should,
        blame: Blame::Contender,
        contender: Some("a".to_owned()),
        how_often: None,
        headline: None,
        means: "",
        told,
        explains: None,
        has_requests: false,
    };
    let mut document = table(Vec::new());
    document.sections[0].blocks =
        vec![Block::Finding(Box::new(found.clone())), Block::Finding(Box::new(found))];
    let page = document.html(Language::English).unwrap();
    assert!(page.contains(r#"id="finding-cpu-limit""#) && page.contains(r#"id="finding-cpu-limit-2""#));
}

#[test]
fn a_curve_draws_every_point_inside_its_frame() {
    let point = |x: f64, y: f64, is_met| Point { at: [x, y], interval: None, is_met };
    let curve = Curve {
        caption: Both::same("c"),
        axes: [Both::same("x"), Both::same("y")],
        along: Along::Scale,
        points: vec![point(0.01, 0.5, true), point(100.0, 60_000.0, false), point(1.0, 7.0, true)],
    };
    let svg = curve.svg();
    assert_eq!((svg.matches("<circle").count(), svg.matches("missed").count()), (2, 1));
    assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("M-"), "{svg}");
    let alone = Curve { points: vec![point(3.0, 3.0, true)], ..curve };
    assert!(!alone.svg().contains("NaN"), "{}", alone.svg());
}

#[test]
fn time_goes_evenly_from_nothing() {
    let point = |x: f64| Point { at: [x, 5.0], interval: None, is_met: true };
    let curve = Curve {
        caption: Both::same("c"),
        axes: [Both::same("minutes"), Both::same("y")],
        along: Along::Time,
        points: vec![point(0.5), point(20.0), point(39.5)],
    };
    let svg = curve.svg();
    let ticks: Vec<&str> =
        svg.split(r#"class="x">"#).skip(1).filter_map(|text| text.split('<').next()).collect();
    assert_eq!(ticks, ["0", "10", "20", "30", "40"]);
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}

#[test]
fn a_terminal_leaves_out_what_only_some_ask_for_and_markdown_folds_it() {
    let mut document = table(vec![row("a", 1_u64, None)]);
    document.sections[0].emphasis = Emphasis::Later;
    assert!(!document.terminal(LOOK, Lang::En).contains("Rows"));
    let markdown = document.markdown(Lang::En);
    assert!(
        markdown.contains("<details><summary>Rows</summary>") && markdown.contains("| a | 1 |"),
        "{markdown}"
    );
}

#[test]
fn a_card_marks_what_is_told_apart_and_draws_ratios_where_there_is_room() {
    let row = |name: &'static str, ratio: f64, difference| CardRow {
        group: Some(Both::word("at once", "de uma vez")),
        name: Both::same(name),
        weighs: Weighs::Decides,
        cells: [1.5, 3.0].map(|ms| Figure::With(ms, 1, "ms").into()).into(),
        ratio: Apart::of(&galo_judge::Ratios {
            pairs: 8,
            ratio: Some(ratio),
            favoured: [7, 1],
            interval: Some([0.4, 0.6]),
            p_value: None,
            difference,
            sensitivity: None,
        }),
    };
    let card = Card {
        id: "c",
        caption: Both::same("means"),
        heads: ["a", "b"].map(|name| (name.to_owned(), Both::same(""))).map(Head::new).into(),
        against: Some(Both::same("a by b")),
        rows: vec![row("p99", 0.5, Difference::Better), row("p50", 1.0, Difference::NoDifference)],
        has_bars: true,
    };
    let mut document = table(Vec::new());
    document.sections[0].blocks = vec![Block::Card(card)];
    let told = document.terminal(LOOK, Lang::Pt);
    insta::assert_snapshot!(told.split_once("Linhas\n").unwrap().1, @r"
means
          a       b                       razão
de uma vez
p99  1,5 ms  3,0 ms  0,500 (0,400 a 0,600), 7:1* █████████
p50  1,5 ms  3,0 ms  1,000 (0,400 a 0,600), 7:1  ██████████████████
");
    let markdown = document.markdown(Lang::En);
    assert!(
        markdown.contains("| **p99** | 1.5 ms | 3.0 ms | **0.500 (0.400 to 0.600), 7:1** | better |"),
        "{markdown}"
    );
}
