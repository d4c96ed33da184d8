//! `tunnel --help` says what it does.

use std::process::ExitCode;

fn main() -> ExitCode {
    tunnel::run(std::env::args_os())
}
