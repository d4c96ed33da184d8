//! Counts galo's code. What it does not count: blank lines, comments and documentation, tests, and tables of words.
//!
//! It reads Rust as the compiler does, by its tokens, so a comment in a string is code and an attribute over several lines
//! is several. A file is left out as a test where its module is declared under `cfg(test)` or `cfg(fuzzing)`.

pub mod bill;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, ImplItem, Item, ItemMod, Meta};

/// Files and folders with nothing but what galo says, in two languages: they grow with what is told, not with how.
pub const TABLES_OF_WORDS: &[&str] = &[
    "crates/galo-report/src/words/conformance.rs",
    "crates/galo-report/src/words/duel.rs",
    "crates/galo-report/src/words/held_back.rs",
    "crates/galo-report/src/words/labels",
    "crates/galo-report/src/words/verdict.rs",
];

/// Lines of code of each crate below `crates/` of a repository.
///
/// # Errors
/// A file that cannot be read or is no Rust, and a table of words that is not there (any more).
pub fn lines_of_crates(repository: &Path) -> io::Result<BTreeMap<String, usize>> {
    if let Some(gone) = TABLES_OF_WORDS.iter().find(|table| !repository.join(table).exists()) {
        return Err(io::Error::other(format!(
            "`{gone}` is not there\nhint: see TABLES_OF_WORDS in ci/house/src/lib.rs"
        )));
    }
    let mut counts = BTreeMap::new();
    for entry in fs::read_dir(repository.join("crates"))? {
        let folder = entry?.path();
        let source = folder.join("src");
        if source.is_dir() {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            counts.insert(name, lines_below(repository, &source)?);
        }
    }
    Ok(counts)
}

fn lines_below(repository: &Path, source: &Path) -> io::Result<usize> {
    let mut files = Vec::new();
    rust_files(source, &mut files)?;
    let mut tests = BTreeSet::new();
    let mut counted = Vec::new();
    for path in files {
        let text = fs::read_to_string(&path)?;
        let read = count(&text).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))?;
        tests.extend(read.test_modules.iter().map(|name| folder_of_modules(&path).join(name)));
        counted.push((path, read.lines));
    }
    let is_table = |path: &Path| TABLES_OF_WORDS.iter().any(|table| path.starts_with(repository.join(table)));
    // A test's module is the file of its name, and all in the folder of its name.
    let is_test = |path: &Path| path.with_extension("").ancestors().any(|module| tests.contains(module));
    Ok(counted.iter().filter(|(path, _)| !is_table(path) && !is_test(path)).map(|(_, lines)| lines).sum())
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            rust_files(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(())
}

/// Where the modules are that a file declares.
fn folder_of_modules(file: &Path) -> PathBuf {
    let is_root = ["lib.rs", "main.rs"].iter().any(|name| file.ends_with(name));
    if is_root { file.with_file_name("") } else { file.with_extension("") }
}

/// What one file holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Lines of code.
    pub lines: usize,
    /// Modules in files of their own that are compiled for tests alone.
    pub test_modules: Vec<String>,
}

/// Counts one file.
///
/// # Errors
/// Where it is no Rust.
pub fn count(text: &str) -> syn::Result<Counted> {
    let mut file = syn::parse_file(text)?;
    let mut without = WithoutTests::default();
    without.visit_file_mut(&mut file);
    let mut lines = BTreeSet::new();
    lines_of_tokens(file.into_token_stream(), &mut lines);
    Ok(Counted { lines: lines.len(), test_modules: without.modules })
}

fn lines_of_tokens(tokens: TokenStream, lines: &mut BTreeSet<usize>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                lines.extend([group.span_open().start().line, group.span_close().end().line]);
                lines_of_tokens(group.stream(), lines);
            }
            other => lines.extend(other.span().start().line..=other.span().end().line),
        }
    }
}

/// Takes away tests and documentation.
#[derive(Default)]
struct WithoutTests {
    modules: Vec<String>,
}

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        self.retain(&mut file.items);
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut ItemMod) {
        if let Some((_, items)) = &mut module.content {
            self.retain(items);
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, item: &mut syn::ItemImpl) {
        item.items.retain(|item| match item {
            ImplItem::Fn(function) => !is_of_tests(&function.attrs),
            _ => true,
        });
        visit_mut::visit_item_impl_mut(self, item);
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    }
}

impl WithoutTests {
    fn retain(&mut self, items: &mut Vec<Item>) {
        items.retain(|item| {
            let is_test = is_of_tests(attributes(item));
            if let (true, Item::Mod(ItemMod { ident, content: None, .. })) = (is_test, item) {
                self.modules.push(ident.to_string());
            }
            !is_test
        });
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Whether it is compiled for tests or fuzzers alone, as far as a `cfg` without `not` tells.
fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("cfg") => {
            let words = list.tokens.to_string();
            let has =
                |name: &str| words.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
            (has("test") || has("fuzzing")) && !has("not")
        }
        meta => meta.path().is_ident("test"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> usize {
        count(text).expect("it is Rust").lines
    }

    #[test]
    fn blank_lines_comments_and_documentation_are_not_counted() {
        let text = "//! A crate.\n\n/// A thing,\n/// told twice.\nfn a() {\n    // Why.\n    b(); // and how\n    /* not\n    this */\n}\n";
        assert_eq!(lines(text), 3);
    }

    #[test]
    fn every_line_of_a_string_is_code_whatever_it_looks_like() {
        assert_eq!(lines("const A: &str = \"// no\n// comment\n\";"), 3);
    }

    #[test]
    fn tests_in_the_file_are_not_counted_and_those_in_others_are_named() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n#[cfg(test)]\nmod more;\n#[cfg(not(test))]\nfn c() {}\n";
        assert_eq!(count(text).ok(), Some(Counted { lines: 3, test_modules: vec!["more".to_owned()] }));
    }

    #[test]
    fn what_only_tests_and_fuzzers_use_is_not_counted() {
        assert_eq!(
            lines(
                "#[cfg(any(test, fuzzing))]\nconst A: u8 = 1;\nimpl B {\n    #[cfg(test)]\n    fn c() {}\n}\n"
            ),
            2
        );
    }
}
