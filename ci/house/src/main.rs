//! `ci/lines`: how much code galo is made of, beside what it is to stay under.

use std::path::Path;
use std::process::ExitCode;

/// In all crates together, and in the command line alone.
const GOALS: (usize, usize) = (43_000, 5_000);

fn main() -> ExitCode {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // Not canonical: tables of words are compared with paths below this one.
    let counts = match house::lines_of_crates(&repository) {
        Ok(counts) => counts,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    for (name, lines) in &counts {
        let goal = if name == "galo" { format!("   (goal: at most {})", GOALS.1) } else { String::new() };
        println!("{lines:7}  {name}{goal}");
    }
    println!("{:7}  together   (goal: at most {})", counts.values().sum::<usize>(), GOALS.0);
    ExitCode::SUCCESS
}
