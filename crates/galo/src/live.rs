//! The live view on standard error: on a terminal a full screen while a load runs, or one line that is redrawn; a line every
//! few seconds elsewhere.

mod screen;

use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use galo_judge::{Judgement, Standing};
use galo_plan::Plan;
use galo_record::event::Progress;
use galo_record::{Event, Events};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::{OutputArgs, ProgressArg, ProgressArgs};
use crate::output::say;
use galo_report::live::{COLUMNS, cut};
pub(crate) use galo_report::live::{Where, where_it_is};

use screen::FullScreen;

/// Time between two lines where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Time between two drawings of the full screen. More often would take CPU from what is measured.
const DRAW_EVERY: Duration = Duration::from_millis(250);

/// Shows events as they come, until it is dropped.
pub(crate) struct Live {
    events: Events,
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
    /// Starts the view of a fight.
    pub(crate) fn start(room: Room) -> Self {
        Self::with(room, |progress, _| where_it_is(progress))
    }

    /// Starts a view that shows of a load what `tell` says of it. One without room shows nothing, but asks all the same.
    pub(crate) fn with(room: Room, tell: impl FnMut(&Progress, Where) -> String + Send + 'static) -> Self {
        Self::hearing(room, |_| {}, tell)
    }

    /// The same; all news goes through `hear` as well, shown or not.
    pub(crate) fn hearing(
        room: Room,
        hear: impl FnMut(&Event) + Send + 'static,
        tell: impl FnMut(&Progress, Where) -> String + Send + 'static,
    ) -> Self {
        let screen = Screen::of(room);
        let (events, news) = Events::channel();
        std::thread::spawn({
            let screen = screen.clone();
            move || show(&news, &screen, hear, tell)
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

    /// Says what is driven from here on, where there is room for a heading and for charts, which begin anew.
    pub(crate) fn begin(&self, heading: &str) {
        if let Screen::Full(_, full) = &self.screen {
            full.begin(heading);
        }
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
    fn of(room: Room) -> Self {
        match room {
            Room::Nothing => Self::Nowhere,
            Room::Lines => Self::Lines,
            Room::Line | Room::Screen if !std::io::stderr().is_terminal() => Self::Lines,
            Room::Line => Self::Line(bar()),
            Room::Screen => {
                FullScreen::wanted().map_or_else(|| Self::Line(bar()), |full| Self::Full(bar(), full))
            }
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

    /// Has the full screen hear it, if there is one.
    fn hear(&self, event: &Event, status: Option<&str>) {
        let Self::Full(bar, full) = self else { return };
        if full.is_wanted() && matches!(event, Event::Progress(_)) {
            bar.finish_and_clear();
        }
        full.hear(event, status);
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
fn show(
    news: &Receiver<Event>,
    screen: &Screen,
    mut hear: impl FnMut(&Event),
    mut tell: impl FnMut(&Progress, Where) -> String,
) {
    let (mut last_line, mut drawn) = (Instant::now(), Instant::now());
    loop {
        match news.recv_timeout(DRAW_EVERY) {
            Ok(event) => {
                hear(&event);
                show_one(&event, screen, &mut last_line, &mut tell);
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

fn show_one(
    event: &Event,
    screen: &Screen,
    last_line: &mut Instant,
    tell: &mut impl FnMut(&Progress, Where) -> String,
) {
    let mut status = None;
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
        Event::Progress(progress) => {
            let due = last_line.elapsed() >= LINE_EVERY;
            if due {
                *last_line = Instant::now();
            }
            let text = tell(progress, screen.place());
            status = Some(text.clone());
            screen.state(text, due);
        }
        Event::Counted { value: Some(value) } => screen.state(format!("counted {value}"), false),
        _ => {}
    }
    screen.hear(event, status.as_deref());
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
