//! The live view on standard error: on a terminal a full screen while a load runs, or one line that is redrawn; a line every
//! few seconds elsewhere.

mod screen;

use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use galo_judge::{Judgement, Standing};
use galo_plan::Plan;
use galo_record::{Event, Events};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::{OutputArgs, ProgressArg, ProgressArgs};
use crate::output::{is_unicode, say};
use crate::watched::Watched;
use galo_report::live::{COLUMNS, Where, cut};

use screen::FullScreen;

/// Time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Time between two drawings of the full screen. More often would take CPU from what is measured.
const DRAW_EVERY: Duration = Duration::from_millis(250);

/// Shows a run as it goes on, until it is dropped.
pub(crate) struct Live {
    events: Events,
    watched: Watched,
    screen: Screen,
}

/// How much of standard error a view may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// None of it.
    Nothing,
    /// Lines that stay.
    Lines,
    /// One line that is redrawn, if it is a terminal.
    Line,
    /// All of it while a load runs, if it is a terminal that can show it.
    Screen,
}

impl Room {
    /// As the caller wants it.
    pub(crate) const fn of(output: &OutputArgs, progress: &ProgressArgs) -> Self {
        match progress.progress {
            _ if output.quiet => Self::Nothing,
            None | Some(ProgressArg::Screen) => Self::Screen,
            Some(ProgressArg::Line) => Self::Line,
            Some(ProgressArg::Lines) => Self::Lines,
        }
    }
}

/// Where news goes.
#[derive(Clone)]
enum Screen {
    Nowhere,
    Lines,
    Line(ProgressBar),
    /// Until it is up, the line; once it is gone, lines.
    Full(ProgressBar, FullScreen),
}

impl Live {
    /// Starts a view. One without room shows nothing, but has the news heard all the same.
    pub(crate) fn start(room: Room, watched: &Watched) -> Self {
        let screen = Screen::of(room, watched);
        let (events, news) = Events::channel();
        std::thread::spawn({
            let (watched, screen) = (watched.clone(), screen.clone());
            move || show(&news, &watched, &screen)
        });
        Self { events, watched: watched.clone(), screen }
    }

    /// Where stages send their news.
    pub(crate) fn events(&self) -> Events {
        self.events.clone()
    }

    /// What it shows.
    pub(crate) const fn watched(&self) -> &Watched {
        &self.watched
    }

    /// Tells something that stays.
    pub(crate) fn line(&self, text: &str) {
        self.screen.line(text);
    }

    /// Says what is driven from here on, where there is room for a heading and for charts, which begin anew.
    pub(crate) fn begin(&self, heading: &str) {
        self.watched.get().begin(heading);
    }

    /// Says whose turn it is.
    pub(crate) fn turn(&self, turn: String) {
        self.watched.get().turn(turn);
    }

    /// Tells that a round begins.
    pub(crate) fn round(&self, number: u32, plan: &Plan, slot: usize) {
        let name = &plan.contenders[plan.order[slot]].name;
        let heading = format!("round {number} ({} planned): {name}", plan.order.len());
        self.line(&heading);
        self.begin(&heading);
    }

    /// Tells what a round was worth.
    pub(crate) fn judged(&self, plan: &Plan, judgement: &Judgement) {
        self.screen.line(&format!("  {}", worth(plan, judgement)));
    }
}

impl Drop for Live {
    /// Leaves the terminal as it was. The thread ends with the last sender; nobody waits for it.
    fn drop(&mut self) {
        match &self.screen {
            Screen::Nowhere | Screen::Lines => {}
            Screen::Line(bar) => bar.finish_and_clear(),
            Screen::Full(bar, full) => {
                bar.finish_and_clear();
                full.leave();
            }
        }
    }
}

impl Screen {
    fn of(room: Room, watched: &Watched) -> Self {
        match room {
            Room::Nothing => Self::Nowhere,
            Room::Lines => Self::Lines,
            Room::Line | Room::Screen if !std::io::stderr().is_terminal() => Self::Lines,
            Room::Line => Self::Line(bar()),
            Room::Screen => FullScreen::wanted(watched.clone())
                .map_or_else(|| Self::Line(bar()), |full| Self::Full(bar(), full)),
        }
    }

