//! `galo check`: is it right? One light round, judged; for a contender or for a server that already runs.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use galo_judge::{Judgement, Standing, judge_round};
use galo_plan::draw::draw;
use galo_plan::{Challenge, Contender, Options, Plan};
use galo_record::round::RoundEnd;
use galo_record::{Run, RunWriter};

use crate::cli::CheckArgs;
use crate::crash;
use crate::exit::{Exit, WrongUse};
use crate::live::{Live, Room};
use crate::output::check_forms;
use crate::registry::{self, Definition};
use crate::report;
use crate::round::Driver;
use crate::session::{engine_threads, header, keeps, open_host, run_folder, stop_flag, stopped};

/// The profile of a challenge that is driven.
const PROFILE: &str = "check";
/// The seed for a contender that galo starts.
const SEED: u64 = 2023;
/// How long one of several addresses may take to accept a connection.
const CONNECT_WITHIN: Duration = Duration::from_secs(2);

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> Result<Exit> {
    check_forms(&args.output, &args.form)?;
    let stop = stop_flag()?;
    let address = parse_address(&args.subject)?;
    let (Definition { challenge, model }, contender) = subject(args, address)?;
    let threads = engine_threads(None, &challenge.policy);
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
    let cases = [plan.challenge.cases.clone(), model.cases(plan.seed)].concat();
    let live = Live::start(Room::of(&args.output, &args.progress));
    live.begin(&format!("check of {}", plan.contenders[0].name));
    let machine = galo_watch::machine(Path::new("/"));
    let writer = RunWriter::create(&run_folder(args.out.as_deref()), &header(machine), &plan)?;
    let driver = Driver {
        plan: &plan,
        model,
        writer: &writer,
        threads,
        stop: stop.clone(),
        events: live.events(),
        renews: true,
        cases: &cases,
    };
    let mut rounds = Vec::new();
    match address {
        Some(target) => rounds.push(driver.round_at(target)?),
        None => {
            let host = open_host(true, &stop, &live)?;
            host.build(&plan.contenders[0])?;
            rounds.push(driver.round(&host, 1, 0)?);
            if args.crash && rounds[0].record.end == RoundEnd::Driven {
                let crashed = crash::rounds(&driver, &host, &live);
                rounds.extend(crashed.with_context(|| keeps(&writer))?);
            }
        }
    }
    drop(live);
    if stopped(&stop) {
        return Ok(Exit::Interrupted);
    }
    report::tell(&Run::open(writer.path())?, Some(writer.folder()), &args.output, &args.form, &args.style)?;
    let rows = plan.prepare(model);
    let judgements: Vec<Judgement> = rounds.iter().map(|data| judge_round(&plan, &*rows, data)).collect();
    Ok(exit_of(&judgements))
}

/// What is checked, and the challenge whose rules hold: the one that a contender names, or that is named for an address.
fn subject(args: &CheckArgs, address: Option<SocketAddr>) -> Result<(Definition, Contender)> {
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
            let (definition, contender) = registry::contender(Path::new(&args.subject))?;
            if let Some(named) = named
                && registry::challenge(named)?.challenge != definition.challenge
            {
                let text = format!("`{}` names another challenge than --challenge {named}", args.subject);
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

/// An address of `host[:port]` (port 80 where none is written): of several the first that accepts a connection, or
/// else the first.
pub(crate) fn resolve(authority: &str) -> Result<SocketAddr> {
    let with_port = if authority
        .rsplit_once(':')
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok())
    {
        authority.to_owned()
    } else {
        format!("{authority}:80")
    };
    let addresses: Vec<SocketAddr> =
        with_port.to_socket_addrs().with_context(|| format!("cannot resolve `{authority}`"))?.collect();
    let accepts = |address: &&SocketAddr| TcpStream::connect_timeout(address, CONNECT_WITHIN).is_ok();
    let served = if addresses.len() > 1 { addresses.iter().find(accepts) } else { None };
    served.or(addresses.first()).copied().with_context(|| format!("`{authority}` has no address"))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_name_of_several_addresses_stands_for_the_one_that_is_served() {
        for loopback in ["127.0.0.1:0", "[::1]:0"] {
            // A machine without IPv6 has nothing to tell here.
            let Ok(listener) = TcpListener::bind(loopback) else { continue };
            let address = listener.local_addr().unwrap();
            assert_eq!(resolve(&address.to_string()).unwrap(), address);
            let by_name = resolve(&format!("localhost:{}", address.port())).unwrap();
            assert_eq!(by_name.port(), address.port());
            if loopback.starts_with("127") {
                assert_eq!(by_name, address);
            }
        }
        assert_eq!(resolve("127.0.0.1").unwrap().port(), 80);
        assert_eq!(resolve("[::1]").unwrap().to_string(), "[::1]:80");
    }

    #[test]
    fn only_a_server_that_runs_is_checked_with_another_seed_each_time() {
        assert_eq!((seed(Some(7), true), seed(Some(7), false), seed(None, false)), (7, 7, SEED));
        assert_ne!(seed(None, true), seed(None, true));
    }
}
