//! Whatever the documentation points at is there: files, folders, headings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Anchorizer, Arena, Options, parse_document};

/// What is kept by git or is about to be, by name from the root, with all folders.
fn tracked() -> BTreeSet<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::env::set_current_dir(&root).expect("the repository is there");
    let listed =
        Command::new("git").args(["ls-files", "--cached", "--others", "--exclude-standard"]).output();
    let names = String::from_utf8(listed.expect("git runs").stdout).expect("names are UTF-8");
    let files = names.lines().map(PathBuf::from).filter(|file| file.exists());
    files.flat_map(|file| file.ancestors().map(Path::to_owned).collect::<Vec<_>>()).collect()
}

/// What a page has and points at.
#[derive(Default)]
struct Page {
    /// By which its headings are reached.
    anchors: BTreeSet<String>,
    links: Vec<String>,
    code: Vec<String>,
}

fn page(text: &str) -> Page {
    let mut options = Options::default();
    (options.extension.table, options.extension.strikethrough, options.extension.autolink) =
        (true, true, true);
    options.extension.footnotes = true;
    let arena = Arena::new();
    let mut page = Page::default();
    let mut anchorizer = Anchorizer::new();
    for node in parse_document(&arena, text, &options).descendants() {
        match &node.data().value {
            NodeValue::Heading(_) => {
                page.anchors.insert(anchorizer.anchorize(&words(node)));
            }
            NodeValue::Link(link) | NodeValue::Image(link) => page.links.push(link.url.clone()),
            NodeValue::Code(code) => page.code.push(code.literal.clone()),
            NodeValue::HtmlBlock(html) => page.links.extend(targets(&html.literal)),
            NodeValue::HtmlInline(html) => page.links.extend(targets(html)),
            _ => {}
        }
    }
    page
}

/// A heading without its markup.
fn words<'a>(heading: &'a AstNode<'a>) -> String {
    let of = |node: &'a AstNode<'a>| match &node.data().value {
        NodeValue::Text(text) => text.to_string(),
        NodeValue::Code(code) => code.literal.clone(),
        _ => String::new(),
    };
    heading.descendants().map(of).collect()
}

/// What HTML in a page points at.
fn targets(html: &str) -> Vec<String> {
    let after = ["href=\"", "src=\""].into_iter().flat_map(|attribute| html.split(attribute).skip(1));
    after.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned())).collect()
}

/// A path without `..`; `None` where it leaves the repository.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => plain.push(name),
            Component::ParentDir if !plain.pop() => return None,
            _ => {}
        }
    }
    Some(plain)
}

fn pages(tracked: &BTreeSet<PathBuf>) -> BTreeMap<PathBuf, Page> {
    let is_markdown = |path: &&PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let read = |path: &PathBuf| (path.clone(), page(&fs::read_to_string(path).expect("a page is text")));
    tracked.iter().filter(is_markdown).map(read).collect()
}

/// Why a link leads nowhere.
fn broken(
    link: &str,
    from: &Path,
    tracked: &BTreeSet<PathBuf>,
    pages: &BTreeMap<PathBuf, Page>,
) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    let target = if path.is_empty() {
        from.to_owned()
    } else {
        match plain(&from.parent().unwrap_or(Path::new("")).join(path)) {
            Some(target) if target.as_os_str().is_empty() || tracked.contains(&target) => target,
            _ => return Some(format!("{}: `{link}` is not there", from.display())),
        }
    };
    let is_there = |anchor: &str| pages.get(&target).is_none_or(|page| page.anchors.contains(anchor));
    anchor.filter(|anchor| !is_there(anchor)).map(|anchor| {
        format!("{}: `{link}`: {} has no heading `#{anchor}`", from.display(), target.display())
    })
}

#[test]
fn links_lead_to_files_and_headings_that_are_there() {
    let tracked = tracked();
    let pages = pages(&tracked);
    let links = pages.iter().flat_map(|(from, page)| page.links.iter().map(move |link| (from, link)));
    let broken: Vec<String> = links.filter_map(|(from, link)| broken(link, from, &tracked, &pages)).collect();
    assert!(pages.len() > 50 && broken.is_empty(), "{} pages\n{}", pages.len(), broken.join("\n"));
}

/// Folders of the root by which a name in a page is known to be one of a file here.
const FOLDERS: &[&str] =
    &["benches", "challenges", "ci", "contenders", "crates", "docs", "examples", "fixtures", "fuzz"];

/// What runs leave and git ignores.
const MADE: &[&str] = &["fuzz/corpus", "fuzz/artifacts", "fuzz/target"];

#[test]
fn files_that_pages_name_are_there() {
    let tracked = tracked();
    let mut missing = Vec::new();
    for (from, page) in pages(&tracked) {
        let is_name = |c: char| c.is_alphanumeric() || "/._-".contains(c);
        let names = page.code.iter().filter(|code| code.contains('/') && code.chars().all(is_name));
        for name in names.filter(|name| FOLDERS.iter().any(|folder| name.starts_with(&format!("{folder}/"))))
        {
            let is_made = MADE.iter().any(|made| Path::new(name).starts_with(made));
            if !is_made && plain(Path::new(name)).is_none_or(|path| !tracked.contains(&path)) {
                missing.push(format!("{}: `{name}` is not there", from.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn a_link_to_nowhere_is_found() {
    let tracked = BTreeSet::from(["docs".into(), "docs/a.md".into(), "b.md".into()]);
    let text = "# A *b* `c`, d\n[x](#a-b-c-d) [x](../b.md#two) [x](../b.md#one) [x](c.md) [x](../../b.md)\n\n<img src=\"d.png\">\n";
    let pages = BTreeMap::from([("docs/a.md".into(), page(text)), ("b.md".into(), page("## One\n"))]);
    let from = Path::new("docs/a.md");
    let told: Vec<_> =
        pages[from].links.iter().map(|link| broken(link, from, &tracked, &pages).is_some()).collect();
    assert_eq!(told, [false, true, false, true, true, true]);
}