    /// What a line about the load is for, as things are.
    fn place(&self) -> Where {
        match self {
            Self::Nowhere | Self::Lines => Where::Line,
            Self::Full(_, full) if full.is_gone() => Where::Line,
            Self::Line(_) | Self::Full(..) => Where::Redrawn,
        }
    }

    fn line(&self, text: &str) {
        match self {
            Self::Nowhere => {}
            Self::Lines => say(text),
            Self::Line(bar) => bar.suspend(|| say(text)),
            Self::Full(bar, full) if full.is_wanted() => bar.suspend(|| say(text)),
            Self::Full(..) => say(text),
        }
    }

    /// Shows where things are; `due` says whether a line is due where lines stay. There nothing is said of nothing.
    fn state(&self, text: String, due: bool) {
        match (self.place(), self) {
            (_, Self::Nowhere) => {}
            (Where::Redrawn, Self::Line(bar)) => bar.set_message(text),
            (Where::Redrawn, Self::Full(bar, full)) if full.is_wanted() => bar.set_message(text),
            (Where::Redrawn, Self::Full(..)) => {}
            _ if due && !text.is_empty() => say(&format!("  {text}")),
            _ => {}
        }
    }

    /// Brings the full screen up, if there is one.
    fn come_up(&self) {
        let Self::Full(bar, full) = self else { return };
        if full.is_wanted() {
            bar.finish_and_clear();
            full.come_up();
        }
    }

    fn redraw(&self) {
        if let Self::Full(_, full) = self {
            full.redraw();
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

/// Shows news until nobody is left to send any.
fn show(news: &Receiver<Event>, watched: &Watched, screen: &Screen) {
    let (mut last_line, mut drawn) = (Instant::now(), Instant::now());
    loop {
        match news.recv_timeout(DRAW_EVERY) {
            Ok(event) => {
                watched.hear(&event);
                show_one(&event, watched, screen, &mut last_line);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if drawn.elapsed() >= DRAW_EVERY {
            screen.redraw();
            drawn = Instant::now();
        }
    }
}

fn show_one(event: &Event, watched: &Watched, screen: &Screen, last_line: &mut Instant) {
    match event {
        Event::Building { contender, command } => {
            screen.line(&cut(&format!("building {contender}: {command}"), COLUMNS));
        }
        Event::ServiceStarted { service } => screen.state(format!("starting {service}"), false),
        Event::ServiceLate { service, last, listens } => {
            let listens = if listens.is_empty() { "nowhere yet".to_owned() } else { format!("on {listens}") };
            screen.line(&format!("  {service} is not ready yet ({last}); it listens {listens}"));
        }
        Event::ServiceReady { service, after_ns } => {
            screen.state(format!("{service} ready after {} ms", after_ns / 1_000_000), false);
        }
        Event::ServicesKilled { services } => screen.line(&format!("  killed: {}", services.join(", "))),
        Event::ServiceDied { service, status } => screen.line(&format!("  {service} died: {status}")),
        Event::Progress(_) => {
            let due = last_line.elapsed() >= LINE_EVERY;
            if due {
                *last_line = Instant::now();
            }
            let place = screen.place();
            if place == Where::Redrawn || due {
                let text = watched.get().line(place, is_unicode());
                screen.state(text, due);
            }
            screen.come_up();
        }
        Event::Counted { value: Some(value) } => screen.state(format!("counted {value}"), false),
        _ => {}
    }
}

/// One line on a judged round.
fn worth(plan: &Plan, judgement: &Judgement) -> String {
    match &judgement.standing {
        Standing::Valid => {
            let ledger = &judgement.ledger;
            let p99_ms =
                judgement.measures.get(galo_judge::Measure::LatencyUsP99).unwrap_or_default() / 1000.0;
            format!("valid: {} of {} right, p99 {p99_ms:.1} ms", ledger.ok, ledger.intended)
        }
        Standing::Disqualified { rules } => {
            format!("{} is disqualified: {}", plan.contenders[judgement.contender].name, rules.join(", "))
        }
        Standing::Void { reasons } => {
            format!("void: {}", galo_judge::findings::void_sentence(reasons, galo_words::Lang::En))
        }
        Standing::NotReady { reason } => format!("did not start: {reason}"),
    }
}
