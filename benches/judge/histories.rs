//! Makes the history of a round of `pessoas` in which nothing is wrong, judges it, and prints a line of a table: what
//! `benches/judge/run` prints. Arguments: a factor on the rates of the profile `official`, and how often to judge.

use std::error::Error;
use std::time::Instant;

use galo_challenge_pessoas::model;
use galo_judge::judge_round;

mod made;

use made::Made;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let scale: f64 = arguments.next().ok_or("hint: histories SCALE REPEATS")?.parse()?;
    let repeats: u32 = arguments.next().ok_or("hint: histories SCALE REPEATS")?.parse()?;
    let plan = made::plan(scale, Vec::new())?;
    let data = plan.prepare(plan.seed, model());
    let round = Made::new(&plan, &*data).round();
    let before = status_mb("VmRSS:")?;
    std::fs::write("/proc/self/clear_refs", "5")?;
    let mut fastest_s = f64::INFINITY;
    let mut standing = String::new();
    for _ in 0..repeats {
        let start = Instant::now();
        let judgement = judge_round(&plan, &*data, &round);
        fastest_s = fastest_s.min(start.elapsed().as_secs_f64());
        let told: Vec<&str> = judgement.findings.iter().map(galo_judge::Finding::name).collect();
        standing = format!("{:?} {}", judgement.standing, told.join(" "));
    }
    let (operations, shown, most) = (round.history.len(), round.seen.len(), status_mb("VmHWM:")?);
    println!("| {operations} | {shown} | {fastest_s:.2} | {before} | {most} | {} |", standing.trim());
    Ok(())
}

/// A figure of this process's memory in MB.
fn status_mb(name: &str) -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(name)).ok_or("no such figure")?;
    let kib: u64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(kib * 1024 / 1_000_000)
}
