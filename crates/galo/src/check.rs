//! `galo check`: is it right? One light round, judged; for a contender or for a server that already runs.

mod greeting;

use std::net::SocketAddr;
use std::path::Path;

use anyhow::Result;
use galo_drive::Driven;
use galo_drive::schedule::Check;
use galo_host::contact;
use galo_judge::{Judgement, Standing};
use galo_plan::address::Url;
use galo_plan::{Challenge, ChallengeModel, Contender, Kind, Options, Plan};
use galo_record::act::Unit;
use galo_record::{RoundData, Run, Seeds};

use crate::cli::CheckArgs;
use crate::cut_off::CutOff;
use crate::exit::{Exit, WrongUse};
use crate::follow::Follow;
use crate::hosted::{self, Hosted, Hosting, cases};
use crate::live::where_it_is;
use crate::output::{check_forms, say};
use crate::registry::{self, Asked, Definition};
use crate::report;
use crate::resumed::Resumed;
use crate::written::is_address;

/// The profile of a challenge that is driven.
const PROFILE: &str = "check";

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit> {
    check_forms(&args.run.output, &args.run.form)?;
    let resumed = args.resume.as_deref().map(|run| Resumed::open(run, "check")).transpose()?;
    let (plan, model, there) = match &resumed {
        Some(resumed) => {
            let (plan, model) = resumed.plan()?;
            (plan, model, None)
        }
        None => new_plan(args)?,
    };
    let cases = cases(&plan, model);
    let schedule = Check::new(&plan, !cases.is_empty(), there.is_none())?;
    let limited = there.is_none().then_some(true);
    let hosted =
        Hosted::open(&args.run, ("check", "round"), None, limited, |progress, _| where_it_is(progress))?;
    hosted.live.begin(&format!("check of {}", plan.contenders[0].name));
    let hosting = Hosting { plan: &plan, model, there, cases: &cases, threads: None, resumed };
    let judge = |_: Unit<'_>, data: &RoundData| Ok(hosted::judged(&plan, model, data));
    let mut follow = Follow { plan: &plan, live: &hosted.live, tells_rounds: false };
    let driven = hosted.drive(hosting, &schedule, judge, &mut follow);
    let (writer, Driven { facts: judgements, interrupted }) = hosted.close(driven)?;
    if interrupted {
        CutOff::Contenders(&plan).say_interrupted(writer.path());
        return Ok(Exit::Interrupted);
    }
    report::tell(
        &Run::open(writer.path(), &Seeds::of_user())?,
        Some(writer.folder()),
        &args.run.output,
        &args.run.form,
        &args.style,
    )?;
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
        seed: hosted::seed(args.seed)?,
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
        (None, _) => registry::contender(Path::new(written), &Asked::of(&args.runners, 1)?),
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
    let Url { host, port, path, .. } = Url::parse(subject).map_err(WrongUse)?;
    if path != "/" {
        let hint = "leave it out: the challenge names the paths";
        return Err(WrongUse(format!("`{subject}` has a path\nhint: {hint}")).into());
    }
    let contact = contact(&host, port)?;
    contact.told(&host).iter().for_each(|text| say(text));
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
