//! The nearest right word for a wrong one, and one sentence for what serde says of a key or a value.

/// The known word nearest to `wrong`, if one is near enough to be meant.
pub fn nearest<S: AsRef<str>>(wrong: &str, known: impl IntoIterator<Item = S>) -> Option<String> {
    let wrong = wrong.to_lowercase();
    let bound = |word: &str| (word.len().max(wrong.len()) / 3).max(1);
    known
        .into_iter()
        .map(|word| (strsim::damerau_levenshtein(&wrong, &word.as_ref().to_lowercase()), word))
        .filter(|(distance, word)| *distance <= bound(word.as_ref()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word.as_ref().to_owned())
}

/// ``; did you mean `x`?`` where a known word is near, else all known words, else that there are none.
pub(crate) fn hint<S: AsRef<str>>(wrong: &str, known: &[S]) -> String {
    if let Some(word) = nearest(wrong, known) {
        return format!("; did you mean `{word}`?");
    }
    if known.is_empty() {
        return "; there are none".to_owned();
    }
    let words: Vec<String> = known.iter().map(|word| format!("`{}`", word.as_ref())).collect();
    format!("; known: {}", words.join(", "))
}

/// ``unknown profile `quik`; did you mean `quick`?``
pub fn unknown<S: AsRef<str>>(kind: &str, wrong: &str, known: &[S]) -> String {
    format!("unknown {kind} `{wrong}`{}", hint(wrong, known))
}

/// The same sentence from serde's own: ``unknown field `x`, expected one of `a`, `b` `` becomes
/// ``unknown key `x`; did you mean `a`?``. Any other message is left, in lower case at its start.
pub(crate) fn explain(message: &str) -> String {
    let message = message.trim();
    for (start, kind) in [("unknown field `", "key"), ("unknown variant `", "word")] {
        let Some((wrong, rest)) = message.strip_prefix(start).and_then(|rest| rest.split_once('`')) else {
            continue;
        };
        // After the wrong word every right one stands in backticks; text between them does not matter.
        let known: Vec<&str> = rest.split('`').skip(1).step_by(2).collect();
        return unknown(kind, wrong, &known);
    }
    if let Some(name) = message.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return format!("the key `{name}` is missing");
    }
    // Names of Rust's types help nobody who writes a file.
    let message = message.replace("expected u16", "expected a whole number up to 65535");
    let message = message.replace("expected u32", "expected a whole number up to 4294967295");
    let mut letters = message.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_is_not() {
        assert_eq!(nearest("statusses", ["status", "statuses", "steps"]).as_deref(), Some("statuses"));
        assert_eq!(nearest("Quick", ["official", "quick"]).as_deref(), Some("quick"));
        assert_eq!(nearest("memroy", ["memory", "cpus"]).as_deref(), Some("memory"));
        assert_eq!(nearest("elephant", ["memory", "cpus"]), None);
    }

    #[test]
    fn what_serde_says_becomes_one_sentence() {
        insta::assert_snapshot!(explain("unknown field `statusses`, expected one of `name`, `statuses`"), @"unknown key `statusses`; did you mean `statuses`?");
        insta::assert_snapshot!(explain("unknown field `colour`, expected `name` or `title`"), @"unknown key `colour`; known: `name`, `title`");
        insta::assert_snapshot!(explain("unknown field `x`, there are no fields"), @"unknown key `x`; there are none");
        insta::assert_snapshot!(explain("unknown variant `per-usr`, expected `per-user` or `per-request`"), @"unknown word `per-usr`; did you mean `per-user`?");
        insta::assert_snapshot!(explain("missing field `name`"), @"the key `name` is missing");
        insta::assert_snapshot!(explain("invalid type: integer `1`, expected a string"), @"invalid type: integer `1`, expected a string");
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in ".*", tail in ".*") {
            let _ = explain(&text);
            let _ = explain(&format!("unknown field `{text}{tail}"));
            let _ = hint(&text, &[tail]);
        }
    }
}
