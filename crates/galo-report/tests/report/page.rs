//! The HTML file, as it is written. What it does in a browser is tried by the tests of `browser`.

use galo_judge::findings::{
    BrokenRule, BusyNeighbour, Caused, CpuLimit, DirtyStart, Excuse, Explained, Fact, Finding, Waiting,
};
use galo_judge::soak::{Drift, JudgedSoak, LatencyAt, Soaked};
use galo_judge::{Measure, Verdict};
use galo_record::finding::Weight;
use galo_report::Language;
use serde_json::Value;

use crate::runs::{ToldFight, all, alone, decided, few, hostile, stale};
use crate::synthetic::{Fate, fair, folder};
use crate::traffic::HOSTILE;

/// The text of the page without its scripts and styles.
fn text(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    for end in ["</style>", "</script>", "</script>", "</script>", "</script>", "</script>"] {
        let start = end.replace("</", "<").replace('>', "");
        let (before, after) = rest.split_once(&start).unwrap();
        out.push_str(before);
        rest = after.split_once(end).unwrap().1;
    }
    out + rest
}

fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// An element of the text in both languages.
fn both(en: &str, pt: &str) -> String {
    format!(r#"<span lang="en">{en}</span><span lang="pt">{pt}</span>"#)
}

#[test]
fn the_page_refers_to_nothing_outside() {
    for told in all() {
        let page = told.html();
        // The only address is that of uPlot's home, in the comment that its licence asks for.
        let page = page.replace("/*! https://github.com/leeoniya/uPlot (v1.6.32) */", "");
        for outside in ["http://", "https://", " src=\"", "url(", "@import", "<link", "<iframe"] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert_eq!(page.matches(" href=\"").count(), page.matches(" href=\"#").count());
    }
}

#[test]
fn every_link_leads_to_an_element_and_no_two_have_one_name() {
    let fights = all().map(ToldFight::html);
    for page in fights.into_iter().chain(others()) {
        let page = text(&page);
        let names = |before: &str| -> Vec<String> {
            page.split(before).skip(1).map(|rest| rest.split_once('"').unwrap().0.to_owned()).collect()
        };
        let ids = names(" id=\"");
        for wanted in names(" href=\"#").into_iter().chain(names(" aria-labelledby=\"")) {
            assert_eq!(ids.iter().filter(|id| **id == wanted).count(), 1, "{wanted}");
        }
        for id in &ids {
            assert_eq!(ids.iter().filter(|other| *other == id).count(), 1, "{id}");
        }
        assert!(
            !page.contains(&format!("\">{}</caption>", both("", ""))),
            "a table without a caption: {page}"
        );
    }
}

/// A page of each other kind of run.
fn others() -> impl Iterator<Item = String> {
    let several = [
        crate::load::load(),
        crate::load::searched(),
        crate::load::at_settings(),
        crate::load::log_of_3_10(),
    ];
    let loads = several.map(|load| crate::load::document_of(&load));
    let one = [
        crate::duel::document(&crate::duel::watched()),
        crate::scan::document(&crate::scan::report(Some("50"))),
        crate::limit::document(&crate::limit::searched()),
        galo_report::soak(&soaked()),
    ];
    let documents = loads.into_iter().chain(one).chain(crate::tune::documents());
    documents
        .map(|document| document.html(Language::OfBrowser).unwrap())
        .chain([crate::league::page(3), crate::league::page_of_entry()])
}

/// A soak of two parts.
fn soaked() -> JudgedSoak {
    let drift = Some(Drift { first: 9_000.0, last: 11_000.0, per_hour: 1_000.0 });
    let point = |(hours, us_p99)| LatencyAt { hours, us_p99 };
    JudgedSoak {
        header: crate::synthetic::header(),
        contender: "mine".to_owned(),
        scale_milli: 1_000,
        takes: Default::default(),
        budget: Default::default(),
        soaked: Soaked {
            elapsed_ns: 4 * 3_600_000_000_000,
            latency_us_p50: drift,
            latency_us_p99: drift,
            points: [(1.0, 9_000.0), (3.0, 11_000.0)].map(point).into(),
            ..Soaked::default()
        },
    }
}

#[test]
fn every_point_of_p99_over_time_is_in_a_table_too() {
    let document = galo_report::soak(&soaked());
    let page = document.html(Language::English).unwrap();
    let (_, points) = page.split_once("<h2 id=\"p99-over-time\">").unwrap();
    let (drawn, table) = points.split_once("<caption id=\"points\">").unwrap();
    assert!(
        drawn.contains("<svg")
            && table.contains(&both("3.0", "3,0"))
            && table.contains(&both("11.00", "11,00"))
    );
    let told = document.terminal(galo_report::Look { width: 80, colour: false }, galo_words::Lang::En);
    assert!(!told.contains("p99 over time"), "{told}");
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
    // The data, uPlot and the page's own four. A further one would be somebody else's.
    assert_eq!(page.matches("<script").count(), 6);
    assert_eq!(page.matches("</script").count(), 6);
    let names = &data(&page)["contenders"];
    assert!(names[0].as_str().unwrap().ends_with(r"\u{202e}-<img src=x onerror=alert(1)>"), "{names}");
    assert!(!page.contains('\u{202e}'), "nothing turns the direction of writing");
}

#[test]
fn only_the_pages_own_scripts_may_run() {
    let page = decided().html();
    let policy =
        page.split_once("Content-Security-Policy\" content=\"").unwrap().1.split_once('"').unwrap().0;
    assert!(policy.starts_with("default-src &#39;none&#39;; script-src &#39;sha256-"), "{policy}");
    assert_eq!(policy.matches("sha256-").count(), 6, "five scripts and a style");
    assert!(!policy.contains("unsafe"), "{policy}");
    let text = text(&page);
    assert!(!text.contains(" style=") && !text.contains(" onclick"), "what the policy forbids is not there");
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

/// What the first questions and their answers say in English.
fn glance(page: &str) -> String {
    let (_, rest) = page.split_once("<dl class=\"glance\">").unwrap();
    let list = rest.split_once("</dl>").unwrap().0;
    let english =
        list.split("<span lang=\"pt\">").map(|part| part.split_once("</span>").map_or(part, |p| p.1));
    let mut text = String::new();
    for part in english.collect::<String>().split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, after)| after));
    }
    text
}

