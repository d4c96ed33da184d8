//! `galo check`: is it right? One light round, judged; for a contender or for a server that already runs.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, Result};
use galo_drive::schedule::Check;
use galo_drive::stage::Server;
use galo_drive::{Driven, resolve};
use galo_judge::{Judgement, Standing, judge_round};
use galo_plan::draw::draw;
use galo_plan::{Challenge, ChallengeModel, Contender, Kind, Options, Plan};
use galo_record::act::Unit;
use galo_record::{RoundData, Run};

use crate::cli::CheckArgs;
use crate::exit::{Exit, WrongUse};
use crate::follow::Follow;
use crate::hosted::Hosted;
use crate::live::{Live, Room, where_it_is};
use crate::output::check_forms;
use crate::registry::{self, Definition};
use crate::report;
use crate::resumed::Resumed;
use crate::session::{open_host, stop_flag};
use crate::watched::Watched;
use crate::written::is_address;

/// The profile of a challenge that is driven.
const PROFILE: &str = "check";
/// The seed for a contender that galo starts.
const SEED: u64 = 2023;

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit> {
    check_forms(&args.output, &args.form)?;
    let stop = stop_flag()?;
    let resumed = args.resume.as_deref().map(|run| Resumed::open(run, "check")).transpose()?;
    let (plan, model, address) = match &resumed {
        Some(resumed) => {
            let (plan, model) = resumed.plan()?;
            (plan, model, None)
        }
        None => new_plan(args)?,
    };
    let cases = [plan.challenge.cases.clone(), model.cases(plan.seed)].concat();
    let watched = Watched::open(&args.metrics, ("check", "round"), None, args.output.quiet)?;
    let live = Live::hearing(Room::of(&args.output, &args.progress), watched.ear(), |progress, _| {
        where_it_is(progress)
    });
    live.begin(&format!("check of {}", plan.contenders[0].name));
    let host = if address.is_none() { Some(open_host(true, &stop, &live)?) } else { None };
    let server = match (&host, address) {
        (Some(host), _) => Server::Hosted(host),
        (None, address) => Server::There(address.context("a check is of a contender or of an address")?),
    };
    let schedule = Check::new(&plan, !cases.is_empty(), host.is_some())?;
    let rows = plan.prepare(model);
    let hosted = Hosted {
        plan: &plan,
        model,
        server,
        cases: &cases,
        machine: &galo_watch::machine(Path::new("/")),
        threads: None,
        out: args.out.as_deref(),
        resumed,
        stop: &stop,
        live: &live,
        watched: &watched,
    };
    let judge = |_: Unit<'_>, data: &RoundData| Ok(judge_round(&plan, &*rows, data));
    let driven =
        hosted.drive(&schedule, judge, &mut Follow { plan: &plan, live: &live, tells_rounds: false });
    drop(host);
    drop(live);
    watched.finish();
    let (writer, Driven { facts: judgements, interrupted }) = driven?;
    if interrupted {
        return Ok(Exit::Interrupted);
    }
    report::tell(&Run::open(writer.path())?, Some(writer.folder()), &args.output, &args.form, &args.style)?;
    Ok(exit_of(&judgements))
}

/// What is to be checked, its challenge's own Rust, and where it runs if galo does not start it.
type Checked = (Plan, &'static dyn ChallengeModel, Option<SocketAddr>);

/// A plan of what was asked for.
fn new_plan(args: &CheckArgs) -> Result<Checked> {
    let subject_text = args.subject.as_deref().unwrap_or_default();
    let address = parse_address(subject_text)?;
    let (Definition { challenge, model }, contender) = subject(args, subject_text, address)?;
    check_profile(&challenge)?;
    let options = Options {
        profile: PROFILE.to_owned(),
        scale_milli: 1000,
        rounds: 1,
        seed: seed(args.seed, address.is_some()),
        limited: address.is_none(),
        noise_floor: None,
    };
    let plan = Plan::new(challenge, model, vec![contender], &options)?;
    if args.crash && !plan.creates() {
        return Err(no_crash(&plan.challenge.name).into());
    }
    Ok((Plan { kind: Kind::Check { crashes: args.crash }, ..plan }, model, address))
}

/// What is checked, and the challenge whose rules hold: the one that a contender names, or that is named for an address.
fn subject(args: &CheckArgs, written: &str, address: Option<SocketAddr>) -> Result<(Definition, Contender)> {
    match (address, &args.challenge) {
        (Some(_), _) if args.crash => {
            let text = "--crash needs a contender that galo starts, not an address\n\
                        hint: galo check --crash DIR, where DIR holds its Compose file";
            Err(WrongUse(text.to_owned()).into())
        }
        (Some(address), named) => {
            let definition = registry::challenge(named.as_deref().unwrap_or(registry::BUILT_IN))?;
            let contender = Contender::at_address(address, &definition.challenge.name);
            Ok((definition, contender))
        }
        (None, named) => {
            let (definition, contender) = registry::contender(Path::new(written))?;
            if let Some(named) = named
                && registry::challenge(named)?.challenge != definition.challenge
            {
                let text = format!("`{written}` names another challenge than --challenge {named}");
                let hint = "leave --challenge out: it is for addresses";
                return Err(WrongUse(format!("{text}\nhint: {hint}")).into());
            }
            Ok((definition, contender))
        }
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

/// The gravest standing decides. A round whose figures alone are void has been checked all the same.
fn exit_of(judgements: &[Judgement]) -> Exit {
    let any = |is: fn(&Judgement) -> bool| judgements.iter().any(is);
    if any(|j| matches!(j.standing, Standing::Disqualified { .. })) {
        Exit::CheckFailed
    } else if any(|j| matches!(j.standing, Standing::NotReady { .. })) {
        Exit::NotStarted
    } else if any(|j| matches!(j.standing, Standing::Void { .. }) && !j.believed) {
        Exit::Void
    } else {
        Exit::Done
    }
}

/// The address in `http://host:port[/]`, with or without its scheme; `None` for what is no address.
fn parse_address(subject: &str) -> Result<Option<SocketAddr>> {
    if subject.starts_with("https://") {
        return Err(WrongUse(format!("`{subject}`: TLS is not supported; use http://")).into());
    }
    if !is_address(subject) {
        return Ok(None);
    }
    Ok(Some(resolve(subject.strip_prefix("http://").unwrap_or(subject).trim_end_matches('/'))?))
}

/// The seed as asked for. Without one, each check of a server that runs has another: its people stay there, and a
/// second check with the same nicknames would find them taken.
fn seed(asked: Option<u64>, runs_already: bool) -> u64 {
    asked.unwrap_or_else(|| if runs_already { drawn_seed() } else { SEED })
}

/// Another one every time, short enough to be typed again.
fn drawn_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    draw(now.as_nanos() as u64, &[u64::from(std::process::id())]) % 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_needs_no_scheme() {
        let expected = Some("127.0.0.1:9999".parse().unwrap());
        for subject in ["http://127.0.0.1:9999/", "127.0.0.1:9999", "127.0.0.1:9999/"] {
            assert_eq!(parse_address(subject).unwrap(), expected, "{subject}");
        }
        assert_eq!(parse_address("contenders/mine").unwrap(), None);
    }

    #[test]
    fn only_a_server_that_runs_is_checked_with_another_seed_each_time() {
        assert_eq!((seed(Some(7), true), seed(Some(7), false), seed(None, false)), (7, 7, SEED));
        assert_ne!(seed(None, true), seed(None, true));
    }
}
