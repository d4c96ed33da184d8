//! The pages in a real browser: what is read, pointed at, switched and printed.

mod chromium;

use std::path::{Path, PathBuf};

use galo_judge::evidence::Evidence;
use galo_judge::findings::{BrokenRule, Finding};
use galo_judge::terms::LimitsNote;
use galo_report::Language;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::duel;
use crate::league;
use crate::runs::{ToldFight, decided, hostile, stale};
use chromium::{Browser, DESKTOP, PHONE, Screen, in_a_tab};

/// A page in a folder of its own.
fn written(page: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    std::fs::write(&path, page).unwrap();
    (folder, path)
}

/// Opens a fight's page, does something, and holds that the page complained of nothing and asked for nothing.
fn on(told: &ToldFight, screen: Screen, act: impl FnOnce(&mut Browser)) {
    on_page(&told.html(), screen, act);
}

fn on_page(page: &str, screen: Screen, act: impl FnOnce(&mut Browser)) {
    in_a_tab(|browser| {
        let (_folder, path) = written(page);
        browser.open(&path, screen);
        act(browser);
        assert_eq!(browser.complaints(), [""; 0]);
    });
}

/// What is seen of an element's text.
fn seen(browser: &mut Browser, selector: &str) -> String {
    browser.text(&format!("document.querySelector({selector:?}).innerText"))
}

/// The values that the charts over time show at the cursor, by name.
fn at_cursor(browser: &mut Browser) -> Value {
    browser.eval(
        "Object.fromEntries([...document.querySelectorAll('#timeline .u-series')].map((row) => \
         [row.querySelector('.u-label').textContent, row.querySelector('.u-value').textContent]))",
    )
}

#[test]
fn the_verdict_is_read_and_every_chart_is_drawn_and_labelled() {
    on(decided(), DESKTOP, |browser| {
        assert!(seen(browser, "h1").starts_with("rust-sqlite is better than go-postgres: p99 is 0.6"));
        assert_eq!(browser.eval("document.querySelectorAll('#timeline canvas').length"), 9);
        assert_eq!(browser.eval("document.querySelectorAll('#percentiles canvas').length"), 1);
        let unlabelled = "[...document.querySelectorAll('.plot')].filter((plot) => \
                          plot.getAttribute('role') !== 'img' || !/: .* – /.test(plot.ariaLabel)).length";
        assert_eq!(browser.eval(unlabelled), 0);
        // A chart that drew nothing has one colour.
        let colours = "[...document.querySelectorAll('canvas')].map((canvas) => new Set(new Uint32Array(\
                       canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size)";
        for drawn in browser.eval(colours).as_array().unwrap() {
            assert!(drawn.as_u64().unwrap() > 10, "{drawn}");
        }
        assert_eq!(browser.eval("document.querySelectorAll('#timeline details tbody tr').length"), 33);
    });
}

#[test]
fn one_cursor_moves_in_all_charts_by_pointer_and_by_keys() {
    on(decided(), DESKTOP, |browser| {
        browser.eval("document.querySelector('#timeline').scrollIntoView()");
        let box_of =
            "JSON.stringify(document.querySelectorAll('#timeline .u-over')[0].getBoundingClientRect())";
        let place: Value = serde_json::from_str(&browser.text(box_of)).unwrap();
        let of = |name: &str| place[name].as_f64().unwrap();
        browser.point(of("x") + of("width") / 2.0, of("y") + 20.0);
        let pointed = at_cursor(browser);
        assert!(["9", "10"].contains(&pointed["second"].as_str().unwrap()), "{pointed}");
        for line in [
            "rust-sqlite p99",
            "go-postgres completed",
            "arrivals",
            "api1 (0.45 CPU)",
            "db (1,024 MiB)",
            "limit",
        ] {
            let value = pointed[line].as_str().unwrap();
            assert!(value.parse::<f64>().is_ok(), "{line}: {value}");
        }

        browser.eval("document.querySelector('#timeline .columns').focus()");
        browser.press("Home");
        assert_eq!(at_cursor(browser)["second"], "0");
        browser.press("ArrowRight");
        let stepped = at_cursor(browser);
        assert_eq!(stepped["second"], "1");
        let told = browser.text("document.querySelector('#timeline [role=status]').textContent");
        assert!(
            told.starts_with(
                "second 1. Latency of right answers, from the intended start, ms: rust-sqlite p50 "
            ),
            "{told}"
        );
        let p50 = stepped["rust-sqlite p50"].as_str().unwrap();
        assert!(told.contains(&format!("rust-sqlite p50 {p50},")), "{told} {p50}");
        browser.press("End");
        browser.press("ArrowRight");
        let length = decided().series[0].seconds.len() - 1;
        assert_eq!(at_cursor(browser)["second"], length.to_string().as_str());

        let seconds = |browser: &mut Browser| {
            browser.press("Home");
            let at = "document.querySelector('#timeline .u-cursor-x').style.transform";
            let first = browser.text(at);
            browser.press("ArrowRight");
            assert_ne!(browser.text(at), first);
            browser.text(at)
        };
        let whole = seconds(browser);
        browser.press("+");
        assert_ne!(seconds(browser), whole, "a second is wider");
        browser.press("-");
        assert_eq!(seconds(browser), whole);
    });
}

