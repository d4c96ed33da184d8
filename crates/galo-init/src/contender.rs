//! One of galo's own contenders as files to begin with: its folder, and of what stands beside it all that these files name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use galo_plan::operands::shell_word as word;

use crate::brought::FILES;
use crate::{COMPOSE, Files, InitError};

/// What is copied as a whole or not at all: a file, or a folder with all that is in it.
struct Unit {
    /// In the repository, and in the copy: `contenders/pessoas/nginx`.
    path: String,
    /// Path and text of each file.
    files: Vec<(PathBuf, &'static str)>,
    /// A file of it is no text.
    is_binary: bool,
}

/// One that can be copied.
struct Offered {
    /// Its challenge and its folder: `pessoas/go-nethttp`.
    name: String,
    /// As its Compose file says.
    language: String,
    /// Indexes of its units, its own first.
    units: Vec<usize>,
}

/// A program that some of galo's own contenders need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// As it is called, e.g. `go`.
    pub program: String,
    /// The packages of Debian that bring it and what goes with it, separated by spaces.
    pub packages: String,
    /// Who needs it: `pessoas/go-fiber`.
    pub contenders: Vec<String>,
}

/// What galo's own contenders say that they need (`needs.sh PROGRAM=PACKAGES... -- `), by program.
#[must_use]
pub fn needs() -> Vec<Need> {
    let mut found: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for unit in units() {
        let Some(contender) = unit.path.strip_prefix("contenders/") else { continue };
        let texts = unit.files.iter().filter(|(path, _)| path.ends_with(COMPOSE));
        let said = texts
            .flat_map(|(_, text)| text.lines())
            .filter_map(|line| line.split_once("needs.sh ")?.1.split_once(" -- "));
        for word in said.flat_map(|(words, _)| shell_words::split(words).unwrap_or_default()) {
            if let Some((program, packages)) = word.split_once('=') {
                let need = (program.to_owned(), packages.to_owned());
                found.entry(need).or_default().insert(contender.to_owned());
            }
        }
    }
    let need = |((program, packages), contenders): (_, BTreeSet<String>)| Need {
        program,
        packages,
        contenders: contenders.into_iter().collect(),
    };
    found.into_iter().map(need).collect()
}

/// Folder of the contenders that fight where none is named.
const FIRST_CHALLENGE: &str = "pessoas/";

impl Files {
    /// The contender with this name (`go-nethttp`, `posts/go-gin-gorm`), or the first in this language, below a folder.
    ///
    /// # Errors
    /// There is none; the message names those that there are.
    pub fn of_contender(wanted: &str, out: &Path) -> Result<Self, InitError> {
        let units = units();
        let offered = offered(&units);
        let found = offered.iter().find(|offered| offered.name == wanted).or_else(|| {
            let is_it = |offered: &&Offered| offered.name.rsplit('/').next() == Some(wanted);
            offered.iter().find(is_it)
        });
        // One that is named after its language first: not the one with a queue, which shows a mistake.
        let is_named_so = |offered: &&Offered| {
            offered.name.rsplit('/').next().is_some_and(|own| own.starts_with(&wanted.to_ascii_lowercase()))
        };
        let in_language = || {
            let all = offered.iter().filter(|offered| offered.language.eq_ignore_ascii_case(wanted));
            all.min_by_key(|offered| !is_named_so(offered))
        };
        let Some(Offered { name, units: of, .. }) = found.or_else(in_language) else {
            let names: Vec<&str> = offered.iter().map(|offered| offered.name.as_str()).collect();
            let names = names.join(", ");
            return Err(InitError::Wrong(format!(
                "there is no contender `{wanted}` to copy\nhint: one of {names}"
            )));
        };
        let files = of.iter().flat_map(|unit| &units[*unit].files);
        let check = format!("galo check {}", word(&out.join("contenders").join(name).to_string_lossy()));
        Ok(Self {
            files: files.map(|(path, text)| (out.join(path), (*text).to_owned())).collect(),
            told: Vec::new(),
            next: vec![check],
        })
    }
}

fn units() -> Vec<Unit> {
    let mut units: BTreeMap<String, Unit> = BTreeMap::new();
    for (name, bytes) in FILES {
        // `contenders/pessoas/nginx` and `contenders/needs.sh`, but `challenges/posts`.
        let depth = match name.split_once('/') {
            Some(("contenders", _)) => 3,
            Some(("challenges", _)) => 2,
            _ => continue,
        };
        let path = name.split('/').take(depth).collect::<Vec<_>>().join("/");
        let unit = units.entry(path.clone());
        let unit = unit.or_insert_with(|| Unit { path, files: Vec::new(), is_binary: false });
        match std::str::from_utf8(bytes) {
            Ok(text) => unit.files.push((PathBuf::from(name), text)),
            Err(_) => unit.is_binary = true,
        }
    }
    units.into_values().collect()
}

