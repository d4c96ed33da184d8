//! Prints what programs of the workspace are made of, in the root of the repository, for `ci/package`: `bill PACKAGE...`, or
//! `bill --licences PACKAGE...`.

use std::process::{Command, ExitCode};

use cargo_metadata::MetadataCommand;
use house::bill::{Made, checksums};

fn main() -> ExitCode {
    match text() {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn text() -> Result<String, String> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (options, packages): (Vec<_>, Vec<_>) = words.into_iter().partition(|word| word.starts_with("--"));
    // Only packages of this platform.
    let platform = ["--locked", "--filter-platform", &platform()?].map(str::to_owned);
    let metadata =
        MetadataCommand::new().other_options(platform).exec().map_err(|error| error.to_string())?;
    let made = Made::of(&metadata, &packages)?;
    match options.first().map(String::as_str) {
        None => {
            let lock =
                std::fs::read_to_string("Cargo.lock").map_err(|error| format!("Cargo.lock: {error}"))?;
            serde_json::to_string_pretty(&made.bill(&checksums(&lock))).map_err(|error| error.to_string())
        }
        Some("--licences") => made.licences().map_err(|error| error.to_string()),
        Some(other) => Err(format!("there is no option {other}\nhint: there is --licences")),
    }
}

/// As the compiler calls the machine that it is on.
fn platform() -> Result<String, String> {
    let told = Command::new("rustc").arg("-vV").output().map_err(|error| format!("rustc: {error}"))?;
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let host = told.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not say its host".to_owned())
}
