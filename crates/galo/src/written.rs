//! What duels and `galo init` read alike from the command line: addresses, requests, variables, the folder of commands.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use galo_plan::request::RequestOptions;
use galo_plan::request::recorded::Recorded;

use crate::cli::RequestArgs;
use crate::exit::WrongUse;

/// Whether an operand is the address of a server.
pub(crate) fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// Scheme and authority of an address.
pub(crate) fn server(url: &str) -> &str {
    let root = url.find("://").map_or(0, |at| at + 3);
    url[root..].find(['/', '?', '#']).map_or(url, |end| &url[..root + end])
}

/// The request of the options, to this address.
pub(crate) fn request(args: &RequestArgs, url: &str) -> RequestOptions {
    RequestOptions {
        urls: vec![url.to_owned()],
        method: args.method.clone(),
        headers: args.header.clone(),
        body: args.data.clone(),
        statuses: args.status.clone(),
        timeout: args.timeout.clone(),
        ..RequestOptions::default()
    }
}

/// A request of a recording, to the server of `one`, and as that says of all else.
pub(crate) fn recorded(request: &Recorded, one: &RequestOptions) -> RequestOptions {
    let server = one.urls.first().map_or("", |url| server(url));
    RequestOptions {
        urls: vec![format!("{server}{}", request.target)],
        method: Some(request.method.clone()),
        headers: request.headers.iter().chain(&one.headers).cloned().collect(),
        // As it stands, whatever it begins with.
        body: request.body.as_ref().map(|body| format!("text:{body}")),
        ..one.clone()
    }
}

/// The words of each command that are not the same in all, at their beginnings and ends.
pub(crate) fn apart<'a>(all: &[Vec<&'a str>]) -> Vec<Vec<&'a str>> {
    let shortest = all.iter().map(Vec::len).min().unwrap_or(0);
    let same = |at: &dyn Fn(&Vec<&'a str>) -> &'a str| all.windows(2).all(|two| at(&two[0]) == at(&two[1]));
    let before = (0..shortest).take_while(|&n| same(&|words| words[n])).count();
    let after = (0..shortest - before).take_while(|&n| same(&|words| words[words.len() - 1 - n])).count();
    all.iter().map(|words| words[before..words.len() - after].to_vec()).collect()
}

/// `NAME=VALUE` as a map.
pub(crate) fn variables(texts: &[String]) -> Result<BTreeMap<String, String>, WrongUse> {
    let wrong =
        |text: &String| WrongUse(format!("--env `{text}` has no name and `=`\nhint: write NAME=VALUE"));
    let pair = |text: &String| {
        let (name, value) =
            text.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| wrong(text))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    texts.iter().map(pair).collect()
}

/// The folder where commands run, without links.
pub(crate) fn folder(cwd: &Path) -> Result<PathBuf, WrongUse> {
    cwd.canonicalize().ok().filter(|path| path.is_dir()).ok_or_else(|| {
        let cwd = cwd.display();
        WrongUse(format!("--cwd `{cwd}` is no folder\nhint: name one that is there"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_an_address_without_its_path() {
        for url in ["http://h:1", "http://h:1/", "http://h:1?a=/", "http://h:1/a/b?c"] {
            assert_eq!(server(url), "http://h:1", "{url}");
        }
    }
}
