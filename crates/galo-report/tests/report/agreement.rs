//! What stands in several places is the same there, and says of what it is.

use galo_judge::Measure;
use galo_judge::fight::JudgedFight;
use galo_judge::terms::LimitsNote;
use galo_plan::Runner;
use galo_record::RoundData;
use galo_report::{Language, Look, RoundSeries};
use galo_words::Lang;

use crate::runs::{all, alone, build, decided, hostile, stale};
use crate::synthetic::{Counted, Fate, fair, folder_but, plan};

/// One contender, one round, changed before it was written.
fn told_but(change: impl Fn(&mut RoundData)) -> (JudgedFight, RoundSeries) {
    let rounds = &fair(1, 1.0)[..1];
    let (report, mut series) =
        build(&folder_but(&plan(&["rust-sqlite"], rounds), rounds, change).run, &Counted).unwrap();
    (report, series.remove(0))
}

#[test]
fn measures_table_and_curve_tell_one_latency() {
    for told in all() {
        for (round, series) in told.report.rounds.iter().zip(&told.series) {
            let Some(p99) = round.judgement.measures.get(Measure::LatencyUsP99) else { continue };
            assert_eq!(round.latency.p99, p99);
            assert_eq!(round.latency.count, round.judgement.ledger.intended);
            assert_eq!(round.service_time.count, round.judgement.ledger.ok);
            let last = series.latency.last().unwrap();
            assert_eq!(last.one_in, round.latency.count as f64);
            assert!((last.us - round.latency.max).abs() < 0.1, "the table has one decimal");
        }
    }
}

#[test]
fn a_probe_that_was_slow_is_no_part_of_any_latency() {
    let usual = told_but(|_| {});
    let slow = told_but(|data| {
        let probe = &mut data.latencies[5];
        probe.ok = galo_record::Latencies::new();
        (0..100).for_each(|_| probe.ok.record_ns(50_000_000_000));
    });
    assert_eq!(slow.0.rounds[0].latency, usual.0.rounds[0].latency);
    assert_eq!(slow.0.rounds[0].judgement.measures, usual.0.rounds[0].judgement.measures);
    assert_eq!(slow.1.latency, usual.1.latency);
    assert!(slow.0.rounds[0].steps[4].latency.p50 > 49e6, "its own step tells it");
}

#[test]
fn the_memory_of_a_contender_with_one_service_is_that_of_its_service() {
    let (report, _) = told_but(|data| {
        data.record.placement.as_mut().unwrap().services.truncate(1);
        let samples = data.samples.len();
        for (number, sample) in data.samples.iter_mut().enumerate() {
            sample.services.truncate(1);
            // A peak between two samples, which only the kernel saw.
            sample.services[0].memory_peak_bytes = if number > samples / 2 { 60 << 20 } else { 1 << 20 };
        }
    });
    let round = &report.rounds[0];
    assert_eq!(round.services[0].usage.memory_peak_bytes, Some(60 << 20));
    assert_eq!(round.judgement.measures.get(Measure::MemoryPeakBytes), Some(f64::from(60 << 20)));
    let anonymous = round.services[0].usage.anonymous_peak_bytes.unwrap();
    assert_eq!(round.judgement.measures.get(Measure::AnonymousPeakBytes), Some(anonymous as f64));
}

#[test]
fn memory_that_nobody_saw_is_null_in_both_places() {
    let (report, _) = told_but(|data| data.samples.clear());
    let round = &report.rounds[0];
    assert_eq!(
        (round.services[0].usage.memory_peak_bytes, round.judgement.measures.get(Measure::MemoryPeakBytes)),
        (None, None)
    );
    let page = galo_report::fight(&report, &[]).html(Language::OfBrowser).unwrap();
    assert!(page.contains("CPU and memory of each service") && !page.contains("id=\"timeline\""));
}

#[test]
fn what_no_control_group_told_is_nowhere_told_as_zero() {
    let rounds = fair(1, 1.0);
    let folder = folder_but(&plan(&["rust-sqlite", "queued"], &rounds), &rounds, |data| {
        data.samples
            .iter_mut()
            .flat_map(|sample| &mut sample.services)
            .for_each(|seen| *seen = Default::default());
    });
    let (report, series) = build(&folder.run, &Counted).unwrap();
    assert!(report.contenders.iter().all(|one| one.summary.cpu_ns().is_none()));
    for second in series[0].services.iter().flat_map(|service| &service.seconds) {
        assert_eq!((second.cpus, second.memory_bytes, second.anonymous_bytes), (None, None, None));
    }
    let document = galo_report::fight(&report, &series);
    let markdown = document.markdown(Lang::En);
    for row in ["rust-sqlite: db", "rust-sqlite: all"] {
        assert!(markdown.contains(&format!("| {row} | \\- | \\- | \\- |")), "{row}: {markdown}");
    }
    let cpu = markdown.lines().find(|line| line.starts_with("| **CPU")).unwrap();
    assert!(cpu.ends_with("|  | not measured |"), "{cpu}");
    let of_services =
        markdown.lines().filter(|line| line.starts_with("| rust-sqlite: db |")).collect::<Vec<_>>();
    assert_eq!(of_services.len(), 2);
    let told = of_services.concat();
    assert!(!told.contains("| 0 ") && !told.contains("| 0.0 s"), "{told}");
    assert!(!markdown.contains("CPU 0.00 of"), "{markdown}");
}