#[test]
fn rounds_are_chosen_and_contenders_stand_side_by_side() {
    on(decided(), DESKTOP, |browser| {
        let choose = |selector: &str, value: &str| {
            format!(
                "(() => {{ const chosen = document.querySelector({selector:?}); chosen.value = {value:?}; \
                 chosen.dispatchEvent(new Event('change')); }})()"
            )
        };
        let label = "document.querySelector('#timeline .plot').ariaLabel";
        let before = browser.text(label);
        browser.eval(&choose("select[name=round-of-1]", "5"));
        assert_ne!(browser.text(label), before);
        browser.eval("document.querySelectorAll('input[name=way]')[1].click()");
        assert_eq!(browser.eval("document.querySelectorAll('#timeline .columns > div').length"), 2);
        assert_eq!(browser.eval("document.querySelectorAll('#timeline canvas').length"), 12);
        browser.eval(&choose("select[name=round-of-1]", ""));
        assert_eq!(browser.eval("document.querySelectorAll('#timeline canvas').length"), 6);
        browser.eval(&choose("select[name=round-of-0]", ""));
        assert_eq!(browser.eval("document.querySelectorAll('#timeline canvas').length"), 0);
    });
}

#[test]
fn colours_follow_the_system_until_the_reader_chooses() {
    const PAPER: &str = "getComputedStyle(document.body).backgroundColor";
    on(decided(), Screen { dark: true, ..DESKTOP }, |browser| {
        assert_eq!(browser.text(PAPER), "rgb(20, 23, 27)");
        let axis = "document.querySelector('#timeline .u-marker').style.borderColor + \
                    document.querySelectorAll('#timeline .u-marker')[1].style.border";
        let dark = browser.text(axis);
        browser.eval("document.querySelector('input[value=light]').click()");
        assert_eq!(browser.text(PAPER), "rgb(255, 255, 255)");
        assert_ne!(browser.text(axis), dark, "charts are drawn anew");
        browser.eval("document.querySelector('input[value=system]').click()");
        assert_eq!(browser.text(PAPER), "rgb(20, 23, 27)");
    });
}

#[test]
fn the_page_speaks_the_browsers_language_until_the_reader_chooses() {
    on(decided(), Screen { language: "pt-BR", ..DESKTOP }, |browser| {
        assert!(seen(browser, "h1").starts_with("rust-sqlite é melhor que go-postgres: p99 é 0,6"));
        assert_eq!(seen(browser, "#score"), "Placar");
        let finding = seen(browser, ".finding");
        assert!(
            finding.contains("um serviço esgotou a sua CPU") && finding.contains("uma cota"),
            "{finding}"
        );
        assert!(
            !finding.contains("a service had") && finding.contains("`balancer` tinha esgotado"),
            "{finding}"
        );
        let figure = "document.querySelector('#timeline .plot').ariaLabel";
        assert!(browser.text(figure).starts_with("Latência das respostas corretas"));
        browser.eval("document.querySelector('input[value=en]').click()");
        assert_eq!(seen(browser, "#score"), "Score card");
        assert!(browser.text(figure).starts_with("Latency of right answers"));
        assert_eq!(browser.text("document.documentElement.lang"), "en");
        let finding = seen(browser, ".finding");
        assert!(
            finding.contains("a service had used up its CPU") && !finding.contains("uma cota"),
            "{finding}"
        );
    });
    let fixed = galo_report::fight(&decided().report, &decided().series).html(Language::English).unwrap();
    on_page(&fixed, Screen { language: "pt-BR", ..DESKTOP }, |browser| {
        assert_eq!(seen(browser, "#score"), "Score card");
    });
    on(decided(), Screen { language: "de-DE", ..DESKTOP }, |browser| {
        assert_eq!(seen(browser, "#score"), "Score card");
    });
}

#[test]
fn nothing_is_wider_than_a_phone_or_a_desktop() {
    for told in [decided(), stale(), hostile()] {
        for screen in [PHONE, Screen { language: "pt-BR", dark: true, ..PHONE }, DESKTOP] {
            on(told, screen, |browser| {
                let wide = "[...document.querySelectorAll('body *')].filter((element) => \
                        element.getBoundingClientRect().right > innerWidth + 1 && \
                        !element.closest('.scroll, pre, .plot, .hidden')).map((element) => element.outerHTML.slice(0, 200))";
                assert_eq!(browser.eval(wide), json!([]));
                let scrolls = "document.documentElement.scrollWidth - innerWidth";
                assert!(browser.eval(scrolls).as_i64().unwrap() <= 0);
            });
        }
    }
}

