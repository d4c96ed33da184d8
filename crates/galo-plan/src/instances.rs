//! Which services of a contender are instances of one another.

use crate::contender::Service;

/// Groups of services, two at least in each, that are instances of one thing: their names, or their commands, are the same
/// but for digits. In the order of each group's first service.
pub fn groups(services: &[Service]) -> Vec<Vec<&Service>> {
    let mut groups: Vec<Vec<&Service>> = Vec::new();
    for service in services {
        match groups.iter_mut().find(|group| group.iter().any(|other| are_alike(other, service))) {
            Some(group) => group.push(service),
            None => groups.push(vec![service]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// The largest of these groups, of equal ones the last, which is nearest to who asks: a database and its replica are a group
/// as well. Empty where there is none.
pub fn largest(services: &[Service]) -> Vec<&Service> {
    groups(services).into_iter().max_by_key(Vec::len).unwrap_or_default()
}

fn are_alike(one: &Service, other: &Service) -> bool {
    let is_same = |a: String, b: String| a == b && !a.is_empty();
    is_same(without_digits(&one.name), without_digits(&other.name))
        || is_same(without_digits(&one.command.join(" ")), without_digits(&other.command.join(" ")))
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
