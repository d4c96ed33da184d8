//! The rules of the format, for all who write it.

use std::collections::BTreeSet;

/// One sample: name, labels, value.
pub(crate) fn sample(line: &str) -> (String, Vec<(String, String)>, f64) {
    let (series, value) = line.rsplit_once(' ').unwrap();
    let (name, labels) =
        series.split_once('{').map_or((series, ""), |(name, rest)| (name, rest.strip_suffix('}').unwrap()));
    let labels = labels.split_terminator(',').map(|label| {
        let (key, value) = label.split_once('=').unwrap();
        let value = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap();
        (key.to_owned(), value.to_owned())
    });
    (name.to_owned(), labels.collect(), value.parse().unwrap())
}

/// Holds that every line follows the format's rules.
pub(crate) fn assert_rules(text: &str) {
    assert!(text.ends_with('\n'));
    let (mut family, mut seen, mut kind) = (String::new(), BTreeSet::new(), String::new());
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let name = help.split(' ').next().unwrap();
            assert!(seen.insert(name.to_owned()), "{name} comes twice");
            family = name.to_owned();
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, its_kind) = rest.split_once(' ').unwrap();
            assert_eq!(name, family, "the type follows the help");
            assert_eq!(its_kind == "counter", name.ends_with("_total"), "{name}");
            kind = its_kind.to_owned();
        } else {
            let (name, labels, value) = sample(line);
            let suffixes: &[&str] = if kind == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
            assert!(suffixes.iter().any(|suffix| name == format!("{family}{suffix}")), "{line}");
            let valid = |s: &str| s.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
            assert!(valid(&name) && labels.iter().all(|(key, _)| valid(key)), "{line}");
            assert!(value.is_finite() && value >= 0.0, "{line}");
        }
    }
}