#[test]
fn the_page_prints_with_its_charts_light_and_everything_unfolded() {
    on(decided(), Screen { dark: true, ..DESKTOP }, |browser| {
        browser.eval(
            "addEventListener('beforeprint', () => { window.unfolded = document.querySelectorAll('details:not([open])').length; \
             window.widths = [...document.querySelectorAll('canvas')].map((canvas) => canvas.clientWidth); })",
        );
        let printed = browser.call("Page.printToPDF", json!({"printBackground": true}));
        let pdf = printed["data"].as_str().unwrap();
        assert!(pdf.starts_with("JVBERi"), "a PDF in base64");
        assert!(pdf.len() > 50_000, "with charts in it: {}", pdf.len());
        assert_eq!(browser.eval("window.unfolded"), 0);
        let widths = browser.eval("window.widths");
        assert!(widths.as_array().unwrap().iter().all(|width| width == 680), "{widths}");
        browser.settle();
        let after = browser.eval("document.querySelector('canvas').clientWidth");
        assert!(after.as_u64().unwrap() > 1000, "{after}");
    });
}

#[test]
fn rows_of_a_long_table_are_found_and_sorted() {
    on_page(&league::page(30), DESKTOP, |browser| {
        let names = |browser: &mut Browser| -> Vec<String> {
            let shown = "[...document.querySelectorAll('table.ranking tbody tr')].filter((row) => !row.hidden)\
                         .map((row) => row.cells[2].innerText)";
            let shown = browser.eval(shown);
            shown.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
        };
        let click = |browser: &mut Browser, head: usize| {
            browser.eval(&format!("document.querySelectorAll('table.ranking thead button')[{head}].click()"))
        };
        browser.eval("document.querySelector('#ranking-table-search').focus()");
        browser.eval(
            "(() => { const search = document.querySelector('#ranking-table-search'); search.value = 'ENTRY-2'; \
             search.dispatchEvent(new Event('input')); })()",
        );
        assert_eq!(names(browser).len(), 11);
        browser.eval(
            "(() => { const search = document.querySelector('#ranking-table-search'); search.value = ''; \
             search.dispatchEvent(new Event('input')); })()",
        );
        // By p99, in numbers: of 7 times the place, less whole 31s. The one without is last either way.
        let column = 4;
        click(browser, column);
        let rising = names(browser);
        assert_eq!(
            (rising[0].as_str(), rising[1].as_str(), rising[29].as_str()),
            ("entry-9", "entry-18", "entry-7")
        );
        assert_eq!(browser.eval("document.querySelector('th[aria-sort]').ariaSort"), "ascending");
        click(browser, column);
        let falling = names(browser);
        assert_eq!((falling[28].as_str(), falling[29].as_str()), ("entry-9", "entry-7"));
        click(browser, 0);
        assert_eq!(names(browser)[..3], ["entry-1", "entry-2", "entry-3"]);
    });
}

#[test]
fn the_page_of_a_duel_draws_every_pair_and_fits() {
    for (page, screen) in [
        (duel::page(&duel::watched()), DESKTOP),
        (duel::page(&duel::watched()), PHONE),
        (duel::page(&duel::hostile()), PHONE),
    ] {
        on_page(&page, screen, |browser| {
            assert!(browser.eval("document.documentElement.scrollWidth - innerWidth").as_i64().unwrap() <= 0);
            assert_eq!(browser.eval("document.querySelectorAll('#pairs canvas').length"), 2);
            browser.eval("document.querySelector('#pairs .columns').focus()");
            browser.press("End");
            let told = browser.text("document.querySelector('#pairs [role=status]').textContent");
            assert!(told.starts_with("pair 8. p99 by pair, ms: "), "{told}");
        });
    }
}

