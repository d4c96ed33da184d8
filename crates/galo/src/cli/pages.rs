//! Every command that a page shows is one that the command line takes.

#[path = "../../tests/cli/commands.rs"]
mod commands;

use std::ffi::OsString;

#[test]
fn every_command_in_readme_and_docs_is_understood() {
    let pages =
        ["README.md", "docs/tutorials", "docs/how-to", "docs/reference", "docs/explanation", "docs/findings"];
    let mut refused = Vec::new();
    let mut understood = 0;
    for block in commands::blocks(&pages) {
        for command in block.commands() {
            let words: Vec<OsString> = command.iter().map(OsString::from).collect();
            match super::parse(&words) {
                Ok(Ok(_)) => understood += 1,
                Ok(Err(error)) => refused.push(format!("{}: {}\n{error}", block.page, command.join(" "))),
                Err(error) => refused.push(format!("{}: {}\n{error:?}", block.page, command.join(" "))),
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(understood > 60, "{understood}");
}
