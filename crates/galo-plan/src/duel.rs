//! The plan of a duel.
//!
//! Which loads a turn is made of is not in it: that is decided by the warm-up.

use serde::{Deserialize, Serialize};

use crate::contender::Contender;
use crate::injection::Injection;
use crate::secret;
use crate::seed::Seed;

/// Version of the plan's written form.
pub const FORMAT: u32 = 2;

/// Of pairs that galo itself spoiled, one for every so many is driven again.
const PAIRS_PER_SPARE: u32 = 4;

/// All terms of a duel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename = "duel")]
pub struct DuelPlan {
    /// [`FORMAT`].
    pub format: u32,
    /// The two.
    pub sides: [DuelSide; 2],
    /// What is sent, in a few words, e.g. `GET /`.
    pub request: String,
    /// SHA-256 of the file that the requests are of, in hex; `None`: they are of the command line.
    pub requests_sha256: Option<String>,
    /// [`crate::request::Requests::sent_sha256`] of both sides; `None`: an older galo did not tell.
    #[serde(default)]
    pub sent_sha256: Option<String>,
    /// Requests of one user, on average.
    #[serde(default = "one")]
    pub requests_per_user: f64,
    /// Bound for an answer.
    pub timeout_ns: u64,
    /// The traffic that was asked for; `None`: by what the slower side reaches.
    pub asked: Option<AskedTraffic>,
    /// Connections at most; in a closed loop so many at once.
    pub connections: u32,
    /// Seed of all that is drawn.
    pub seed: Seed,
    /// How long everything takes.
    pub pace: Pace,
    /// What a side does when it is not its turn.
    pub rest: Rest,
    /// CPU limit of each command, in thousandths; `None`: nothing is limited.
    pub cpus_milli: Option<u32>,
    /// Memory limit of each command; `None`: none was asked for.
    pub memory_bytes: Option<u64>,
    /// Cores of the machine that galo and the commands share; `None`: not known.
    pub cores: Option<u32>,
    /// Bounds on ratios that are to hold, as they were written.
    pub assertions: Vec<String>,
    /// JSON pointers of what may differ between two answers.
    pub ignored: Vec<String>,
    /// The difference that the caller wants found, in percent; `None`: by how the duel is driven.
    pub detect_percent: Option<f64>,
    /// Files of the work tree that are changed or new, where both sides are revisions and so have none of them.
    #[serde(default)]
    pub uncommitted_files: u64,
}

const fn one() -> f64 {
    1.0
}

const fn once() -> u32 {
    1
}

const fn yes() -> bool {
    true
}

/// One side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuelSide {
    /// For people; the two differ.
    pub name: String,
    /// The address that is asked.
    pub url: String,
    /// What galo starts; `None`: a server that ran before.
    pub command: Option<Box<DuelCommand>>,
}

/// A command that galo starts, limits and ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DuelCommand {
    /// A contender of one service; its title is the command as it was written, the port filled in.
    pub contender: Contender,
    /// Where it listens.
    pub port: u16,
    /// The commit that it is of; `None`: of the files as they are.
    pub commit: Option<String>,
    /// A command that is run after each of its ends.
    pub after: Option<String>,
}

/// What a side does when it is not its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rest {
    /// It goes on: it is not galo's to stop, or the other one is not.
    GoesOn,
    /// It stands still, so that it takes no core.
    StandsStill,
    /// It ends, since the other one needs its port.
    Ends,
}

/// A traffic that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AskedTraffic {
    /// A constant rate, in millionths of a user per second.
    Rate(u64),
    /// All of a load.
    Arrivals(Injection),
}

/// How long everything takes: turns, their loads, warm-ups.
///
/// A duel is looked at several times, to see whether it is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    /// How many pairs are to count, if it is not decided before.
    pub pairs: u32,
    /// How often it is looked at, evenly over the pairs, to see whether it is decided.
    #[serde(default = "once")]
    pub looks: u32,
    /// Whether the two turns of a pair are cut into slices, which alternate: what the machine does meanwhile falls on both.
    #[serde(default)]
    pub in_slices: bool,
    /// Length of a load at a rate.
    pub open_ns: u64,
    /// Length of a load in a closed loop.
    pub closed_ns: u64,
    /// Whether there is also a load near the slower one's limit.
    pub near: bool,
    /// A warm-up ends when the rate rises no more, but not after this.
    pub warm_up_max_ns: u64,
    /// Whether pairs that galo spoiled are driven again, up to a quarter of all.
    #[serde(default = "yes")]
    pub replaces_spoiled: bool,
    /// After so many pairs both sides are started afresh; 0: never. What differs by luck of a start differs again then.
    pub pairs_per_start: u32,
    /// All of it, from the start of the first side: a pair for which there is no time any more is not begun.
    pub within_ns: Option<u64>,
}

