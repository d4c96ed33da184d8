//! The report of a duel that was driven: two `node` servers, the second with a fifth more work, on a busy machine.

use galo_judge::assertion::RatioOutcome;
use galo_judge::duel::{JudgedDuel, SideFinding, TurnLoad};
use galo_judge::json::pretty;
use galo_record::duel::{AnswerDifference, Level};
use galo_record::finding::{Ended, ServiceDied};
use galo_record::sample::HostSample;
use galo_record::{HostFact, LoadUsage, RunEnd, ServiceUsage};
use galo_report::{Document, Language, Look};
use galo_words::Lang;
use insta::assert_snapshot;

const PLAIN: Look = Look { width: 80, colour: false };

/// A duel of which only the facts are written down.
pub(crate) fn seen() -> JudgedDuel {
    serde_json::from_str(include_str!("duel.json")).unwrap()
}

/// A duel, as it is told once it is judged.
pub(crate) fn document(seen: &JudgedDuel) -> Document {
    galo_report::duel(&seen.clone().judged())
}

fn terminal(seen: &JudgedDuel) -> String {
    document(seen).terminal(PLAIN, Lang::En)
}

#[test]
fn the_verdict_comes_first_and_no_line_is_too_long() {
    let told = terminal(&seen());
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    assert_snapshot!(told);
}

#[test]
fn that_the_two_do_not_answer_the_same_comes_first_in_every_form() {
    let mut duel = seen();
    (duel.answers.equal, duel.answers.compared) = (0, 420);
    // Also before what the machine could not do.
    duel.walls_note = Some("no root".to_owned());
    let first = "old and new do not answer the same: equal in 0 of 420 samples; the figures below compare different work";
    let document = document(&duel);
    let wide = Look { width: 120, colour: false };
    assert_eq!(document.terminal(wide, Lang::En).lines().next(), Some(first));
    let portuguese = document.terminal(wide, Lang::Pt);
    assert!(
        portuguese.starts_with("old e new não respondem o mesmo: iguais em 0 de 420 amostras"),
        "{portuguese}"
    );
    let markdown = document.markdown(Lang::En);
    assert!(markdown.lines().nth(1).unwrap().contains(first), "{markdown}");
    assert!(markdown.find(first) < markdown.find("###"), "{markdown}");
    let page = document.html(Language::English).unwrap();
    let body = page.split_once("<body>").unwrap().1;
    assert!(body.find(first).unwrap() < body.find("<h1").unwrap());
    assert!(body.find(first).unwrap() < body.find("walls do not hold").unwrap());
    assert!(body.contains(">they do not answer the same; yes: "), "never alone on top");
    assert!(!body.contains(">yes: "));
}

#[test]
fn every_form_says_what_is_divided_by_what() {
    let document = document(&seen());
    let told = document.terminal(PLAIN, Lang::En);
    assert!(
        told.contains("ratio: new / old")
            && told.contains("p99 ratio < 1.05: PASS (inconclusive), new / old = ")
    );
    assert!(document.terminal(PLAIN, Lang::Pt).contains("razão: new / old"));
    assert!(document.markdown(Lang::En).contains("| new / old |"));
    assert!(document.html(Language::English).unwrap().contains("new / old"));
    let json: serde_json::Value = serde_json::from_str(&pretty(&seen().judged())).unwrap();
    assert_eq!(json["ratio_of"], "new / old");
    let p99 = &json["compared"][0];
    let [first, second] = [0, 1].map(|side| p99["values"][side].as_f64().unwrap());
    assert!((p99["ratio"].as_f64().unwrap() - second / first).abs() < 0.01, "{p99}");
    assert_eq!(
        p99["ratio"], json["assertions"][0]["ratio"],
        "the bound is held against the figure of the card"
    );
}

