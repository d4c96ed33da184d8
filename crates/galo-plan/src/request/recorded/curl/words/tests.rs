//! Words, held to those of bash itself.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// What bash makes of these words, each a line.
fn of_bash(lines: &[String]) -> Vec<Vec<Vec<u8>>> {
    let mut bash = Command::new("bash");
    bash.arg("-s").env("LC_ALL", "C.UTF-8").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut bash = bash.spawn().unwrap();
    let script = lines.iter().map(|line| format!("printf '%s\\0' {line}\nprintf '\\1\\0'\n"));
    bash.stdin.take().unwrap().write_all(script.collect::<String>().as_bytes()).unwrap();
    let out = bash.wait_with_output().unwrap().stdout;
    let words: Vec<Vec<u8>> = out.split(|b| *b == 0).map(<[u8]>::to_vec).collect();
    let lines = words.split(|word| word == b"\x01");
    let mut lines: Vec<Vec<Vec<u8>>> = lines.map(<[Vec<u8>]>::to_vec).collect();
    lines.pop();
    lines
}

/// The words of one command that needs no shell.
fn own(line: &str) -> Option<Vec<Vec<u8>>> {
    let command = super::commands(line).pop()?;
    let words = command.words.ok()?;
    words.into_iter().map(|word| word.needs_shell.is_none().then_some(word.bytes)).collect()
}

#[test]
fn words_are_those_of_bash() {
    let words = r#"a 'b c' "d \" \\ \q \$ e" f\ g $'\n\t\x41\x4\u00fc\U1F600\101\0412\'\"\?\e\cA\c?\c\\x' 'it'\''s'
        a$ "$" $"hi" a#b '' "" $'' x''y {a} {} =x $'a\0b'c $'\ud83d\ude00' $'\U7fffffff' $'\xff\xfe' $'\x{141}\x{}z' $'\q\u\x' "é"$'é'é a\
b $'\U110000' $'\cé'"#;
    let one_line = words.replace("\n        ", " ");
    assert_eq!(own(&one_line).as_ref(), of_bash(&[one_line]).first());
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(24))]

    #[test]
    fn words_of_any_letters_are_those_of_bash(
        lines in proptest::collection::vec("x[ab='\"\\\\$é#~{},.x0u(n-]{1,14}x", 1..24)
    ) {
        let (lines, words): (Vec<String>, Vec<_>) =
            lines.into_iter().filter_map(|line| own(&line).map(|words| (line, words))).unzip();
        proptest::prop_assert_eq!(&words, &of_bash(&lines), "{:?}", lines);
    }
}
