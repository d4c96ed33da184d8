//! The commands of galo that a page shows: what tests of the command line and of the pages share.

use std::path::{Path, PathBuf};

/// A fenced block of shell lines in a page.
pub(crate) struct Block {
    pub(crate) page: String,
    pub(crate) text: String,
}

/// Blocks of shell lines in pages, or in all pages of folders, by their paths in the repository.
pub(crate) fn blocks(of: &[&str]) -> Vec<Block> {
    pages(of).iter().flat_map(|page| of_page(page)).collect()
}

/// These pages, and all pages of these folders.
pub(crate) fn pages(of: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages: Vec<PathBuf> = of.iter().map(|page| root.join(page)).collect();
    let folders: Vec<PathBuf> = pages.extract_if(.., |path| path.is_dir()).collect();
    for folder in folders {
        let files = folder.read_dir().expect("the folder can be read");
        pages.extend(files.map(|file| file.expect("its files as well").path()));
    }
    pages.sort();
    pages
}

/// A page as text.
pub(crate) fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn of_page(path: &Path) -> Vec<Block> {
    let text = read(path);
    let page = path.file_name().expect("a page has a name").to_string_lossy().into_owned();
    let parts = text.split("\n```sh\n").skip(1);
    let blocks = parts.map(|part| part.split_once("\n```").expect("a block ends").0.to_owned());
    blocks.map(|text| Block { page: page.clone(), text }).collect()
}

impl Block {
    /// Its commands of galo as words, without what a pipe or a redirection makes of their output.
    pub(crate) fn commands(&self) -> Vec<Vec<String>> {
        let lines = self.text.replace("\\\n", " ");
        let mut commands = Vec::new();
        for line in lines.lines().filter(|line| line.contains("galo ")) {
            let words =
                shell_words::split(line).unwrap_or_else(|error| panic!("{}: {error}: {line}", self.page));
            for command in words.split(|word| word == "&&") {
                let end = command.iter().position(|word| word == "|" || word.starts_with('>'));
                let command = &command[..end.unwrap_or(command.len())];
                if command.first().is_some_and(|program| program == "galo") {
                    commands.push(command.to_vec());
                }
            }
        }
        commands
    }
}
