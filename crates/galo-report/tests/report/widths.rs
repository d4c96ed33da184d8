//! Summaries in terminals of other widths: no line is wider than they are, and no name is cut.

use galo_report::{Document, Look};
use galo_words::Lang;
use insta::assert_snapshot;
use unicode_width::UnicodeWidthStr;

const LANGS: [Lang; 2] = [Lang::En, Lang::Pt];

/// Runs of every kind that has tables, each with names that its summary must hold whole.
fn documents() -> Vec<(Document, &'static [&'static str])> {
    let fights = crate::runs::all().map(|told| galo_report::fight(&told.report, &[]));
    let fights = fights.into_iter().map(|document| (document, &[][..]));
    let others: [(Document, &'static [&'static str]); 8] = [
        (galo_report::fight(&crate::runs::alone().report, &[]), &["balancer", "api1", "db"]),
        (galo_report::fight(&crate::runs::decided().report, &[]), &["rust-sqlite", "go-postgres"]),
        (crate::duel::document(&crate::duel::seen()), &["old", "new", "CPU for each answer"]),
        (crate::duel::document(&crate::duel::watched()), &["old", "new"]),
        (crate::scan::document(&crate::scan::report(Some("50"))), &["work=60"]),
        (crate::limit::document(&crate::limit::searched()), &["nginx", "db"]),
        (crate::load::document_of(&crate::load::load()), &["p99.99", "tm99"]),
        (crate::load::document_of(&crate::load::searched()), &[]),
    ];
    let settings =
        crate::tune::documents().into_iter().zip([&["mine"][..], &["go-gin-gorm", "rust-axum-seaorm"]]);
    fights.chain(others).chain(settings).collect()
}

fn terminal(document: &Document, width: usize, lang: Lang) -> String {
    document.terminal(Look { width, colour: false }, lang)
}

#[test]
fn no_line_is_wider_than_the_terminal_from_40_to_120_columns() {
    for (document, _) in documents() {
        for (width, lang) in (40..=120).flat_map(|width| LANGS.map(|lang| (width, lang))) {
            for line in terminal(&document, width, lang).lines() {
                // It is to be pasted.
                let is_request = line.trim_start().starts_with("curl ");
                assert!(is_request || line.width() <= width, "{width}: {line:?}");
            }
        }
    }
}

#[test]
fn no_name_is_cut_from_40_to_120_columns() {
    for (document, names) in documents() {
        for (width, lang) in (40..=120).flat_map(|width| LANGS.map(|lang| (width, lang))) {
            let told = terminal(&document, width, lang);
            // The parts of a broken name stand below each other.
            let is_told = |name: &str| match lang {
                Lang::En => {
                    told.contains(name)
                        || name.split_inclusive([' ', '-']).all(|part| told.contains(part.trim()))
                }
                Lang::Pt => {
                    name.contains(' ')
                        || name.contains('.')
                        || told.contains(name)
                        || name.split_inclusive('-').all(|part| told.contains(part))
                }
            };
            for name in names {
                assert!(is_told(name), "{width}: {name} in {told}");
            }
            for line in told.lines().filter(|line| line.contains('…')) {
                // Prose and evidence may be: they begin further to the right.
                assert!(line.starts_with("  "), "{width}: {line:?}");
            }
        }
    }
}

#[test]
fn a_terminal_of_60_columns_has_whole_tables_in_both_languages() {
    let limit = crate::limit::document(&crate::limit::searched());
    let duel = crate::duel::document(&crate::duel::seen());
    let fight = galo_report::fight(&crate::runs::decided().report, &[]);
    let load = crate::load::document_of(&crate::load::searched());
    for (name, document) in [("limit", limit), ("duel", duel), ("fight", fight), ("load", load)] {
        let told = LANGS.map(|lang| terminal(&document, 60, lang)).join("\n=====\n\n");
        assert_snapshot!(format!("{name} at 60 columns"), told);
    }
}
