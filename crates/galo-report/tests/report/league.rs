//! The page of a league, long enough to be searched.

use galo_judge::league::JudgedLeague;
use galo_report::{Language, Look, league, league_csv, league_entries};
use galo_words::Lang;
use serde_json::{Value, json};

/// So many entries that are ranked, named by their place.
fn league_of(entries: usize) -> Value {
    let entry = |place: usize| {
        json!({
            "name": format!("entry-{place}"), "title": "", "language": "Go", "file_sha256": "", "runner": "process",
            "takes": { "cpus": 1.5, "memory_bytes": 1 << 28 }, "rounds": 8, "places": [place, place], "is_open": false,
            "measures": { "latency_us_p99": if place == 7 { Value::Null } else { json!(1000.0 * ((place * 7) % 31) as f64) } },
            "counted": 100.0, "by_first": { "ratio": 1.0, "interval": [0.9, 1.1] },
        })
    };
    json!({
        "kind": "league", "format": 3, "galo": "", "command": ["galo", "league"], "started": "", "machine": {
            "cpu": "", "cores": 2, "memory_bytes": 0, "kernel": "", "system": "", "virtual_machine": false, "cgroups": "",
            "clock_source": "", "settings": {}
        },
        "challenge": "pessoas", "profile": "quick", "scale": 1.0, "seed": "1", "is_over": true, "limits_note": null,
        "walls_note": null, "budget": null, "is_light": false, "blocks": 8, "passes": 8,
        "ranking": (1..=entries).map(entry).collect::<Vec<_>>(),
        "groups": (0..entries).map(|place| [place, place]).collect::<Vec<_>>(),
        "out": [], "not_started": [], "refused": [],
    })
}

/// The page of so many.
pub(crate) fn page(entries: usize) -> String {
    let judged: JudgedLeague = serde_json::from_value(league_of(entries)).unwrap();
    league(&judged, &Default::default()).html(Language::English).unwrap()
}

/// The page of its first entry.
pub(crate) fn page_of_entry() -> String {
    let judged: JudgedLeague = serde_json::from_value(league_of(3)).unwrap();
    league_entries(&judged, &Default::default())[0].document.html(Language::English).unwrap()
}

#[test]
fn a_table_that_is_seen_at_a_glance_is_not_searched() {
    let is_searched = |entries| page(entries).contains("id=\"ranking-table-search\"");
    assert!(!is_searched(12) && is_searched(13));
}

#[test]
fn an_entry_that_is_out_is_told_so_in_both_languages() {
    let mut told = league_of(1);
    told["out"] = json!([{
        "name": "broken", "title": "", "language": null, "file_sha256": "", "runner": "process",
        "takes": { "cpus": 1.5, "memory_bytes": 1 }, "rounds": 2, "child": 1,
        "standing": { "kind": "disqualified", "rules": ["count-differs"] }
    }]);
    let pages = league_entries(&serde_json::from_value(told).unwrap(), &Default::default());
    let page = &pages.iter().find(|page| page.folder == "entries/broken").unwrap().document;
    let told = |lang| page.terminal(Look { width: 80, colour: false }, lang);
    assert!(told(Lang::En).contains("\nbroke a rule: count-differs"), "{}", told(Lang::En));
    assert!(told(Lang::Pt).contains("\nquebrou uma regra: count-differs"), "{}", told(Lang::Pt));
}

#[test]
fn as_csv_each_entry_has_a_line_and_no_word_of_one_is_a_formula() {
    let mut told = league_of(1);
    told["ranking"][0]["name"] = json!("=1+1");
    told["out"] = json!([{
        "name": "a, \"b\"", "title": "", "language": null, "file_sha256": "", "runner": "process",
        "takes": { "cpus": 1.5, "memory_bytes": 1 }, "rounds": 2, "child": 1,
        "standing": { "kind": "disqualified", "rules": ["count-differs", "search-misses-acknowledged"] }
    }]);
    told["not_started"] = json!([{
        "name": "late", "title": "", "language": null, "file_sha256": "", "runner": "docker",
        "takes": { "cpus": 1.5, "memory_bytes": 1 }, "rounds": 0, "child": 2, "cause": "exited",
        "standing": { "kind": "not_ready", "reason": "it ended" }
    }]);
    told["refused"] = json!([{ "file": "z/compose.yaml", "reason": "line 1: no" }]);
    let csv = league_csv(&serde_json::from_value::<JudgedLeague>(told).unwrap());
    let lines: Vec<&str> = csv.split("\r\n").collect();
    let of = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let heads = of(lines[0]);
    assert!(
        heads.starts_with(&["entry", "title"].map(str::to_owned))
            && heads.contains(&"latency_us_p99".to_owned())
    );
    assert!(lines[1].starts_with("'=1+1,,Go,in,,,8,1,1,7000,"), "{}", lines[1]);
    assert!(
        lines[2].starts_with("\"a, \"\"b\"\"\",,,disqualified,,count-differs search-misses-acknowledged,2,,"),
        "{}",
        lines[2]
    );
    assert!(lines[3].starts_with("late,,,not_started,exited,it ended,0,,"), "{}", lines[3]);
    assert!(lines[4].starts_with("z/compose.yaml,,,refused,,line 1: no,,,"), "{}", lines[4]);
    assert_eq!((of(lines[1]).len(), of(lines[4]).len()), (heads.len(), heads.len()));
    assert_eq!(lines[5..], [""]);
}