#[test]
fn the_cpu_of_galo_is_told_of_its_engine_and_of_all_of_it() {
    // The samples say 10 ms every 100 ms, over the 20 s of the load.
    let round = &alone().report.rounds[0];
    assert_eq!((round.engine.cpu_ns, round.galo_cpu_ns), (1_234_567_890, Some(2_000_000_000)));
    let page = alone().html();
    assert!(page.contains("CPU of engine threads</span>") && page.contains("CPU of all of galo</span>"));
    let cell = |en: &str, pt: &str| format!(r#"<span lang="en">{en}</span><span lang="pt">{pt}</span>"#);
    assert!(page.contains(&format!(
        "<td>{}</td><td>{}</td>",
        cell("1.2 s", "1,2 s"),
        cell("2.0 s", "2,0 s")
    )));
    assert_eq!(told_but(|data| data.samples.clear()).0.rounds[0].galo_cpu_ns, None);
}

#[test]
fn limits_are_enforced_only_where_a_round_came_so_far_and_all_did() {
    let limits = |report: &JudgedFight| (report.limits_enforced, report.limits_note.clone());
    let no = |note| (false, Some(note));
    assert_eq!(limits(&decided().report), (true, None));
    assert_eq!(limits(&hostile().report), no(LimitsNote::Unlimited));

    let mut rounds = fair(1, 1.0);
    let of = |rounds: &[_], change: fn(&mut RoundData)| {
        let plan = plan(&["rust-sqlite", "queued"], rounds);
        limits(&build(&folder_but(&plan, rounds, change).run, &Counted).unwrap().0)
    };
    let unexplained = |data: &mut RoundData| {
        if data.record.number == 2 {
            data.record.placement.as_mut().unwrap().limits_enforced = false;
        }
    };
    assert_eq!(of(&rounds, unexplained), no(LimitsNote::Unexplained));
    let plan = plan(&["rust-sqlite", "queued"], &rounds);
    let (report, _) = build(&folder_but(&plan, &rounds, unexplained).run, &Counted).unwrap();
    let told = galo_report::fight(&report, &[]).terminal(Look { width: 200, colour: false }, Lang::En);
    assert!(told.starts_with("limits are not enforced: not every limit was set"), "{told}");
    rounds[0].fate = Fate::NotReady;
    assert_eq!(of(&rounds, |_| {}), (true, None), "what did not start had no limits to miss");
    rounds[1].fate = Fate::NotReady;
    assert_eq!(of(&rounds, |_| {}), no(LimitsNote::Unplaced));
}

#[test]
fn why_a_contender_did_not_start_is_told_beside_the_findings() {
    let why = "round 2: service `api1` was not ready after 60 s (last answer";
    assert!(hostile().html().contains("round 2: service `api1` was not ready after 60 s"));
    let terminal = hostile().terminal(200, false);
    assert!(terminal.contains(why), "{terminal}");
}

#[test]
fn what_container_engines_take_is_told_beside_containers_alone() {
    let rounds = fair(1, 1.0);
    let report = |runner| {
        let mut plan = plan(&["rust-sqlite", "queued"], &rounds);
        plan.contenders[1].runner = runner;
        let engines = |data: &mut RoundData| data.record.beside.container_engine_ns = Some(1_500_000_000);
        build(&folder_but(&plan, &rounds, engines).run, &Counted).unwrap().0
    };
    let told = |report: &JudgedFight| -> Vec<(String, Option<u64>)> {
        report.rounds.iter().map(|round| (round.contender.clone(), round.container_engine_ns)).collect()
    };
    let [of_processes, of_containers] = [Runner::Process, Runner::Docker].map(report);
    assert!(told(&of_processes).iter().all(|(_, told)| told.is_none()));
    assert!(told(&of_containers).contains(&("queued".to_owned(), Some(1_500_000_000))));
    assert!(told(&of_containers).contains(&("rust-sqlite".to_owned(), None)));
    // Beside the services, and no part of what they all took. Starts of two kinds are not compared.
    let all = |report: &JudgedFight| -> Vec<Option<f64>> {
        let compared = Measure::of_rounds().filter(|measure| *measure != Measure::StartS);
        compared.map(|measure| report.contenders[1].summary.measures.get(measure)).collect()
    };
    assert_eq!(all(&of_processes), all(&of_containers));
}

#[test]
fn what_is_of_right_answers_only_says_so() {
    let page = decided().html();
    assert!(page.contains("Latency by second is of right answers alone"));
    assert!(page.contains("Latency of right answers, from the intended start, ms"));
    assert!(page.contains("service time (right answers)") && page.contains("latency (all that ended)"));
    assert!(alone().html().contains("everything that ended, from the intended start"));
    let terminal = alone().terminal(80, false);
    assert!(
        terminal.contains("latency (all that ended)") && terminal.contains("service time (right answers)")
    );
}

#[test]
fn evidence_shows_the_request_and_then_what_differs_each_on_a_line_of_its_own() {
    let text = stale().terminal(80, false);
    let mut lines = text.lines().skip_while(|line| !line.starts_with("  GET "));
    assert_eq!(lines.next(), Some("  GET /pessoas?t=galo1 HTTP/1.1"));
    let difference = "  the person who was acknowledged 3 ms before is not among the 0 found";
    assert_eq!(lines.next(), Some(difference));
    let narrow = stale().terminal(40, false);
    assert!(narrow.contains("\n  the person who was acknowledged 3 ms …\n"), "{narrow}");
}