/// The same duel, of which it is known what the sides used when they gave as much as they could: the first one its CPU, while
/// the second one slept.
pub(crate) fn watched() -> JudgedDuel {
    const NS_PER_MS: u64 = 1_000_000;
    let mut duel = seen();
    duel.cores = Some(4);
    let watch = |side: usize, load: &mut TurnLoad| {
        let thread_ns = if side == 0 { load.elapsed_ns / 100 * 97 } else { load.elapsed_ns / 20 };
        load.engine.thread_cpu_ns = vec![load.elapsed_ns / 3];
        let service = ServiceUsage {
            cpu_ns: Some(thread_ns + NS_PER_MS),
            busiest_task_ns: Some(thread_ns),
            run_queue_ns: Some(NS_PER_MS),
            periods: 6,
            throttled_periods: if side == 0 { 2 } else { 0 },
            ..ServiceUsage::default()
        };
        load.usage = Some(LoadUsage {
            watched_ns: load.elapsed_ns,
            services: vec![service],
            galo_cpu_ns: Some(load.elapsed_ns / 2),
            host: HostSample { busy_ns: 2 * load.elapsed_ns, ..HostSample::default() },
            ..load.usage.take().unwrap_or_default()
        });
    };
    for turn in &mut duel.turns {
        turn.loads
            .iter_mut()
            .filter(|load| load.level == Level::Highest)
            .for_each(|load| watch(turn.side, load));
    }
    duel
}