impl DuelPlan {
    /// The plan as it is recorded: without the values of environments, and without secrets on command lines and in addresses.
    pub fn without_secrets(&self) -> Self {
        let mut plan = self.clone();
        plan.request = secret::in_urls(&plan.request);
        for side in &mut plan.sides {
            side.name = secret::in_line(&side.name);
            side.url = secret::in_address(&side.url);
            for command in side.command.iter_mut() {
                command.contender.hide_secrets();
                command.contender.name.clone_from(&side.name);
                // The title is the whole command line.
                command.contender.title = secret::in_line(&command.contender.title);
                command.after = command.after.as_deref().map(secret::in_line);
            }
        }
        plan
    }

    /// Whether a side is a command, and so galo's to start and to end.
    pub fn is_own(&self, side: usize) -> bool {
        self.sides.get(side).is_some_and(|side| side.command.is_some())
    }

    /// Whether as many pairs count as were to, or as many were driven as may be: of spoiled ones a quarter again.
    pub const fn has_enough(&self, driven: u32, counting: u32) -> bool {
        let Pace { pairs, replaces_spoiled, .. } = self.pace;
        let spare = if replaces_spoiled { pairs.div_ceil(PAIRS_PER_SPARE) } else { 0 };
        counting >= pairs || driven >= pairs.saturating_add(spare)
    }

    /// Which start of both a pair is of, from 0.
    pub fn start_of(&self, pair: u32) -> u32 {
        pair.checked_div(self.pace.pairs_per_start).unwrap_or(0)
    }
}

impl AskedTraffic {
    /// The highest rate, in millionths of a user per second.
    pub fn peak_micro(&self) -> u64 {
        match self {
            Self::Rate(micro) => *micro,
            Self::Arrivals(injection) => {
                let rates = injection.phases().iter().map(|phase| phase.from_micro.max(phase.to_micro));
                rates.max().unwrap_or(0)
            }
        }
    }
}

impl Pace {
    /// Half a minute: four starts of each side.
    pub const QUICK: Self = Self {
        pairs: 8,
        looks: 2,
        in_slices: true,
        open_ns: 800_000_000,
        closed_ns: 400_000_000,
        near: false,
        warm_up_max_ns: 2_500_000_000,
        pairs_per_start: 2,
        replaces_spoiled: false,
        within_ns: Some(29_000_000_000),
    };
    /// Where the caller does not say: twelve starts of each side, some two minutes.
    pub const USUAL: Self = Self {
        pairs: 24,
        looks: 6,
        in_slices: true,
        open_ns: 1_500_000_000,
        closed_ns: 500_000_000,
        near: false,
        warm_up_max_ns: 10_000_000_000,
        pairs_per_start: 2,
        replaces_spoiled: true,
        within_ns: None,
    };
    /// Eight minutes, if it is not decided before.
    pub const THOROUGH: Self = Self {
        pairs: 96,
        looks: 8,
        in_slices: true,
        open_ns: 1_500_000_000,
        closed_ns: 500_000_000,
        near: true,
        warm_up_max_ns: 15_000_000_000,
        pairs_per_start: 3,
        replaces_spoiled: true,
        within_ns: Some(480_000_000_000),
    };

    /// Whether it is looked at once so many pairs were driven, between starts. The last look is at the end.
    pub fn is_look(&self, driven: u32) -> bool {
        let pairs_per_start = self.pairs_per_start.max(1);
        let starts = self.pairs.div_ceil(pairs_per_start);
        let every = starts.div_ceil(self.looks.max(1)) * pairs_per_start;
        (1..self.pairs).contains(&driven) && driven.is_multiple_of(every)
    }

