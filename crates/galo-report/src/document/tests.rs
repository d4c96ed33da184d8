use super::*;
use crate::Language;
use crate::terminal::Look;
use crate::words::Lang;

const LOOK: Look = Look { width: 80, colour: false };

fn table(rows: Vec<Row>) -> Document {
    let heads = vec![Both::word("name", "nome"), Both::word("errors", "erros")];
    let table = Table { id: "t", caption: Both::word("All", "Tudo"), heads, rows };
    let blocks = vec![Block::Table(table), Block::Note(Both::word("a note", "uma nota"))];
    Document {
        title: "a title".to_owned(),
        warnings: vec![Both::word("beware", "cuidado")],
        verdict: Both::word("it holds", "sustenta"),
        tone: Tone::Open,
        answers: vec![Answer { question: Both::word("sure", "certo"), text: Both::same("4"), warns: false }],
        subject: Both::same("pessoas"),
        sections: vec![Section { id: "s", name: Both::word("Rows", "Linhas"), blocks }],
        terms: vec![(Both::word("seed", "semente"), Both::same("7"))],
        origin: RunHeader {
            format: 1,
            galo: "0.0.0".to_owned(),
            command: vec!["galo".to_owned(), "limit".to_owned()],
            started: "2026-01-02T03:04:05Z".to_owned(),
            machine: Default::default(),
        },
    }
}

fn row(name: &str, errors: &str, warning: Option<&'static str>) -> Row {
    let cells = vec![Both::same(name.to_owned()), Both::figure(errors.to_owned())];
    Row { cells, warning: warning.map(Both::same) }
}

#[test]
fn every_form_tells_the_same_in_the_language_that_was_asked_for() {
    let document = table(vec![row("a", "1,234.5", None), row("b", "2", Some("too many"))]);
    insta::assert_snapshot!(document.terminal(LOOK, Lang::Pt), @r"
    cuidado
    sustenta
    certo: 4
    pessoas

    Linhas
    nome    erros
    a     1.234,5
    b           2
      too many
    uma nota
    ");
    let english = document.terminal(LOOK, Lang::En);
    for told in ["beware", "it holds", "sure: 4", "1,234.5", "too many", "a note"] {
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
    let document = table(vec![row(hostile, hostile, None)]);
    assert!(!document.terminal(LOOK, Lang::En).contains('\u{1b}'));
    assert!(!document.markdown(Lang::En).contains("<script>"));
    assert!(!document.html(Language::English).unwrap().contains("<script>alert"));
}

#[test]
fn no_line_is_wider_than_the_terminal_however_long_the_cells_are() {
    let long = "many words of a name ".repeat(9);
    let document = table(vec![row(&long, "1", None), row("b", &"9".repeat(60), None)]);
    for line in document.terminal(LOOK, Lang::En).lines() {
        assert!(crate::text::width(line) <= LOOK.width, "{line}");
    }
}

#[test]
fn findings_of_one_name_can_each_be_linked_to() {
    let told = Told { text: Both::same("x"), evidence: Vec::new(), remedy: None };
    let found = Found {
        name: "cpu-limit".to_owned(),
        weight: Weight::Should,
        blame: Blame::Contender,
        contender: Some("a".to_owned()),
        told,
        explains: None,
    };
    let mut document = table(Vec::new());
    document.sections[0].blocks =
        vec![Block::Finding(Box::new(found.clone())), Block::Finding(Box::new(found))];
    let page = document.html(Language::English).unwrap();
    assert!(page.contains(r#"id="finding-cpu-limit""#) && page.contains(r#"id="finding-cpu-limit-2""#));
}

#[test]
fn a_curve_draws_every_point_inside_its_frame() {
    let point = |x: f64, y: f64, is_met| Point { at: [x, y], is_met };
    let curve = Curve {
        caption: Both::same("c"),
        axes: [Both::same("x"), Both::same("y")],
        points: vec![point(0.01, 0.5, true), point(100.0, 60_000.0, false), point(1.0, 7.0, true)],
    };
    let svg = curve.svg();
    assert_eq!((svg.matches("<circle").count(), svg.matches("missed").count()), (2, 1));
    assert!(!svg.contains("NaN") && !svg.contains("inf") && !svg.contains("M-"), "{svg}");
    let alone = Curve { points: vec![point(3.0, 3.0, true)], ..curve };
    assert!(!alone.svg().contains("NaN"), "{}", alone.svg());
}