/// A fight's report with these words wherever any come from outside.
fn everywhere(evil: &str) -> ToldFight {
    let ToldFight { mut report, mut series } =
        ToldFight { report: stale().report.clone(), series: stale().series.clone() };
    let text = || evil.to_owned();
    for (number, contender) in report.contenders.iter_mut().enumerate() {
        let name = format!("{number}{evil}");
        for round in report.rounds.iter_mut().filter(|round| round.contender == contender.name) {
            round.contender.clone_from(&name);
        }
        series
            .iter_mut()
            .filter(|s| s.contender == contender.name)
            .for_each(|s| s.contender.clone_from(&name));
        (contender.name, contender.title, contender.language) = (name, text(), Some(text()));
        contender.services.iter_mut().for_each(|service| service.name = text());
    }
    for round in &mut report.rounds {
        round.services.iter_mut().for_each(|service| service.name = text());
        for step in &mut round.steps {
            (step.scenario, step.step) = (text(), text());
            step.errors.insert(text(), 1);
        }
        for finding in &mut round.judgement.findings {
            let fact = BrokenRule {
                rule: text(),
                text: text(),
                text_pt: Some(text()),
                headline: Some([text(), text()]),
                cases: 1,
                steps: Vec::new(),
            };
            *finding = Finding {
                evidence: vec![Evidence::LogLine { service: text(), line: text() }],
                explains_milli: finding.explains_milli,
                weight: finding.weight,
                blame: finding.blame,
                ..Finding::new(fact)
            };
        }
    }
    series.iter_mut().flat_map(|s| &mut s.services).for_each(|service| service.name = text());
    (report.challenge, report.profile) = (text(), text());
    report.limits_note = Some(LimitsNote::Host(text()));
    let header = &mut report.header;
    header.command = vec![text()];
    header.machine.settings.insert(text(), text());
    (header.machine.cpu, header.galo, header.started) = (text(), text(), text());
    ToldFight { report, series }
}

#[test]
fn no_word_of_a_contender_runs() {
    for told in [hostile(), stale()] {
        on(told, DESKTOP, |browser| {
            let foreign = "[...document.querySelectorAll('img, iframe, object, [onerror], [onload], script[src]')].length";
            assert_eq!(browser.eval(foreign), 0);
            assert_eq!(browser.eval("document.scripts.length"), 6);
        });
    }
    // In every place that holds words from outside.
    for evil in [
        "</script><script>window.ran = 1</script>",
        "\"><img src=x onerror=\"window.ran = 1\">",
        "' onfocus='window.ran = 1' autofocus='",
        "<!-- <script> \u{2028} \u{202e}]]>",
        "{{7*7}} ${window.ran = 1} `",
    ] {
        on(&everywhere(evil), DESKTOP, |browser| {
            assert_eq!(browser.eval("window.ran === undefined"), true);
            assert_eq!(browser.eval("document.querySelectorAll('img, [onerror], [onfocus]').length"), 0);
            assert_eq!(browser.eval("document.scripts.length"), 6);
        });
    }
    // Even what came to stand in the page as markup: the policy in its head lets nothing run but the page's own.
    let page = decided()
        .html()
        .replace("</main>", "<img src=x onerror=\"window.ran = 1\"><script>window.ran = 2</script></main>");
    in_a_tab(|browser| {
        let (_folder, path) = written(&page);
        browser.open(&path, DESKTOP);
        assert_eq!(browser.eval("window.ran === undefined"), true);
        let complaints = browser.complaints();
        assert!(complaints.iter().any(|c| c.contains("Content Security Policy")), "{complaints:?}");
    });
}

#[test]
fn the_command_is_copied_and_links_lead_to_findings() {
    on(stale(), DESKTOP, |browser| {
        browser.eval("document.querySelector('#copy').click()");
        browser.settle();
        let selected = browser.text("getSelection().toString().trim()");
        assert!(selected.starts_with("galo fight contenders/pessoas/rust-sqlite"), "{selected}");
        browser.eval("document.querySelector('.glance a').click()");
        let target = browser.text("document.querySelector(':target').id");
        assert_eq!(target, "finding-search-misses-acknowledged");
    });
}

/// No test: `cargo test -p galo-report --test report pictures -- --ignored` takes the pictures of the README and the docs anew.
#[test]
#[ignore = "it writes into docs/pictures"]
fn pictures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
    let shots = [
        ("report.png", DESKTOP, "body", 1_000),
        ("report-over-time.png", DESKTOP, "#time", 1_180),
        ("report-phone-dark.png", Screen { dark: true, ..PHONE }, "body", 1_400),
    ];
    for (name, screen, from, height) in shots {
        on(decided(), screen, |browser| {
            // With the cursor somewhere, so that there are values.
            browser.eval("document.querySelector('#timeline .columns').focus({ preventScroll: true })");
            (0..15).for_each(|_| browser.press("ArrowRight"));
            browser.eval("document.activeElement.blur()");
            let top = format!("document.querySelector({from:?}).getBoundingClientRect().top + scrollY");
            let top = browser.eval(&top).as_f64().unwrap();
            let clip = json!({"x": 0, "y": top, "width": screen.width, "height": height, "scale": 1});
            let shot =
                browser.call("Page.captureScreenshot", json!({"clip": clip, "captureBeyondViewport": true}));
            std::fs::write(folder.join(name), decoded(shot["data"].as_str().unwrap())).unwrap();
        });
    }
}

/// Base64 as the protocol writes it.
fn decoded(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::prelude::BASE64_STANDARD.decode(text).unwrap()
}
