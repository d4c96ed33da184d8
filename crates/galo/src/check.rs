//! `galo check`: is it right? One light round, judged; for a contender or for a server that already runs.

use std::net::{SocketAddr, ToSocketAddrs};
use std::path::Path;

use anyhow::{Context, Result};
use galo_judge::{Standing, judge_round};
use galo_plan::{Contender, Options, Plan};
use galo_record::{Run, RunWriter};

use crate::cli::CheckArgs;
use crate::exit::{Exit, WrongUse};
use crate::live::Live;
use crate::registry::{self, BuiltIn};
use crate::report;
use crate::round::Driver;
use crate::session::{engine_threads, header, open_host, run_folder, stop_flag, stopped};

/// The profile of a challenge that is driven.
const PROFILE: &str = "check";

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit> {
    let stop = stop_flag()?;
    let BuiltIn { challenge, model } = registry::challenge(&args.challenge)?;
    let threads = engine_threads(None, &challenge.policy);
    let address = parse_address(&args.subject)?;
    let contender = match address {
        Some(address) => Contender::at_address(address, &challenge.name),
        None => Contender::load(Path::new(&args.subject), &challenge.policy)?,
    };
    let options = Options {
        profile: PROFILE.to_owned(),
        scale_milli: 1000,
        rounds: 1,
        seed: args.seed,
        limited: address.is_none(),
        noise_floor: None,
    };
    let plan = Plan::new(challenge, model, vec![contender], &options)?;

    let cases = model.cases(plan.seed);
    let live = Live::start(args.output.quiet);
    let machine = galo_watch::machine(Path::new("/"));
    let writer = RunWriter::create(&run_folder(args.out.as_deref()), &header(machine), &plan)?;
    let driver = Driver {
        plan: &plan,
        model,
        writer: &writer,
        threads,
        stop: stop.clone(),
        events: live.events(),
        cases: &cases,
    };
    let data = match address {
        Some(target) => driver.round_at(target)?,
        None => {
            let host = open_host(true, &stop, &live)?;
            host.build(&plan.contenders[0])?;
            driver.round(&host, 1, 0)?
        }
    };
    drop(live);
    if stopped(&stop) {
        return Ok(Exit::Interrupted);
    }
    report::tell(&Run::open(writer.path())?, &args.output)?;
    Ok(match judge_round(&plan, &*plan.prepare(model), &data).standing {
        Standing::Valid => Exit::Done,
        Standing::Disqualified { .. } => Exit::CheckFailed,
        Standing::Void { .. } => Exit::Void,
        Standing::NotReady { .. } => Exit::NotStarted,
    })
}

/// The address in `http://host:port[/]`; `None` for what is no address.
fn parse_address(subject: &str) -> Result<Option<SocketAddr>> {
    let Some(rest) = subject.strip_prefix("http://") else {
        return match subject.starts_with("https://") {
            true => Err(WrongUse(format!("`{subject}`: TLS is not supported; use http://")).into()),
            false => Ok(None),
        };
    };
    resolve(rest.trim_end_matches('/')).map(Some)
}

/// The first IPv4 or IPv6 address of `host[:port]` (port 80 where none is written).
pub(crate) fn resolve(authority: &str) -> Result<SocketAddr> {
    let with_port = if authority
        .rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
    {
        authority.to_owned()
    } else {
        format!("{authority}:80")
    };
    with_port
        .to_socket_addrs()
        .with_context(|| format!("cannot resolve `{authority}`"))?
        .next()
        .with_context(|| format!("`{authority}` has no address"))
}
