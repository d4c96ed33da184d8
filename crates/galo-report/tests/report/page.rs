//! The HTML file.

use crate::runs::{all, decided, few, hostile, stale};
use crate::traffic::HOSTILE;

/// The text of the page up to the first chart over time.
fn before_charts(page: &str) -> &str {
    page.split_once("class=\"chart").unwrap().0
}

#[test]
fn the_page_refers_to_nothing_outside() {
    for told in all() {
        let page = told.html();
        for outside in ["http://", "https://", " src=\"", " href=", "url(", "@import", "<link", "<iframe"] {
            assert!(!page.contains(outside), "{outside}");
        }
    }
}

#[test]
fn what_a_contender_answered_stays_text() {
    let page = stale().html();
    assert!(!page.contains(HOSTILE) && !page.contains("<script>alert"));
    assert!(page.contains("&#60;script&#62;alert(&#39;galo&#39;)&#60;/script&#62;\\u{1b}[2J"));
}

#[test]
fn no_name_can_end_an_element_or_an_attribute() {
    let page = hostile().html();
    assert!(!page.contains("<img"));
    assert!(page.contains("&lt;img src=x"), "names are in the charts too");
    // Two scripts: the values and the cursor. A third would be somebody else's.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
}

#[test]
fn the_verdict_comes_before_charts_and_figures() {
    for told in [decided(), few(), stale()] {
        let page = told.html();
        let verdict = page.find("<h1").unwrap();
        assert!(verdict < page.find("<svg").unwrap() && verdict < page.find("<table").unwrap());
    }
}

#[test]
fn missing_limits_come_before_the_verdict() {
    let page = hostile().html();
    assert!(page.find("limits are not enforced").unwrap() < page.find("<h1").unwrap());
    assert!(!stale().html().contains("limits are not enforced"));
}

#[test]
fn the_figures_of_a_disqualified_contender_are_struck_through() {
    let page = stale().html();
    let figure = |contender: usize| {
        let us = stale().report.contenders[contender].summary.measures.latency_us_p50.unwrap();
        format!("{:.2} ms", us / 1e3)
    };
    assert!(page.contains(&format!("<td>{}</td><td><s>{}</s></td>", figure(0), figure(1))));
    assert!(!decided().html().contains("<s>"));
}

#[test]
fn an_interval_is_drawn_only_where_there_is_one() {
    assert!(before_charts(&decided().html()).contains("class=\"interval\""));
    assert!(!before_charts(&few().html()).contains("class=\"interval\""));
}

#[test]
fn every_service_has_its_cpu_and_memory_drawn_against_its_limit() {
    let page = decided().html();
    // Two contenders of four services, CPU and memory each.
    assert_eq!(page.matches("class=\"limit\"").count(), 16);
    assert!(page.contains("class=\"strip\""), "throttling is shown");
}

#[test]
fn the_command_can_be_pasted() {
    let page = decided().html();
    let command = "galo fight contenders/pessoas/rust-sqlite &#39;fixtures/it&#39;\\&#39;&#39;s queued&#39;";
    assert!(page.contains(command), "{}", &page[page.find("Do it again").unwrap()..][..200]);
}

#[test]
fn the_page_is_small() {
    for told in all() {
        assert!(told.html().len() < 300_000, "{}", told.html().len());
    }
}

#[test]
fn the_embedded_values_are_json_of_as_many_charts_as_there_are() {
    let page = decided().html();
    let (_, rest) = page.split_once("id=\"values\">").unwrap();
    let values: Vec<serde_json::Value> =
        serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(values.len(), page.matches("data-chart=").count());
    let latency = &values[0];
    assert_eq!(latency["names"].as_array().unwrap().len(), 4);
    assert_eq!(latency["values"][0].as_array().unwrap().len(), decided().series[0].seconds.len());
}

#[test]
fn what_nobody_of_the_contenders_is_to_blame_for_is_told_once() {
    let page = hostile().html();
    assert_eq!(page.matches("galo: unlimited").count(), 1);
    assert!(page.contains("in 4 of 5 rounds"), "the one that did not start had no limits to miss");
}
