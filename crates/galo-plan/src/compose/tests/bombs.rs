//! Files that stand for more than any memory holds.

use std::time::{Duration, Instant};

use super::containers::{contest, read};
use super::*;

/// What is told of such a file, which must be told soon.
fn told(text: &str) -> String {
    let (folder, started) = (contest(text), Instant::now());
    let told = read(&folder, &Reading::untrusted(&POLICY)).unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(20));
    told
}

#[test]
fn anchors_that_double_one_another_are_refused() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..20 {
        let all = vec![format!("*a{}", n - 1); 9].join(", ");
        text += &format!("a{n}: &a{n} [{all}]\n");
    }
    insta::assert_snapshot!(told(&text), @r"
    FOLDER/docker-compose.yml:6: from here on the file holds or repeats more than is read
    hint: write fewer anchors and aliases
    ");
}

#[test]
fn a_long_text_repeated_often_is_refused() {
    let long = "x".repeat(1 << 20);
    let aliases = vec!["*a"; 2000].join(", ");
    let text = format!("x-a: &a {long}\nx-b: [{aliases}]\n");
    insta::assert_snapshot!(told(&text), @r"
    FOLDER/docker-compose.yml:2: from here on the file holds or repeats more than is read
    hint: write fewer anchors and aliases
    ");
}

#[test]
fn merge_keys_that_double_one_another_are_refused() {
    let mut text = "x-0: &m0 { a: 1 }\n".to_owned();
    for n in 1..40 {
        let below = n - 1;
        text += &format!("x-{n}: &m{n} {{ a{n}: *m{below}, b{n}: *m{below}, <<: *m{below} }}\n");
    }
    insta::assert_snapshot!(told(&text), @r"
    FOLDER/docker-compose.yml:10: from here on the file holds or repeats more than is read
    hint: write fewer anchors and aliases
    ");
}

#[test]
fn brackets_within_brackets_are_refused() {
    let told = told(&format!("a: {}\n", "[".repeat(200_000)));
    assert!(told.len() < 300, "{told}");
}
