//! The runs that the tests share, each built once.

use std::sync::OnceLock;

use galo_judge::fight::JudgedFight;
use galo_plan::ChallengeModel;
use galo_record::{RecordError, Run};
use galo_report::{Language, Look, RoundSeries};

use crate::synthetic::{Counted, Fate, Made, fair, folder, folder_of, plan};

/// A report with all of its views.
pub(crate) struct ToldFight {
    pub(crate) report: JudgedFight,
    pub(crate) series: Vec<RoundSeries>,
}

/// Judges a run, and gathers what is drawn of it.
pub(crate) fn build(
    run: &Run,
    model: &dyn ChallengeModel,
) -> Result<(JudgedFight, Vec<RoundSeries>), RecordError> {
    let mut series = Vec::new();
    let fight = JudgedFight::judge(run, model, |data| series.push(RoundSeries::from_round(&run.plan, data)))?;
    Ok((fight, series))
}

impl ToldFight {
    pub(crate) fn of(folder: &crate::synthetic::Folder) -> Self {
        let (report, series) = build(&folder.run, &Counted).unwrap();
        Self { report, series }
    }

    pub(crate) fn terminal(&self, width: usize, colour: bool) -> String {
        galo_report::fight(&self.report, &[]).terminal(Look { width, colour }, galo_words::Lang::En)
    }

    pub(crate) fn html(&self) -> String {
        galo_report::fight(&self.report, &self.series).html(Language::OfBrowser).unwrap()
    }
}

/// Six pairs, so that there can be a winner.
pub(crate) fn decided() -> &'static ToldFight {
    static TOLD: OnceLock<ToldFight> = OnceLock::new();
    TOLD.get_or_init(|| ToldFight::of(&folder(&["rust-sqlite", "go-postgres"], &fair(6, 1.6))))
}

/// Eight rounds of each of three, of whom the last is slower.
pub(crate) fn three() -> &'static ToldFight {
    static TOLD: OnceLock<ToldFight> = OnceLock::new();
    let made = |slot: usize| {
        let luck = 1.0 + (slot * 7 % 5) as f64 / 50.0;
        let slowness = if slot % 3 == 2 { 1.6 * luck } else { luck };
        Made { contender: slot % 3, slot, slowness, fate: Fate::Right }
    };
    let rounds: Vec<_> = (0..24).map(made).collect();
    TOLD.get_or_init(|| ToldFight::of(&folder(&["rust-sqlite", "go-postgres", "node-postgres"], &rounds)))
}

/// Two pairs.
pub(crate) fn few() -> &'static ToldFight {
    static TOLD: OnceLock<ToldFight> = OnceLock::new();
    TOLD.get_or_init(|| ToldFight::of(&folder(&["rust-sqlite", "go-postgres"], &fair(2, 1.6))))
}

/// The faster one lies, and the first round was void and repeated.
pub(crate) fn stale() -> &'static ToldFight {
    static TOLD: OnceLock<ToldFight> = OnceLock::new();
    TOLD.get_or_init(|| ToldFight::of(&folder(&["rust-sqlite", "queued"], &stale_rounds())))
}

pub(crate) fn stale_rounds() -> Vec<Made> {
    let mut rounds = fair(2, 0.6);
    for made in rounds.iter_mut().filter(|made| made.contender == 1) {
        made.fate = Fate::Stale;
    }
    rounds.insert(0, Made { fate: Fate::Late, ..rounds[0] });
    rounds
}

/// One contender, one round.
pub(crate) fn alone() -> &'static ToldFight {
    static TOLD: OnceLock<ToldFight> = OnceLock::new();
    TOLD.get_or_init(|| ToldFight::of(&folder(&["rust-sqlite"], &fair(1, 1.0)[..1])))
}

/// Nothing that a name or a rule may hold is left out, limits are off, and one does not start.
pub(crate) fn hostile() -> &'static ToldFight {
    static TOLD: OnceLock<ToldFight> = OnceLock::new();
    TOLD.get_or_init(|| {
        let long = "a-name-that-is-much-too-long-for-its-column-\u{202e}-<img src=x onerror=alert(1)>";
        let names = [long, "日本語の名前の長い長い長い名前", "c\u{1b}[31m", "d", "e"];
        let rounds: Vec<_> = (0..5)
            .map(|i| Made {
                contender: i,
                slot: i,
                slowness: 1.0,
                fate: [Fate::Stale, Fate::NotReady, Fate::Right][i.min(2)],
            })
            .collect();
        let mut plan = plan(&names, &rounds);
        plan.limited = false;
        ToldFight::of(&folder_of(&plan, &rounds))
    })
}

pub(crate) fn all() -> [&'static ToldFight; 6] {
    [decided(), three(), few(), stale(), alone(), hostile()]
}
