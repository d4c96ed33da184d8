//! The full screen: the terminal's other screen, from the first progress of a load until the view ends.
//!
//! Keys are left alone, so that Ctrl-C is a signal as ever. With the first one, or a panic, the screen gives the terminal
//! back, and lines take its place: a second Ctrl-C ends galo at once, and must not leave a terminal that is not usable.

use std::io::{Stderr, stderr, stdin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, size};
use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};

use crate::output;
use crate::stop::stop_signals;
use crate::watched::Watched;
use galo_report::live::{LEAST_HEIGHT, LEAST_WIDTH, draw};

/// The full screen, shared between its thread and those that say something.
#[derive(Clone)]
pub(super) struct FullScreen {
    stage: Arc<Mutex<Stage>>,
    watched: Watched,
    interrupted: Arc<AtomicBool>,
    colour: bool,
}

enum Stage {
    /// Nothing was driven yet.
    Wanted,
    Up(Box<Taken>),
    /// The terminal is as it was.
    Gone,
}

impl FullScreen {
    /// One that is not up yet; `None` where the terminal cannot show it, or is somebody else's.
    pub(super) fn wanted(watched: Watched) -> Option<Self> {
        let term = std::env::var("TERM").unwrap_or_default();
        let fits = size().is_ok_and(|(width, height)| width >= LEAST_WIDTH && height >= LEAST_HEIGHT);
        if term.is_empty() || term == "dumb" || !output::is_unicode() || !fits || !is_in_foreground() {
            return None;
        }
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in stop_signals() {
            signal_hook::flag::register(signal, Arc::clone(&interrupted)).ok()?;
        }
        let stage = Arc::new(Mutex::new(Stage::Wanted));
        Some(Self { stage, watched, interrupted, colour: output::has_colour(&stderr()) })
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the next progress brings it up.
    pub(super) fn is_wanted(&self) -> bool {
        matches!(*self.stage(), Stage::Wanted)
    }

    /// Whether lines must take its place.
    pub(super) fn is_gone(&self) -> bool {
        matches!(*self.stage(), Stage::Gone)
    }

    /// Takes the terminal, unless it was taken before or cannot be.
    pub(super) fn come_up(&self) {
        let mut stage = self.stage();
        if !matches!(*stage, Stage::Wanted) {
            return;
        }
        self.leave_on_panic();
        *stage = Taken::take().map_or(Stage::Gone, |taken| Stage::Up(Box::new(taken)));
    }

    /// Shows how things are now, or gives the terminal back once somebody wants galo to end.
    pub(super) fn redraw(&self) {
        if self.interrupted.load(Ordering::Relaxed) {
            return self.leave();
        }
        let mut stage = self.stage();
        let Stage::Up(taken) = &mut *stage else { return };
        let said = output::last_said();
        if taken.terminal.draw(|frame| draw(frame, &self.watched.get(), &said, self.colour)).is_err() {
            *stage = Stage::Gone;
        }
    }

    /// Gives the terminal back, and says what was said meanwhile.
    pub(super) fn leave(&self) {
        *self.stage() = Stage::Gone;
    }

    /// A panic's message would be lost with the screen.
    fn leave_on_panic(&self) {
        let screen = self.clone();
        let tell = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // Whoever panics may have the lock.
            if let Ok(mut stage) = screen.stage.try_lock() {
                *stage = Stage::Gone;
            }
            tell(panic);
        }));
    }
}

/// A terminal that is galo's alone until this is dropped.
struct Taken {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    /// As they were; `None`: not changed.
    modes: Option<Termios>,
}

impl Taken {
    fn take() -> std::io::Result<Self> {
        let taken = Self { terminal: Terminal::new(CrosstermBackend::new(stderr()))?, modes: without_echo() };
        output::hold();
        execute!(stderr(), EnterAlternateScreen, Hide).map(|()| taken)
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let _ = execute!(stderr(), LeaveAlternateScreen, Show);
        if let Some(modes) = &self.modes
            && is_in_foreground()
        {
            let _ = tcsetattr(stdin(), OptionalActions::Now, modes);
        }
        output::release();
    }
}

/// Whether the terminal is this process group's: one in the background would be stopped, or draw over another's.
fn is_in_foreground() -> bool {
    tcgetpgrp(stderr()).is_ok_and(|group| group == getpgrp())
}

/// Has keys show nothing of what they type, which would move what is drawn; the modes as they were.
fn without_echo() -> Option<Termios> {
    let modes = tcgetattr(stdin()).ok().filter(|_| is_in_foreground())?;
    let mut silent = modes.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(stdin(), OptionalActions::Now, &silent).ok().map(|()| modes)
}
