//! The full screen, on a terminal of util-linux's `script`.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use crate::servers::null_url;
use crate::support::galo;

const ENTER: &str = "\x1b[?1049h";
const LEAVE: &str = "\x1b[?1049l";
/// A word of it: where blanks are already, they are not written again.
const DRAWN: &str = "flight";
const CURSOR: &str = "\x1b[?25h";

/// galo with these arguments on a terminal of its own.
fn on_a_terminal(arguments: &[&str], columns: u16, lines: u16) -> Child {
    let command = galo(arguments);
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<String> = words.map(|word| format!("'{}'", word.to_string_lossy())).collect();
    let line = format!("stty cols {columns} rows {lines}; exec {}", words.join(" "));
    Command::new("script")
        .args(["--quiet", "--return", "--command", &line, "/dev/null"])
        .envs([("TERM", "xterm-256color"), ("LC_ALL", "C.UTF-8"), ("NO_COLOR", "1")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("util-linux's `script` is there")
}

/// All that it wrote, and its exit code.
fn to_the_end(mut child: Child) -> (String, Option<i32>) {
    let mut text = String::new();
    // Its standard input stays open till the end: `script` would tell galo's terminal that it ended.
    let keys = child.stdin.take();
    child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
    drop(keys);
    (text, child.wait().unwrap().code())
}

/// What was written before, in and after the full screen.
fn parts(text: &str) -> [&str; 3] {
    let (before, rest) = text.split_once(ENTER).unwrap_or_else(|| panic!("no full screen: {text}"));
    let (screen, after) =
        rest.split_once(LEAVE).unwrap_or_else(|| panic!("the screen is never left: {text}"));
    [before, screen, after]
}

#[test]
fn a_load_takes_the_whole_terminal_and_gives_it_back_for_the_summary() {
    let arguments = ["load", &null_url(), "--force", "--rate", "200", "-d", "2s"];
    let (text, code) = to_the_end(on_a_terminal(&arguments, 100, 30));
    assert_eq!(code, Some(0), "{text}");
    let [before, screen, after] = parts(&text);
    assert!(!before.contains("400"), "{before}");
    assert!(screen.contains(DRAWN) && screen.contains("latency:"), "{screen}");
    assert!(after.contains(CURSOR) && after.contains("400"), "{after}");
    assert!(!screen.contains("\x1b[38;"), "NO_COLOR is set: {screen:?}");
}

#[test]
fn ctrl_c_gives_the_terminal_back_before_anything_else() {
    let arguments = ["load", &null_url(), "--force", "--rate", "200", "-d", "60s"];
    let mut child = on_a_terminal(&arguments, 80, 24);
    let mut output = child.stdout.take().unwrap();
    let mut text = Vec::new();
    let mut chunk = [0; 4096];
    while !String::from_utf8_lossy(&text).contains(DRAWN) {
        let n = output.read(&mut chunk).unwrap();
        assert!(n > 0, "it ended: {}", String::from_utf8_lossy(&text));
        text.extend(&chunk[..n]);
    }
    // As the key is typed: the terminal makes a signal of it.
    child.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    output.read_to_end(&mut text).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let text = String::from_utf8_lossy(&text);
    let [.., after] = parts(&text);
    assert!(after.contains(CURSOR) && !after.contains(ENTER), "{after}");
}

#[test]
fn a_terminal_that_is_too_small_and_one_that_is_told_so_keep_to_a_line() {
    let arguments = ["load", &null_url(), "--force", "--rate", "200", "-d", "1s"];
    let told = [&arguments[..], &["--progress", "line"]].concat();
    for (arguments, columns) in [(&arguments[..], 40), (&told[..], 100)] {
        let (text, code) = to_the_end(on_a_terminal(arguments, columns, 30));
        assert_eq!(code, Some(0), "{text}");
        assert!(!text.contains(ENTER), "{text}");
    }
}
