//! Every command that a page shows is one that the command line takes.

#[path = "../../tests/cli/commands.rs"]
mod commands;

use clap::error::ErrorKind;

/// Pages for people.
const PAGES: [&str; 14] = [
    "README.md",
    "README.pt-BR.md",
    "docs/tutorials",
    "docs/how-to",
    "docs/reference",
    "docs/explanation",
    "docs/findings",
    "docs/adding.md",
    "challenges/posts/README.md",
    "challenges/tunnel/README.md",
    "contenders/README.md",
    "contenders/posts/README.md",
    "contenders/tunnel/README.md",
    "examples/README.md",
];

/// What is said against a command, with its kind where the command line itself says it.
fn refused(words: &[String]) -> Option<(Option<ErrorKind>, String)> {
    match super::parse(words) {
        Ok(Ok(_)) => None,
        Ok(Err(error)) => Some((Some(error.kind()), error.to_string())),
        Err(error) => Some((None, format!("{error:?}"))),
    }
}

#[test]
fn every_command_in_readme_and_docs_is_understood() {
    let all = commands::blocks(&PAGES);
    let all: Vec<_> = all
        .iter()
        .flat_map(|block| block.commands().into_iter().map(move |words| (&block.page, words)))
        .collect();
    let refused = all.iter().filter_map(|(page, words)| {
        refused(words).map(|(_, why)| format!("{page}: {}\n{why}", words.join(" ")))
    });
    let refused: Vec<String> = refused.collect();
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(all.len() > 60, "{}", all.len());
}

#[test]
fn commands_and_options_that_a_sentence_names_are_there() {
    let mut seen = 0;
    let mut unknown = Vec::new();
    for page in commands::pages(&PAGES) {
        let text = commands::read(&page);
        // Blocks are the other test's; a sentence may leave out what a command needs.
        let prose: String = text.split("\n```").step_by(2).collect();
        for code in prose.lines().flat_map(|line| line.split('`').skip(1).step_by(2)) {
            let words = shell_words::split(code).unwrap_or_default();
            let words: Vec<String> =
                words.into_iter().take_while(|word| word != ">" && word != "|").collect();
            if words.len() < 2 || words[0] != "galo" {
                continue;
            }
            seen += 1;
            if let Some((Some(ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand), why)) =
                refused(&words)
            {
                unknown.push(format!("{}: {code}\n{why}", page.display()));
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    assert!(seen > 100, "{seen}");
}
