//! Which services of a contender are instances of one another.

use crate::contender::{Container, Service};

/// Groups of services, two at least in each, that are instances of one thing: containers of one image or one build, whatever
/// their names; processes, which have neither, whose names or commands are the same but for digits. In the order of each group's first service.
///
/// A worker is often started from the API's image by another command: it is no instance where others share theirs.
pub fn groups(services: &[Service]) -> Vec<Vec<&Service>> {
    let origins = alike(services, |one, other| Origin::of(one).is(&Origin::of(other)));
    origins.into_iter().filter(|group| group.len() > 1).flat_map(by_command).collect()
}

/// The containers of a group by their commands, where some share one; else the group.
fn by_command(group: Vec<&Service>) -> Vec<Vec<&Service>> {
    if group.iter().all(|service| service.container.is_none()) {
        return vec![group];
    }
    let command = |service: &Service| without_digits(&service.command.join(" "));
    let mut parts = alike(&group, |one, other| command(one) == command(other));
    parts.retain(|part| part.len() > 1);
    if parts.is_empty() {
        return vec![group];
    }
    parts.into_iter().map(|part| part.into_iter().copied().collect()).collect()
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

/// The most that are instances of one thing, of services with the number of their copies; 1 where each is something else and
/// is started once.
pub(crate) fn most_alike<'a>(services: impl Iterator<Item = (&'a Origin, u64)>) -> u128 {
    let services: Vec<_> = services.collect();
    let groups = alike(&services, |(one, _), (other, _)| one.is(other));
    let copies = |group: &Vec<&(&Origin, u64)>| group.iter().map(|(_, copies)| u128::from(*copies)).sum();
    groups.iter().map(copies).max().unwrap_or(0)
}

/// What a service is started from.
pub(crate) struct Origin {
    image: Option<String>,
    build_sha256: String,
    /// Name and command of a process, without their digits.
    process: [String; 2],
}

impl Origin {
    fn of(service: &Service) -> Self {
        match &service.container {
            Some(container) => Self::of_container(container),
            None => Self::of_process(&service.name, &service.command.join(" ")),
        }
    }

    pub(crate) fn of_container(container: &Container) -> Self {
        Self {
            image: container.image.as_deref().map(whole_name),
            build_sha256: container.build_sha256.clone(),
            process: Default::default(),
        }
    }

    pub(crate) fn of_process(name: &str, command: &str) -> Self {
        let process = [name, command].map(without_digits);
        Self { image: None, build_sha256: String::new(), process }
    }

    /// Whether it is the same thing as another.
    fn is(&self, other: &Self) -> bool {
        let is_same = |one: &str, other: &str| one == other && !one.is_empty();
        (self.image.is_some() && self.image == other.image)
            || is_same(&self.build_sha256, &other.build_sha256)
            || self.process.iter().zip(&other.process).any(|(one, other)| is_same(one, other))
    }
}

fn without_digits(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// An image's name as an engine completes it: `nginx` is `nginx:latest` of Docker's own registry.
fn whole_name(image: &str) -> String {
    let name = image.strip_prefix("docker.io/").or_else(|| image.strip_prefix("index.docker.io/"));
    let name = name.unwrap_or(image);
    let name = name.strip_prefix("library/").unwrap_or(name);
    if is_pinned(name) { name.to_owned() } else { format!("{name}:latest") }
}

/// Whether an image's name ends in a tag or a digest. A colon before the last slash is that of a port.
pub(crate) fn is_pinned(image: &str) -> bool {
    image.contains('@') || image.rsplit('/').next().unwrap_or_default().contains(':')
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use super::*;
    use crate::contender::Ready;

    /// Processes with these names and commands.
    pub(crate) fn services(all: &[(&str, &str)]) -> Vec<Service> {
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

    /// Containers with these names, of these images and builds.
    fn containers(all: &[(&str, Option<&str>, &str)]) -> Vec<Service> {
        let mut services = services(&all.iter().map(|(name, ..)| (*name, "run")).collect::<Vec<_>>());
        for (service, (_, image, build)) in services.iter_mut().zip(all) {
            let (image, build_sha256) = (image.map(str::to_owned), (*build).to_owned());
            let is_built = !build.is_empty();
            service.container = Some(Container { image, is_built, build_sha256, ..Container::default() });
        }
        services
    }

    #[test]
    fn containers_of_one_image_or_one_build_are_instances_whatever_their_names() {
        let all = containers(&[
            ("db", Some("postgres:16"), ""),
            ("blue", Some("me/api:1"), ""),
            ("left", None, "b1"),
            ("green", Some("docker.io/me/api:1"), ""),
            ("right", None, "b1"),
            ("worker", None, "b2"),
            ("api1", Some("me/other"), ""),
            ("api2", Some("me/another"), ""),
            ("cache", Some("redis"), ""),
            ("sessions", Some("docker.io/library/redis:latest"), ""),
        ]);
        assert_eq!(names(groups(&all)), [["blue", "green"], ["left", "right"], ["cache", "sessions"]]);
    }

    #[test]
    fn what_is_built_and_named_is_one_thing_with_what_uses_the_name() {
        let all = containers(&[("one", Some("api"), "b1"), ("two", Some("api"), ""), ("three", None, "b1")]);
        assert_eq!(names(groups(&all)), [["one", "two", "three"]]);
    }

    #[test]
    fn a_worker_of_the_same_image_is_no_instance_where_others_share_their_command() {
        let mut all =
            containers(&[("a", Some("api"), ""), ("worker", Some("api"), ""), ("b", Some("api"), "")]);
        all[1].command = vec!["work".to_owned()];
        assert_eq!(names(groups(&all)), [["a", "b"]]);
        let mut colours = containers(&[("blue", Some("api"), ""), ("green", Some("api"), "")]);
        colours[1].command = vec!["--green".to_owned()];
        assert_eq!(names(groups(&colours)), [["blue", "green"]]);
    }

    #[test]
    fn processes_have_names_or_commands_that_are_the_same_but_for_digits() {
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
    fn copies_of_a_service_are_instances() {
        let of = |image: &str| {
            Origin::of_container(&Container { image: Some(image.to_owned()), ..Container::default() })
        };
        let most = |all: &[(&str, u64)]| {
            let all: Vec<_> = all.iter().map(|(image, copies)| (of(image), *copies)).collect();
            most_alike(all.iter().map(|(origin, copies)| (origin, *copies)))
        };
        assert_eq!(most(&[("a", 2), ("b", 1)]), 2);
        assert_eq!(most(&[("a", 2), ("b", 1), ("a", 3)]), 5);
        assert_eq!(most(&[("a", 0)]), 0);
        assert_eq!(most(&[]), 0);
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
