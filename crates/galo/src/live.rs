//! The live view on standard error: one line that is redrawn on a terminal, a line every few seconds elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use galo_judge::{Judgement, Standing};
use galo_plan::Plan;
use galo_record::event::Progress;
use galo_record::{Event, Events};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::{plain, say};

/// Time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Shows events as they come, until it is dropped.
pub(crate) struct Live {
    events: Events,
    screen: Screen,
}

/// What a line about the load is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Where {
    /// One that is redrawn on a terminal.
    Redrawn,
    /// One of several that stay.
    Line,
}

/// Where news goes.
#[derive(Clone)]
enum Screen {
    Nowhere,
    Lines,
    Terminal(ProgressBar),
}

impl Live {
    /// Starts the view of a fight; a quiet one shows nothing.
    pub(crate) fn start(quiet: bool) -> Self {
        Self::with(quiet, |progress, _| where_it_is(progress))
    }

    /// Starts a view that shows of a load what `tell` says of it. A quiet one shows nothing, but asks all the same.
    pub(crate) fn with(quiet: bool, tell: impl FnMut(&Progress, Where) -> String + Send + 'static) -> Self {
        Self::hearing(quiet, |_| {}, tell)
    }

    /// The same; all news goes through `hear` as well, quiet or not.
    pub(crate) fn hearing(
        quiet: bool,
        hear: impl FnMut(&Event) + Send + 'static,
        tell: impl FnMut(&Progress, Where) -> String + Send + 'static,
    ) -> Self {
        let screen = if quiet {
            Screen::Nowhere
        } else if std::io::stderr().is_terminal() {
            Screen::Terminal(bar())
        } else {
            Screen::Lines
        };
        let (events, news) = Events::channel();
        std::thread::spawn({
            let screen = screen.clone();
            move || show(news.iter().inspect(hear), &screen, tell)
        });
        Self { events, screen }
    }

    /// Where stages send their news.
    pub(crate) fn events(&self) -> Events {
        self.events.clone()
    }

    /// Tells something that stays.
    pub(crate) fn line(&self, text: &str) {
        self.screen.line(text);
    }

    /// Tells that a round begins.
    pub(crate) fn round(&self, number: u32, plan: &Plan, slot: usize) {
        let name = &plan.contenders[plan.order[slot]].name;
        self.screen.line(&format!("round {number} ({} planned): {name}", plan.order.len()));
    }

    /// Tells what a round was worth.
    pub(crate) fn judged(&self, plan: &Plan, judgement: &Judgement) {
        self.screen.line(&format!("  {}", worth(plan, judgement)));
    }
}

impl Drop for Live {
    /// Leaves the terminal as it was. The thread ends with the last sender; nobody waits for it.
    fn drop(&mut self) {
        if let Screen::Terminal(bar) = &self.screen {
            bar.finish_and_clear();
        }
    }
}

impl Screen {
    fn line(&self, text: &str) {
        match self {
            Self::Nowhere => {}
            Self::Lines => say(text),
            Self::Terminal(bar) => bar.println(plain(text)),
        }
    }

    /// Shows where things are; `due` says whether a line is due where lines stay. There nothing is said of nothing.
    fn state(&self, text: String, due: bool) {
        match self {
            Self::Terminal(bar) => bar.set_message(text),
            Self::Lines if due && !text.is_empty() => say(&format!("  {text}")),
            Self::Lines | Self::Nowhere => {}
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn show(
    news: impl Iterator<Item = Event>,
    screen: &Screen,
    mut tell: impl FnMut(&Progress, Where) -> String,
) {
    let mut last_line = Instant::now();
    for event in news {
        match event {
            Event::Building { contender, command } => {
                screen.line(&cut(&format!("building {contender}: {command}")));
            }
            Event::ServiceStarted { service } => screen.state(format!("starting {service}"), false),
            Event::ServiceLate { service, last, listens } => {
                let listens =
                    if listens.is_empty() { "nowhere yet".to_owned() } else { format!("on {listens}") };
                screen.line(&format!("  {service} is not ready yet ({last}); it listens {listens}"));
            }
            Event::ServiceReady { service, after_ns } => {
                screen.state(format!("{service} ready after {} ms", after_ns / 1_000_000), false);
            }
            Event::ServiceDied { service, status } => screen.line(&format!("  {service} died: {status}")),
            Event::Progress(progress) => {
                let due = last_line.elapsed() >= LINE_EVERY;
                if due {
                    last_line = Instant::now();
                }
                let place = if matches!(screen, Screen::Terminal(_)) { Where::Redrawn } else { Where::Line };
                screen.state(tell(&progress, place), due);
            }
            Event::Counted { value: Some(value) } => screen.state(format!("counted {value}"), false),
            _ => {}
        }
    }
}

/// One line of a terminal of 80 columns.
fn cut(text: &str) -> String {
    match text.char_indices().nth(80) {
        Some(_) => text.chars().take(79).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// The line about where a load of known length is now.
pub(crate) fn where_it_is(p: &Progress) -> String {
    let seconds = p.elapsed_ns / 1_000_000_000;
    let length = p.duration_ns.map_or("?".to_owned(), |length_ns| (length_ns / 1_000_000_000).to_string());
    format!(
        "{seconds:>3} of {length} s  {:>5.0}/s  {:>4} in flight  {} wrong  {} failed  p99 {:.1} ms",
        p.arrival_rate.unwrap_or_default(),
        p.in_flight,
        p.wrong,
        p.failed,
        p.latency_us_p99 as f64 / 1000.0,
    )
}

/// One line on a judged round.
fn worth(plan: &Plan, judgement: &Judgement) -> String {
    match &judgement.standing {
        Standing::Valid => {
            let ledger = &judgement.ledger;
            let p99_ms = judgement.measures.latency_us_p99.unwrap_or_default() / 1000.0;
            format!("valid: {} of {} right, p99 {p99_ms:.1} ms", ledger.ok, ledger.intended)
        }
        Standing::Disqualified { rules } => {
            format!("{} is disqualified: {}", plan.contenders[judgement.contender].name, rules.join(", "))
        }
        Standing::Void { reason } => format!("void: {reason}"),
        Standing::NotReady { reason } => format!("did not start: {reason}"),
    }
}
