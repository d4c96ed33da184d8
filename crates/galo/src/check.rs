//! `galo check`: is it right? One light round, judged; for a contender or for a server that already runs.

mod greeting;

use std::net::SocketAddr;
use std::path::Path;

use anyhow::Result;
use galo_drive::schedule::Check as Schedule;
use galo_host::contact;
use galo_plan::address::Url;
use galo_plan::{Challenge, Contender, Options, Plan, Seed};
use galo_record::act::Unit;
use galo_record::{Machine, RoundData, Run, RunWriter};

use crate::cli::CheckArgs;
use crate::contenders::{self, Contenders, seed_of};
use crate::exit::WrongUse;
use crate::follow::Follow;
use crate::frame::{Desk, Kind, Shared};
use crate::output::say;
use crate::registry::{self, Definition, HowRead};
use crate::written::is_address;

/// The profile of a challenge that is driven.
const PROFILE: &str = "check";

/// A check.
pub(crate) struct Check(Contenders);

impl Kind for Check {
    type Args = CheckArgs;
    type Plan = Plan;
    const NAMES: [&'static str; 2] = ["check", "round"];

    fn shared(args: &CheckArgs) -> Shared<'_> {
        let CheckArgs { run, resume, style, .. } = args;
        Shared { run: run.clone(), resume: resume.as_deref(), style: style.clone(), is_strict: false }
    }

    fn new(args: &CheckArgs, known: Option<&Plan>, _: &Machine) -> Result<Self> {
        let written = args.subject.as_deref().unwrap_or_default();
        let address = parse_address(written)?;
        let (definition, contender) = subject(args, written, address)?;
        let seed = seed_of(args.seed, known)?;
        let options = Options { limited: address.is_none(), ..contenders::options(PROFILE, seed) };
        let Self(checked) = Self::with(definition, contender, options, args.crash)?;
        Ok(Self(Contenders { there: address, ..checked }))
    }

    fn plan(&self) -> &Plan {
        &self.0.plan
    }

    fn changed(old: &Plan, new: &Plan) -> Option<String> {
        contenders::changed(old, new)
    }

    fn limited(&self) -> Option<bool> {
        self.0.there.is_none().then_some(true)
    }

    fn heading(&self) -> Option<String> {
        Some(format!("check of {}", self.0.plan.contenders[0].name))
    }

    fn prepare(&mut self, desk: &Desk<'_>) -> Result<()> {
        self.0.build(desk)
    }

    fn drive(&mut self, desk: &Desk<'_>, writer: &RunWriter, known: Option<Run>) -> Result<bool> {
        let Contenders { plan, cases, there, .. } = &self.0;
        let schedule = Schedule::new(plan, !cases.is_empty(), there.is_none())?;
        let mut follow = Follow { plan, live: desk.live, tells_rounds: false };
        let judge = |_: Unit<'_>, round: &RoundData| Ok(self.0.judge(round));
        self.0.drive((desk, writer, known), &schedule, judge, &mut follow)
    }
}

impl Check {
    /// A check of an entry of a league.
    ///
    /// # Errors
    /// What is wrong with it, or with what was asked for.
    pub(crate) fn of_entry(
        definition: Definition,
        entry: Contender,
        seed: Seed,
        crashes: bool,
    ) -> Result<Self> {
        Self::with(definition, entry, contenders::options(PROFILE, seed), crashes)
    }

    fn with(definition: Definition, contender: Contender, options: Options, crashes: bool) -> Result<Self> {
        check_profile(&definition.challenge)?;
        let kind = galo_plan::Kind::Check { crashes };
        let checked = Contenders::new(definition, vec![contender], (kind, options))?;
        if crashes && !checked.plan.creates() {
            return Err(no_crash(&checked.plan.challenge.name).into());
        }
        Ok(Self(checked))
    }
}

/// What is checked, and the challenge whose rules hold: the one that a contender names, or that is named for an address.
fn subject(args: &CheckArgs, written: &str, address: Option<SocketAddr>) -> Result<(Definition, Contender)> {
    match (address, &args.runners.challenge) {
        (Some(_), _) if args.crash => {
            let text = "--crash needs a contender that galo starts, not an address\n\
                        hint: galo check --crash DIR, where DIR holds its Compose file";
            Err(WrongUse(text.to_owned()).into())
        }
        (Some(address), named) => {
            if let Some(option) = args.runners.given() {
                let text = format!("{option} is for a contender that galo starts, not for an address");
                return Err(WrongUse(format!("{text}\nhint: leave it out")).into());
            }
            let definition = registry::challenge(named.as_deref().unwrap_or(registry::BUILT_IN))?;
            greeting::require_own(address, &definition.challenge)?;
            let contender = Contender::at_address(address, &definition.challenge.name);
            Ok((definition, contender))
        }
        (None, _) => registry::contender(Path::new(written), &HowRead::new(&args.runners, 1)?),
    }
}

fn check_profile(challenge: &Challenge) -> Result<(), WrongUse> {
    if challenge.profiles.iter().any(|profile| profile.name == PROFILE) {
        return Ok(());
    }
    let hint = "write `[profile.check]` into its file, with light traffic of each scenario";
    Err(WrongUse(format!(
        "challenge `{}` has no profile `{PROFILE}`, which is what `galo check` drives\nhint: {hint}",
        challenge.name
    )))
}

/// What was acknowledged is all that a crash can be seen to lose.
fn no_crash(challenge: &str) -> WrongUse {
    let hint = "leave --crash out";
    WrongUse(format!(
        "--crash looks for what was acknowledged, and challenge `{challenge}` does not say what creates\nhint: {hint}"
    ))
}

/// The address in `http://host:port[/]`, with or without its scheme; `None` for what is no address.
fn parse_address(subject: &str) -> Result<Option<SocketAddr>> {
    if subject.starts_with("https://") {
        return Err(WrongUse(format!("`{subject}`: TLS is not supported; use http://")).into());
    }
    if !is_address(subject) {
        return Ok(None);
    }
    let Url { host, port, path, .. } = Url::parse(subject).map_err(WrongUse)?;
    if path != "/" {
        let hint = "leave it out: the challenge names the paths";
        return Err(WrongUse(format!("`{subject}` has a path\nhint: {hint}")).into());
    }
    let contact = contact(&host, port)?;
    contact.sentence(&host).iter().for_each(|text| say(text));
    Ok(Some(contact.address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_the_address_that_is_listened_at() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let found = parse_address(&format!("http://localhost:{}/", address.port())).unwrap();
        assert_eq!(found, Some(address));
    }

    #[test]
    fn an_address_needs_no_scheme() {
        let expected = Some("127.0.0.1:9999".parse().unwrap());
        for subject in ["http://127.0.0.1:9999/", "127.0.0.1:9999", "127.0.0.1:9999/"] {
            assert_eq!(parse_address(subject).unwrap(), expected, "{subject}");
        }
        assert_eq!(parse_address("contenders/mine").unwrap(), None);
        let error = parse_address("127.0.0.1:9999/count").unwrap_err().to_string();
        assert!(error.starts_with("`127.0.0.1:9999/count` has a path"), "{error}");
    }
}