/// Those that stand for themselves once they are copied: what cargo builds as a member of galo's own workspace does not.
fn offered(units: &[Unit]) -> Vec<Offered> {
    let all = units.iter().enumerate().filter_map(|(place, unit)| {
        let (_, compose) =
            unit.files.iter().find(|(path, _)| *path == Path::new(&unit.path).join(COMPOSE))?;
        let (_, language) = compose.split_once("language: ")?;
        let language = language.split([',', '}', '\n']).next()?.trim().to_owned();
        let of = with_what_it_names(units, place);
        let is_whole = of.iter().all(|unit| !units[*unit].is_binary) && !compose.contains("cargo build");
        let name = unit.path.strip_prefix("contenders/")?.to_owned();
        is_whole.then_some(Offered { name, language, units: of })
    });
    let mut all: Vec<Offered> = all.collect();
    // A name that contenders of several challenges have means the one of the challenge that galo fights by itself.
    all.sort_by_key(|offered| !offered.name.starts_with(FIRST_CHALLENGE));
    all
}

/// A unit, and those that its files name, and so on.
fn with_what_it_names(units: &[Unit], place: usize) -> Vec<usize> {
    let mut found = vec![place];
    let mut seen = BTreeSet::from([place]);
    let mut next = 0;
    while let Some(of) = found.get(next).copied() {
        next += 1;
        for (other, unit) in units.iter().enumerate() {
            if !seen.contains(&other) && units[of].names(unit) {
                seen.insert(other);
                found.push(other);
            }
        }
    }
    found
}

impl Unit {
    /// Whether a file that is not for people names the other one: by its path, from another contender's folder, or by its name if both
    /// are in one folder.
    fn names(&self, other: &Self) -> bool {
        let (folder, name) = other.path.rsplit_once('/').unwrap_or(("", &other.path));
        let is_sibling = self.path.rsplit_once('/').is_some_and(|(own, _)| own == folder);
        let is_named = |text: &str, name: &str| {
            text.match_indices(name).any(|(at, _)| {
                let after = text[at + name.len()..].chars().next();
                !after.is_some_and(|after| after.is_alphanumeric() || "-_.".contains(after))
            })
        };
        let texts = self.files.iter().filter(|(path, _)| path.extension().is_none_or(|kind| kind != "md"));
        let from_beside = other.path.strip_prefix("contenders/").map(|path| format!("../{path}"));
        texts.into_iter().any(|(_, text)| {
            is_named(text, &other.path)
                || from_beside.as_ref().is_some_and(|path| is_named(text, path))
                || (is_sibling && is_named(text, &format!("/{name}")))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(wanted: &str) -> Vec<String> {
        let files = Files::of_contender(wanted, Path::new("mine")).unwrap();
        files.files.iter().map(|(path, _)| path.display().to_string()).collect()
    }

    #[test]
    fn a_contender_comes_with_what_its_files_name_and_nothing_else() {
        let paths = paths("python-fastapi");
        for there in
            ["needs.sh", "pessoas/base.yaml", "pessoas/nginx/nginx.conf", "pessoas/postgres/schema.sql"]
        {
            assert!(paths.contains(&format!("mine/contenders/{there}")), "{there} of {paths:?}");
        }
        let others = ["/go", "/rust", "challenges/"];
        assert!(!paths.iter().any(|path| others.iter().any(|other| path.contains(other))), "{paths:?}");
        let next = Files::of_contender("python-fastapi", Path::new("my own")).unwrap().next;
        assert_eq!(next, ["galo check 'my own/contenders/pessoas/python-fastapi'"]);
    }

    #[test]
    fn a_language_will_do_and_a_challenge_of_its_own_comes_along() {
        assert_eq!(paths("Python"), paths("pessoas/python-fastapi"));
        assert_eq!(paths("rust"), paths("pessoas/rust-actix"));
        assert_eq!(paths("Ruby"), paths("pessoas/ruby-rails"));
        let paths = paths("posts/python-fastapi-sqlalchemy");
        assert!(paths.contains(&"mine/challenges/posts/posts.jsonl".to_owned()), "{paths:?}");
        assert!(paths.contains(&"mine/contenders/pessoas/postgres/run.sh".to_owned()), "{paths:?}");
        assert!(!paths.iter().any(|path| path.contains("challenges/pessoas")), "{paths:?}");
    }

    #[test]
    fn what_contenders_need_is_told_with_the_packages_that_bring_it() {
        let needs = needs();
        let of = |program: &str| needs.iter().find(|need| need.program == program).unwrap();
        assert_eq!(of("php8.2").packages, "php8.2-fpm php8.2-pgsql");
        assert_eq!(of("php8.2").contenders, ["pessoas/php"]);
        assert!(of("go").contenders.contains(&"posts/go-gin-gorm".to_owned()));
    }

    #[test]
    fn who_is_not_there_or_lives_in_galos_workspace_is_told_with_those_that_are() {
        for wanted in ["python-fastap", "rust-postgres"] {
            let error = Files::of_contender(wanted, Path::new("mine")).unwrap_err().to_string();
            assert!(error.starts_with(&format!("there is no contender `{wanted}` to copy")), "{error}");
            assert!(error.contains("pessoas/python-fastapi, "), "{error}");
        }
    }
}
