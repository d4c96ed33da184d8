//! The page of a league, long enough to be searched.

use galo_judge::league::JudgedLeague;
use galo_report::{Document, Language, league};
use serde_json::{Value, json};

/// So many entries that are ranked, named by their place.
fn made(entries: usize) -> Document {
    let entry = |place: usize| {
        json!({
            "name": format!("entry-{place}"), "title": "", "language": "Go", "file_sha256": "", "runner": "process",
            "takes": { "cpus": 1.5, "memory_bytes": 1 << 28 }, "rounds": 8, "places": [place, place], "is_open": false,
            "measures": { "latency_us_p99": if place == 7 { Value::Null } else { json!(1000.0 * ((place * 7) % 31) as f64) } },
            "by_first": { "ratio": 1.0, "interval": [0.9, 1.1] },
        })
    };
    let league_of = json!({
        "kind": "league", "format": 3, "galo": "", "command": ["galo", "league"], "started": "", "machine": {
            "cpu": "", "cores": 2, "memory_bytes": 0, "kernel": "", "system": "", "virtual_machine": false, "cgroups": "",
            "clock_source": "", "settings": {}
        },
        "challenge": "pessoas", "profile": "quick", "scale": 1.0, "seed": "1", "is_over": true, "limits_note": null,
        "walls_note": null, "budget": null, "is_light": false, "blocks": 8, "passes": 8,
        "ranking": (1..=entries).map(entry).collect::<Vec<_>>(),
        "groups": (0..entries).map(|place| [place, place]).collect::<Vec<_>>(),
        "out": [], "not_started": [], "refused": [],
    });
    league(&serde_json::from_value::<JudgedLeague>(league_of).unwrap(), &Default::default())
}

/// The page of so many.
pub(crate) fn page(entries: usize) -> String {
    made(entries).html(Language::English).unwrap()
}

#[test]
fn a_table_that_is_seen_at_a_glance_is_not_searched() {
    assert!(!page(12).contains("id=\"ranking-search\"") && page(13).contains("id=\"ranking-search\""));
}
