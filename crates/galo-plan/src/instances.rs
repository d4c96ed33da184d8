//! Which services of a contender are instances of one another.

use crate::contender::Service;

/// Groups of services, two at least in each, that are instances of one thing: their names, or their commands, are the same
/// but for digits. In the order of each group's first service.
pub fn groups(services: &[Service]) -> Vec<Vec<&Service>> {
    let mut groups = alike(services, are_alike);
    groups.retain(|group| group.len() > 1);
    groups
}

/// Groups of what is alike, in the order of each group's first.
fn alike<T>(all: &[T], are_alike: impl Fn(&T, &T) -> bool) -> Vec<Vec<&T>> {
    let mut groups: Vec<Vec<&T>> = Vec::new();
    for one in all {
        match groups.iter_mut().find(|group| group.iter().any(|other| are_alike(other, one))) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    groups
}

/// The largest of these groups, of equal ones the last, which is nearest to who asks: a database and its replica are a group
/// as well. Empty where there is none.
pub fn largest(services: &[Service]) -> Vec<&Service> {
    groups(services).into_iter().max_by_key(Vec::len).unwrap_or_default()
}

/// The most that are instances of one thing, of services by name and command; 1 where each is something else, and 0 of none.
pub(crate) fn most_alike(services: &[(&str, &str)]) -> usize {
    alike(services, |one, other| have_one_form(*one, *other)).iter().map(Vec::len).max().unwrap_or(0)
}

fn are_alike(one: &Service, other: &Service) -> bool {
    have_one_form((&one.name, &one.command.join(" ")), (&other.name, &other.command.join(" ")))
}

fn have_one_form(one: (&str, &str), other: (&str, &str)) -> bool {
    let is_same = |a: String, b: String| a == b && !a.is_empty();
    is_same(without_digits(one.0), without_digits(other.0))
        || is_same(without_digits(one.1), without_digits(other.1))
}

fn without_digits(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use super::*;
    use crate::contender::Ready;

    fn services(all: &[(&str, &str)]) -> Vec<Service> {
        let service = |(name, command): &(&str, &str)| Service {
            name: (*name).to_owned(),
            build: None,
            setup: None,
            command: command.split(' ').map(str::to_owned).collect(),
            environment: BTreeMap::new(),
            workdir: PathBuf::from("/"),
            user: None,
            ready: Ready::Started,
            ready_timeout_ns: 1,
            depends_on: Vec::new(),
            cpus_milli: 100,
            memory_bytes: 1 << 20,
            pids_max: None,
            cpuset: Vec::new(),
            ulimits: BTreeMap::new(),
            volumes: Vec::new(),
            stop: None,
            container: None,
        };
        all.iter().map(service).collect()
    }

    fn names(groups: Vec<Vec<&Service>>) -> Vec<Vec<String>> {
        groups.into_iter().map(|group| group.into_iter().map(|s| s.name.clone()).collect()).collect()
    }

    #[test]
    fn instances_have_names_or_commands_that_are_the_same_but_for_digits() {
        let all = services(&[
            ("db", "sh db"),
            ("api1", "jvm one"),
            ("left", "server --port 8081"),
            ("api2", "jvm two"),
            ("right", "server --port 8082"),
            ("balancer", "sh balancer"),
        ]);
        assert_eq!(names(groups(&all)), [["api1", "api2"], ["left", "right"]]);
    }

    #[test]
    fn a_shell_for_everything_and_names_of_digits_alone_make_no_instances() {
        assert!(groups(&services(&[("db", "sh db"), ("api", "sh api")])).is_empty());
        assert!(groups(&services(&[("1", "db"), ("2", "api")])).is_empty());
    }

    #[test]
    fn the_largest_group_is_meant_and_of_equal_ones_the_last() {
        let mut all = services(&[("db1", "db"), ("db2", "db"), ("api1", "api"), ("api2", "api")]);
        let largest_names = |all: &[Service]| names(vec![largest(all)]).remove(0);
        assert_eq!(largest_names(&all), ["api1", "api2"]);
        all.extend(services(&[("db3", "db")]));
        assert_eq!(largest_names(&all), ["db1", "db2", "db3"]);
        assert!(largest(&[]).is_empty());
    }
}
