//! The terminal.

use galo_plan::plan::NoiseFloor;
use galo_report::{Language, Look};
use galo_words::Lang;
use unicode_width::UnicodeWidthStr;

use crate::runs::{all, alone, build, decided, few, hostile, stale, three};
use crate::synthetic::{fair, folder_but, folder_of, plan};

/// Text without its colours: ESC [ ... m.
fn plain(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').unwrap().1)
}

#[test]
fn a_decided_fight_reads_well() {
    insta::assert_snapshot!(decided().terminal(80, false));
}

#[test]
fn the_same_is_told_in_portuguese_within_the_same_columns() {
    let look = |width| Look { width, colour: false };
    for told in all() {
        for width in [80, 100] {
            for line in galo_report::fight(&told.report, &[]).terminal(look(width), Lang::Pt).lines() {
                let is_request = line.trim_start().starts_with("curl ");
                assert!(is_request || line.width() <= width, "{width}: {line:?}");
            }
        }
    }
    for told in [decided(), few(), alone(), stale()] {
        insta::assert_snapshot!(galo_report::fight(&told.report, &[]).terminal(look(80), Lang::Pt));
    }
}

#[test]
fn three_are_told_as_a_whole_field_in_groups() {
    let words = [(Lang::En, "All contenders", "Why"), (Lang::Pt, "Todos os competidores", "Por quê")];
    for (lang, begin, end) in words {
        let text = galo_report::fight(&three().report, &[]).terminal(Look { width: 80, colour: false }, lang);
        let (_, field) = text.split_once(begin).unwrap();
        let (field, _) = field.split_once(&format!("\n{end}\n")).unwrap();
        insta::assert_snapshot!(field);
    }
}

#[test]
fn a_fight_of_too_few_rounds_says_so() {
    insta::assert_snapshot!(few().terminal(80, false));
}

#[test]
fn a_disqualified_contender_is_in_brackets_without_colour() {
    insta::assert_snapshot!(stale().terminal(80, false));
}

#[test]
fn a_disqualified_contender_is_struck_through_with_colour() {
    let text = stale().terminal(80, true).replace('\u{1b}', "ESC");
    insta::assert_snapshot!(text);
}

#[test]
fn one_round_of_one_contender_is_told_in_detail() {
    insta::assert_snapshot!(alone().terminal(80, false));
}

#[test]
fn no_line_passes_the_width() {
    for told in all() {
        for (width, colour) in [(80, false), (80, true), (100, false), (132, true)] {
            for line in plain(&told.terminal(width, colour)).lines() {
                assert!(line.width() <= width, "{width}: {line:?}");
            }
        }
    }
}

#[test]
fn a_summary_of_two_contenders_fits_on_a_screen() {
    for told in [decided(), few(), stale(), alone()] {
        let text = told.terminal(80, false);
        assert!(text.lines().count() <= 40, "{text}");
    }
}

#[test]
fn without_colour_there_is_no_escape_sequence() {
    for told in all() {
        assert!(!told.terminal(80, false).contains('\u{1b}'));
    }
}

#[test]
fn what_a_contender_sent_cannot_steer_the_terminal() {
    for told in [stale(), hostile()] {
        let text = told.terminal(80, true);
        assert!(!text.contains("\u{1b}[2J") && !text.contains("\u{1b}[31m") && !text.contains('\u{202e}'));
    }
}

#[test]
fn colour_changes_no_word_but_the_brackets() {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for told in [decided(), few(), alone()] {
        assert_eq!(words(&plain(&told.terminal(80, true))), words(&told.terminal(80, false)));
    }
}

#[test]
fn missing_limits_are_the_first_thing_told() {
    let text = hostile().terminal(80, false);
    assert!(text.starts_with("limits are not enforced: limits were switched off (--unlimited)"), "{text}");
}

