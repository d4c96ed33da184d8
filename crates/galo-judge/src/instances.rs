//! Which services are instances of one another.

use std::collections::BTreeMap;

use galo_plan::Service;

/// Names of services that are instances of one thing, by name and then by command: these are the same but for digits.
pub(crate) fn groups_of_instances(services: &[Service]) -> Vec<Vec<&str>> {
    let by_name = groups(services.iter().map(|s| (without_digits(&s.name), s.name.as_str())));
    let commands = services.iter().map(|s| (without_digits(&s.command.join(" ")), s.name.as_str()));
    by_name.into_iter().chain(groups(commands)).collect()
}

/// Names with the same key, where there are several.
fn groups<'a>(keyed: impl Iterator<Item = (String, &'a str)>) -> Vec<Vec<&'a str>> {
    let mut groups = BTreeMap::<String, Vec<&str>>::new();
    for (key, name) in keyed.filter(|(key, _)| !key.is_empty()) {
        groups.entry(key).or_default().push(name);
    }
    groups.into_values().filter(|names| names.len() > 1).collect()
}

fn without_digits(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}