#[test]
fn ten_seconds_tell_who_won_by_how_much_and_whether_that_is_real() {
    insta::assert_snapshot!(glance(&decided().html()), @r"
rust-sqlite
By how much?p99: 34 % lower
Is it real?yes: 6 pairs, rust-sqlite / go-postgres between 0.52 and 0.82, p = 0.031
What held the other back?a service had used up its CPU
");
    insta::assert_snapshot!(glance(&few().html()), @r"
nobody
By how much?p99: rust-sqlite / go-postgres = 0.563, 2:0
Is it real?not known yet: 2 of 6 pairs of rounds
");
    insta::assert_snapshot!(glance(&stale().html()), @r"
rust-sqlite
By how much?nothing to compare
Is it real?yes: a broken rule is a fact, whatever the figures
What held the other back?a search lacked what was acknowledged before
");
}

#[test]
fn whether_it_is_real_is_told_of_the_measure_that_decided() {
    let mut report = decided().report.clone();
    let Verdict::Better { measure, .. } = &mut report.verdict else { panic!("{:?}", report.verdict) };
    *measure = Measure::CpuMsPer1000;
    for compared in &mut report.comparisons {
        let decided = compared.measure == Measure::CpuMsPer1000;
        compared.ratios.p_value = Some(if decided { 0.02 } else { 0.71 });
    }
    let page = galo_report::fight(&report, &[]).html(Language::OfBrowser).unwrap();
    let told = glance(&page);
    assert!(told.contains("p = 0.02") && !told.contains("0.71"), "{told}");
}

#[test]
fn of_a_contender_alone_nobody_asks_who_won() {
    let page = alone().html();
    assert!(!page.contains("glance\">") && !page.contains("Who won?"), "{page}");
}

#[test]
fn the_machine_held_the_other_back_where_nothing_of_its_own_did() {
    let last = |findings: &[Finding], of: &str| {
        let mut report = decided().report.clone();
        for round in &mut report.rounds {
            round.judgement.findings = if round.contender == of { findings.to_vec() } else { Vec::new() };
        }
        let page = galo_report::fight(&report, &[]).html(Language::OfBrowser).unwrap();
        glance(&page).split_once("What held the other back?").unwrap().1.trim().to_owned()
    };
    let neighbour = held_back(BusyNeighbour { waited_share: 0.5, others_cpus: 0.5, busiest: None }, 600);
    let split = held_back(
        CpuLimit {
            service: "db".to_owned(),
            limit_cpus: 0.5,
            seen: Explained { in_trouble: 0.3, in_calm: None },
            idle: Vec::new(),
            split: None,
        },
        300,
    );
    let told = last(std::slice::from_ref(&neighbour), "go-postgres");
    assert_eq!(told, "somebody else used a core that was full: the machine is to blame");
    assert_eq!(last(&[neighbour.clone(), split], "go-postgres"), "a service had used up its CPU");
    assert_eq!(last(std::slice::from_ref(&neighbour), "rust-sqlite"), "no finding says");
    let mut no_cause = neighbour;
    (no_cause.weight, no_cause.explains_milli) = (Weight::Should, None);
    assert_eq!(last(&[no_cause], "go-postgres"), "no finding says");
}

#[test]
fn the_figures_of_a_disqualified_contender_are_struck_through() {
    let page = stale().html();
    let figure = |contender: usize| {
        let us = stale().report.contenders[contender].summary.measures.get(Measure::LatencyUsP50).unwrap();
        let en = format!("{:.2} ms", us / 1e3);
        both(&en, &en.replace('.', ","))
    };
    assert!(page.contains(&format!("<td>{}</td><td><s>{}</s></td>", figure(0), figure(1))));
    assert!(!decided().html().contains("<s>"));
}

#[test]
fn an_interval_is_drawn_only_where_there_is_one() {
    assert!(decided().html().contains("class=\"interval\""));
    assert!(!few().html().contains("class=\"interval\""));
}

#[test]
fn the_very_requests_of_a_broken_rule_are_linked_from_its_finding() {
    let page = stale().html();
    assert!(page.contains("href=\"#finding-search-misses-acknowledged-requests\""));
    let rules = page.split_once("<h2 id=\"rules\">").unwrap().1.split_once("</section>").unwrap().0;
    assert!(rules.contains("GET /pessoas?t=galo1 HTTP/1.1"), "{rules}");
    assert!(decided().html().contains("No rule was broken."));
}

#[test]
fn every_second_of_every_service_is_there_to_be_drawn_with_its_limit() {
    let page = decided().html();
    let data = data(&page);
    let rounds = data["rounds"].as_array().unwrap();
    assert_eq!((rounds.len(), &data["shown"]), (12, &Value::from(vec![0, 1])));
    let round = &rounds[0];
    assert_eq!(round["p99"].as_array().unwrap().len(), decided().series[0].seconds.len());
    let service = &round["services"][1];
    assert_eq!(
        (&service["name"], &service["cpus"], &service["memory_mib"]),
        (&"api1".into(), &0.45.into(), &512.0.into())
    );
    for column in ["cpu", "throttled", "memory"] {
        assert_eq!(service[column].as_array().unwrap().len(), 20, "{column}");
    }
}

#[test]
fn a_cause_says_how_much_it_explains_and_which_page_tells_more() {
    let page = text(&decided().html());
    let cause = page.split_once("<article class=\"finding").unwrap().1.split_once("</article>").unwrap().0;
    let headline = both("a service had used up its CPU", "um serviço esgotou a sua CPU");
    assert!(cause.contains(&format!("href=\"#finding-cpu-limit\">{headline}</a>")), "{cause}");
    assert!(cause.contains("<span class=\"about\">cpu-limit, go-postgres"), "{cause}");
    assert!(cause.contains(" % of the waiting of slow and failed operations"), "{cause}");
    assert!(cause.contains("(docs/findings/cpu-limit.md)"), "{cause}");
}

#[test]
fn a_finding_says_its_sentence_then_what_it_means_then_what_to_do() {
    let page = text(&decided().html());
    let cause = page.split_once("<article class=\"finding").unwrap().1.split_once("</article>").unwrap().0;
    let at = |part: &str| cause.find(part).unwrap_or_else(|| panic!("{part} is not in {cause}"));
    let own = at("`balancer` tinha esgotado o seu limite de CPU");
    let means = at("<p class=\"told\" lang=\"pt\">O limite de CPU é uma cota para cada 100 ms");
    let remedy = at("<span lang=\"pt\">Divid");
    assert!(own < means && means < remedy, "{cause}");
    assert_eq!(cause.matches("had used up its CPU limit").count(), 1, "figures are there once: {cause}");
}

#[test]
fn what_is_held_against_nobody_has_no_remedy() {
    let excused = |excuse: Option<Excuse>| {
        let mut report = alone().report.clone();
        let finding = Finding { weight: Weight::Note, excuse, ..Finding::new(DirtyStart { counted: 3 }) };
        report.rounds[0].judgement.findings = vec![finding];
        galo_report::fight(&report, &[]).html(Language::Portuguese).unwrap()
    };
    let remedy = "Guarde os dados num volume do arquivo Compose";
    assert!(excused(None).contains(remedy));
    let note = excused(Some(Excuse::HeldBefore));
    assert!(note.contains("Antes da primeira requisição") && !note.contains(remedy));
}

#[test]
fn a_finding_of_an_unknown_name_is_told_by_it() {
    let mut report = alone().report.clone();
    report.rounds[0].judgement.findings = vec![rule("of-a-newer-galo", "what the challenge says")];
    let page = text(&galo_report::fight(&report, &[]).html(Language::Portuguese).unwrap());
    assert!(page.contains("<a href=\"#finding-of-a-newer-galo\">of-a-newer-galo</a>"));
    assert!(
        page.contains(" broke the rule: what the challenge says</span>") && !page.contains("class=\"told\"")
    );
}

/// A cause that explains so many thousandths of the trouble.
fn held_back<T>(cause: T, explains_milli: u16) -> Finding
where
    Fact: From<Caused<T>>,
{
    let waiting = Waiting { operations: 9, slow_ns: None };
    let fact = Caused { cause, share: f64::from(explains_milli) / 1000.0, waiting };
    Finding { explains_milli: Some(explains_milli), ..Finding::new(fact) }
}

/// A note that a rule of this name was broken.
pub(crate) fn rule(name: &str, text: &str) -> Finding {
    let (rule, text) = (name.to_owned(), text.to_owned());
    let broken = BrokenRule { rule, text, text_pt: None, headline: None, cases: 1, steps: Vec::new() };
    Finding { weight: Weight::Note, ..Finding::new(broken) }
}

#[test]
fn of_many_contenders_two_are_drawn_at_first_and_all_have_their_figures() {
    let page = hostile().html();
    let data = data(&page);
    let drawn = data["shown"].as_array().unwrap().iter().map(Value::is_number);
    assert_eq!(drawn.collect::<Vec<_>>(), [false, false, true, true, false], "those that are compared");
    let percentiles = page.split_once("id=\"percentile-table\"").unwrap().1.split_once("</table>").unwrap().0;
    assert_eq!(percentiles.matches("<th scope=\"row\">").count(), 10);
}

#[test]
fn the_command_can_be_pasted() {
    let page = decided().html();
    let command = "galo fight contenders/pessoas/rust-sqlite &#39;fixtures/it&#39;\\&#39;&#39;s queued&#39;";
    assert!(page.contains(command));
}

#[test]
fn the_page_is_small() {
    for told in all() {
        assert!(told.html().len() < 300_000, "{}", told.html().len());
    }
}

#[test]
fn what_nobody_of_the_contenders_is_to_blame_for_is_told_once() {
    let page = text(&hostile().html());
    assert_eq!(page.matches("href=\"#finding-unlimited\">").count(), 1);
    assert!(page.contains("in 4 of 5 rounds"), "the one that did not start had no limits to miss");
}

#[test]
fn the_language_that_was_asked_for_holds_whatever_the_browser_speaks() {
    let root = |language| {
        let page = galo_report::fight(&alone().report, &alone().series).html(language).unwrap();
        page.lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(root(Language::OfBrowser), r#"<html lang="en">"#);
    assert_eq!(root(Language::English), r#"<html lang="en" data-fixed>"#);
    assert_eq!(root(Language::Portuguese), r#"<html lang="pt" data-fixed>"#);
}

#[test]
fn the_verdict_stands_there_in_portuguese_too() {
    for told in all() {
        let page = told.html();
        let verdict = page.split_once("<h1").unwrap().1.split_once("</h1>").unwrap().0;
        assert!(
            verdict.contains("<span lang=\"en\">") && verdict.contains("<span lang=\"pt\">"),
            "{verdict}"
        );
    }
    let verdict = decided().html();
    assert!(verdict.contains("rust-sqlite é melhor que go-postgres: p99 é 0,6"), "{}", &verdict[..3000]);
    assert!(few().html().contains("rodadas insuficientes: 2 pares, são precisos 6 (--rounds 6)"));
    let broken =
        "rust-sqlite vence: queued foi desclassificado (uma busca não trouxe o que já tinha sido confirmado)";
    assert!(stale().html().contains(broken));
}

/// The verdict in Portuguese.
fn in_portuguese(page: &str) -> String {
    let verdict = page.split_once("<h1").unwrap().1.split_once("</h1>").unwrap().0;
    verdict.split_once("<span lang=\"pt\">").unwrap().1.split_once("</span>").unwrap().0.to_owned()
}

#[test]
fn what_made_a_fight_void_is_told_in_portuguese() {
    let mut late = fair(1, 1.0)[..1].to_vec();
    late[0].fate = Fate::Late;
    let verdict = in_portuguese(&ToldFight::of(&folder(&["rust-sqlite"], &late)).html());
    let told = "nula: rodada 1 de `rust-sqlite`: o próprio galo se atrasou: o p99 do seu atraso";
    assert!(verdict.starts_with(told), "{verdict}");
}