    /// One whole turn after the other, each of about this length.
    pub const fn in_turns_of(self, turn_ns: u64) -> Self {
        let closed = if self.near { 2 } else { 1 };
        let whole_ns = self.open_ns + closed * self.closed_ns;
        let closed_ns = self.closed_ns * (turn_ns / 1_000_000) / (whole_ns / 1_000_000);
        Self { in_slices: false, open_ns: turn_ns - closed * closed_ns, closed_ns, ..self }
    }

    /// As many pairs as there is time for.
    pub const fn filling(self, within_ns: u64) -> Self {
        let (closed, start_ns) = (if self.near { 2 } else { 1 }, 2_500_000_000);
        let per_start = if self.pairs_per_start == 0 { 1 } else { self.pairs_per_start };
        let pair_ns = 2 * (self.open_ns + closed * self.closed_ns);
        let starts = within_ns.div_ceil(start_ns + pair_ns * per_start as u64) as u32;
        Self { pairs: starts * per_start, within_ns: Some(within_ns), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(pace: Pace) -> DuelPlan {
        let side = |name: &str| DuelSide {
            name: name.to_owned(),
            url: "http://joana:geheim@127.0.0.1:3000/".to_owned(),
            command: None,
        };
        DuelPlan {
            format: FORMAT,
            sides: ["a", "b"].map(side),
            request: "GET /?token=geheim".to_owned(),
            requests_sha256: None,
            sent_sha256: None,
            requests_per_user: 1.0,
            timeout_ns: 1,
            asked: None,
            connections: 16,
            seed: Seed::of_number(1),
            pace,
            rest: Rest::GoesOn,
            cpus_milli: None,
            memory_bytes: None,
            cores: None,
            assertions: Vec::new(),
            ignored: Vec::new(),
            detect_percent: None,
            uncommitted_files: 0,
        }
    }

    #[test]
    fn a_duel_is_over_once_its_pairs_count_or_its_spare_ones_are_driven_too() {
        let usual = plan(Pace::USUAL);
        let enough = |driven, counting| usual.has_enough(driven, counting);
        assert_eq!(
            [enough(23, 23), enough(24, 24), enough(29, 23), enough(30, 0)],
            [false, true, false, true]
        );
        assert!(plan(Pace::QUICK).has_enough(8, 0), "half a minute has no time for spare pairs");
        let starts = plan(Pace::THOROUGH);
        assert_eq!([0, 2, 3, 95].map(|pair| starts.start_of(pair)), [0, 0, 1, 31]);
        assert_eq!([0, 1, 2, 23].map(|pair| usual.start_of(pair)), [0, 0, 1, 11]);
    }

    #[test]
    fn every_pace_is_looked_at_as_often_as_it_says_and_between_starts() {
        for pace in [Pace::QUICK, Pace::USUAL, Pace::THOROUGH, Pace::USUAL.filling(300_000_000_000)] {
            let looks: Vec<u32> = (0..=pace.pairs).filter(|&pairs| pace.is_look(pairs)).collect();
            assert!((1..pace.looks).contains(&(looks.len() as u32)), "{pace:?}: {looks:?}");
            assert!(looks.iter().all(|pairs| pairs % pace.pairs_per_start == 0), "{pace:?}: {looks:?}");
        }
    }

    #[test]
    fn what_is_recorded_tells_its_kind_and_no_secret() {
        let mut plan = plan(Pace::USUAL);
        let contender = Contender::at_address(([127, 0, 0, 1], 80).into(), "");
        let contender =
            Contender { title: "STRIPE=geheim app --token geheim {port}".to_owned(), ..contender };
        let command = DuelCommand { contender, port: 80, commit: None, after: Some("A=geheim b".to_owned()) };
        plan.sides[1].command = Some(Box::new(command));
        let json = serde_json::to_string(&plan.without_secrets()).unwrap();
        assert!(json.starts_with(r#"{"kind":"duel","format":2,"#) && !json.contains("geheim"), "{json}");
        let read: DuelPlan = serde_json::from_str(&json).unwrap();
        assert_eq!(read, plan.without_secrets());
    }

    #[test]
    fn the_highest_rate_of_a_traffic_is_that_of_its_highest_phase() {
        let phases = Injection::parse(&["1/s for 2s", "ramp 10/s to 30/s over 9s"]).unwrap();
        assert_eq!(AskedTraffic::Arrivals(phases).peak_micro(), 30_000_000);
    }
}