#[test]
fn what_held_each_side_back_stands_below_the_figures() {
    let told = terminal(&watched());
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    let below = told.split_once("\nWhat held").unwrap().1;
    assert_snapshot!(below, @r#"
 each side back (as much as it gives, 16 at once)
old used up its CPU limit: 0.97 of 1 CPU, 0.97 of it in one thread, throttled in
  16 of 48 quota periods; so the CPU for each answer decides: 107.9 us
new was short of neither CPU nor memory: it used 0.05 of 1 CPU; so it waited for
  something else: its own sleep, a lock, a database, the network, or more than
  16 requests at once
"#);
}

#[test]
fn where_nothing_was_watched_nothing_is_said_of_what_held_a_side_back() {
    let told = seen().judged();
    assert!(told.sides.iter().all(|side| side.held_back.is_none()));
    assert!(!page(&seen()).contains("id=\"held-back\""));
}

fn death_of(service: &str, log: &[&str]) -> HostFact {
    HostFact::ServiceDied(ServiceDied {
        service: service.to_owned(),
        ended: Ended::Status(1),
        out_of_memory: None,
        log: log.iter().map(|line| (*line).to_owned()).collect(),
        log_path: "logs/first-01/command.log".to_owned(),
    })
}

fn death() -> HostFact {
    death_of("command", &["listening", "panic: no memory"])
}

#[test]
fn what_is_odd_is_told() {
    let mut duel = seen();
    duel.end = RunEnd::Interrupted;
    (duel.limits_enforced, duel.limits_note) = (false, Some("no control groups".to_owned()));
    duel.sides[1].name = "a name that is much longer than any column \u{1b}[2J".to_owned();
    duel.answers.equal -= 3;
    duel.answers
        .differences
        .push(AnswerDifference { at: "/a".to_owned(), values: ["1".to_owned(), "2".to_owned()] });
    let died = SideFinding { side: 0, pair: Some(0), finding: (&death()).into() };
    duel.findings.extend([died.clone(), SideFinding { pair: Some(3), ..died }]);
    let unreadable = RatioOutcome { assertion: "p99 > 1".to_owned(), ..duel.assertions[0].clone() };
    duel.assertions.push(unreadable);
    for turn in [1, 4, 5] {
        let load = &mut duel.turns[turn].loads[0];
        load.engine.run_queue_ns = vec![load.elapsed_ns / 10 * turn as u64];
    }
    let told = terminal(&duel);
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    assert!(!told.contains('\u{1b}'));
    assert_snapshot!(told);
}

#[test]
fn a_duel_without_a_turn_is_told_as_what_it_is() {
    let mut duel = seen();
    duel.turns.clear();
    duel.levels.clear();
    duel.end = RunEnd::Failed("the disk is full".to_owned());
    assert_snapshot!(terminal(&duel));
}

#[test]
fn the_json_of_a_duel_holds_all_of_it() {
    let mut duel = watched().judged();
    duel.turns.truncate(2);
    assert_snapshot!("json of a duel", pretty(&duel));
}

#[test]
fn a_duel_reads_back_as_it_was_written() {
    let written = pretty(&watched().judged());
    let read: JudgedDuel = serde_json::from_str(&written).unwrap();
    assert_eq!(pretty(&read), written);
}

/// The page of a duel.
pub(crate) fn page(seen: &JudgedDuel) -> String {
    document(seen).html(Language::OfBrowser).unwrap()
}

/// A duel in which all that comes from outside would like to be more than text.
pub(crate) fn hostile() -> JudgedDuel {
    let evil = "</script><img src=x onerror=alert(1)>\u{202e}".to_owned();
    let mut duel = watched();
    duel.sides[0].name.clone_from(&evil);
    duel.sides[1].command = Some(evil.clone());
    duel.request.clone_from(&evil);
    duel.answers
        .differences
        .push(AnswerDifference { at: evil.clone(), values: [evil.clone(), evil.clone()] });
    let finding = (&death_of(&evil, &[&evil])).into();
    duel.findings.push(SideFinding { side: 0, pair: Some(0), finding });
    duel
}

#[test]
fn the_page_tells_what_the_terminal_tells() {
    let page = page(&seen());
    let wide = Look { width: 400, colour: false };
    let told = document(&seen()).terminal(wide, Lang::En).lines().next().unwrap().to_owned();
    assert!(page.contains(&told.replace('\'', "&#39;")), "{told}");
    assert!(page.contains("answers to the same requests are equal by meaning"));
    assert!(page.contains("id=\"pairs\"") && page.contains("class=\"interval\""));
}

#[test]
fn a_finding_of_a_side_is_told_in_both_languages() {
    let mut duel = seen();
    duel.findings.push(SideFinding { side: 0, pair: Some(0), finding: (&death()).into() });
    let page = page(&duel);
    let headline = r#"<span lang="en">a service died</span><span lang="pt">um serviço morreu</span>"#;
    assert!(page.contains(&format!("href=\"#finding-service-died\">{headline}</a>")));
    let remedy = r#"<span lang="en">see logs/first-01/command.log</span><span lang="pt">Veja logs/first-01/command.log.</span>"#;
    assert!(page.contains(&format!("<p class=\"remedy\">{remedy}</p>")));
}

#[test]
fn the_page_tells_what_held_each_side_back_in_both_languages_and_links_to_it_where_the_other_lost_by_that() {
    let page = page(&watched());
    let section = page.split_once("<h2 id=\"held-back\">").unwrap().1.split_once("</section>").unwrap().0;
    assert_snapshot!(section.trim_end(), @r#"
<span lang="en">What held each side back (as much as it gives, 16 at once)</span><span lang="pt">O que segurou cada lado (tanto quanto consegue, 16 de cada vez)</span></h2>
<p><span lang="en">old used up its CPU limit: 0.97 of 1 CPU, 0.97 of it in one thread, throttled in 16 of 48 quota periods; so the CPU for each answer decides: 107.9 us</span><span lang="pt">old usou todo o seu limite de CPU: 0,97 de 1 CPU, 0,97 disso numa thread, com a CPU cortada em 16 de 48 períodos da cota; então quem decide é a CPU por resposta: 107,9 us</span></p>
<p><span lang="en">new was short of neither CPU nor memory: it used 0.05 of 1 CPU; so it waited for something else: its own sleep, a lock, a database, the network, or more than 16 requests at once</span><span lang="pt">não faltou CPU nem memória a new: usou 0,05 de 1 CPU; então esperou por outra coisa: uma pausa própria, uma trava, um banco de dados, a rede, ou mais de 16 requisições de cada vez</span></p>
"#);
    assert!(page.contains("<a href=\"#held-back\"><span lang=\"en\">neither CPU nor memory</span>"));
}

#[test]
fn no_word_of_a_side_ends_an_element() {
    let page = page(&hostile());
    assert!(!page.contains("<img") && !page.contains('\u{202e}'));
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (6, 6));
}

#[test]
fn a_duel_without_a_turn_has_a_page_without_charts() {
    let mut duel = seen();
    duel.turns.clear();
    duel.levels.clear();
    assert!(!page(&duel).contains("id=\"pairs\""));
}