#[test]
fn a_contender_over_the_budget_is_the_very_first_thing_told() {
    let rounds = fair(6, 1.0);
    let mut plan = plan(&["rust-sqlite", "go-postgres"], &rounds);
    plan.limited = false;
    plan.contenders[1].services[0].cpus_milli += 1000;
    let (report, _) = build(&folder_of(&plan, &rounds).run, &crate::synthetic::Counted).unwrap();
    let first = |lang| {
        let text = galo_report::fight(&report, &[]).terminal(Look { width: 80, colour: false }, lang);
        text.lines().take(3).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(first(Lang::En), @r"
    go-postgres is over the budget, and it was known (--over-budget): it takes 2.5
      CPU and 2.1 GiB of 1.5 CPU and 3 GiB
    limits are not enforced: limits were switched off (--unlimited)
    ");
    insta::assert_snapshot!(first(Lang::Pt), @r"
    go-postgres está acima do orçamento, e isso era sabido (--over-budget): usa 2,5
      CPU e 2,1 GiB de 1,5 CPU e 3 GiB
    os limites não estão sendo impostos: os limites foram desligados (--unlimited)
    ");
}

#[test]
fn a_fight_that_was_too_light_says_how_near_it_came_and_gives_the_line_with_a_scale_that_will_do() {
    let rounds = fair(1, 1.0);
    let plan = plan(&["rust-sqlite", "go-postgres"], &rounds);
    let told = folder_but(&plan, &rounds, |data| {
        // A tenth of what they used, and nothing that failed.
        for sample in &mut data.samples {
            for service in &mut sample.services {
                (service.cpu_ns, service.throttled_periods) = (service.cpu_ns / 10, 0);
            }
        }
    });
    let (report, series) = build(&told.run, &crate::synthetic::Counted).unwrap();
    for lang in [Lang::En, Lang::Pt] {
        let text = galo_report::fight(&report, &[]).terminal(Look { width: 80, colour: false }, lang);
        let told: Vec<_> = text.lines().take_while(|line| !line.starts_with("pessoas")).collect();
        insta::assert_snapshot!(told.join("\n"));
        assert!(galo_report::fight(&report, &[]).markdown(lang).contains("--scale"));
    }
    assert!(galo_report::fight(&report, &series).html(Language::OfBrowser).unwrap().contains("--scale"));
}

#[test]
fn no_difference_is_told_with_what_so_many_pairs_would_find_and_the_noise_floor_with_its_run() {
    let rounds = fair(6, 1.0);
    let mut plan = plan(&["rust-sqlite", "go-postgres"], &rounds);
    plan.noise_floor = Some(NoiseFloor {
        ratio: 1.012_345,
        cpu_ratio: 1.02,
        from_run: "/runs/of itself".into(),
        contender: "go-postgres".to_owned(),
        measured: "2026-01-01T02:03:04Z".to_owned(),
    });
    let (report, series) = build(&folder_of(&plan, &rounds).run, &crate::synthetic::Counted).unwrap();
    let text = galo_report::fight(&report, &[]).terminal(Look { width: 80, colour: false }, Lang::En);
    let told: Vec<_> = text.lines().skip_while(|line| !line.starts_with("ratio: ")).take(5).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    ratio: rust-sqlite divided by go-postgres, over 6 pairs of rounds (5:1: better
      in 5, worse in 1); * told apart, ? too few rounds
    6 pairs with this noise find 42 % in 80 of 100 fights
    noise floor 1.012 (CPU 1.020): go-postgres against itself on 2026-01-01, in
      /runs/of itself
    ");
    let (verdict, _) = text.split_once("\npessoas").unwrap();
    insta::assert_snapshot!(verdict, @r"
    no difference above 32 %: p99 of rust-sqlite is 1.048 times (0.84 to 1.31)
      go-postgres's; CPU time, which decides between equals within the service
      level, needs 9 pairs (--rounds 9); 137 more pairs would find a difference of 5
      % in p99 (--rounds 143)
    ");
    let page = galo_report::fight(&report, &series).html(Language::OfBrowser).unwrap();
    assert!(page.contains("1.012 (CPU 1.020): go-postgres against itself on 2026-01-01, in /runs/of itself"));
}
