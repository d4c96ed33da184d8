//! Which services of a contender are instances of one.

use std::net::SocketAddr;

use galo_plan::contender::Ready;
use galo_plan::{Contender, Service};

use crate::check::resolve;

/// The largest group of services, two at least, that run one program from one folder and depend on the same others.
/// A database and its replica would be such a group as well, but what is in front of them has more.
pub(crate) fn of(contender: &Contender) -> Vec<&Service> {
    let alike = |a: &Service, b: &Service| {
        a.command.first() == b.command.first() && a.workdir == b.workdir && a.depends_on == b.depends_on
    };
    let groups = contender
        .services
        .iter()
        .map(|one| contender.services.iter().filter(|other| alike(one, other)).collect::<Vec<_>>());
    groups.filter(|group| group.len() > 1).max_by_key(Vec::len).unwrap_or_default()
}

/// Where a service listens by itself, as its readiness tells.
pub(crate) fn address(service: &Service) -> Option<SocketAddr> {
    let authority = match &service.ready {
        Ready::Http(url) => url.strip_prefix("http://")?.split(['/', '?', '#']).next()?,
        Ready::Tcp(address) => address,
        Ready::Started | Ready::Command { .. } => return None,
    };
    resolve(authority).ok()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use super::*;

    fn service(name: &str, program: &str, depends_on: &[&str]) -> Service {
        Service {
            name: name.to_owned(),
            build: None,
            setup: None,
            command: vec![program.to_owned(), name.to_owned()],
            environment: BTreeMap::new(),
            workdir: PathBuf::from("/"),
            user: None,
            ready: Ready::Http("http://127.0.0.1:8081/count?x".to_owned()),
            ready_timeout_ns: 1,
            depends_on: depends_on.iter().map(|name| (*name).to_owned()).collect(),
            cpus_milli: 100,
            memory_bytes: 1 << 20,
            cpuset: Vec::new(),
            ulimits: BTreeMap::new(),
            volumes: Vec::new(),
            stop: None,
        }
    }

    fn names(services: Vec<Service>) -> Vec<String> {
        let mut contender = Contender::at_address(SocketAddr::from(([127, 0, 0, 1], 1)), "x");
        contender.services = services;
        of(&contender).iter().map(|service| service.name.clone()).collect()
    }

    #[test]
    fn two_services_of_one_program_are_instances_and_a_shell_for_everything_is_not() {
        let lone = [service("db", "sh", &[]), service("api", "sh", &["db"])];
        assert_eq!(names(lone.to_vec()), Vec::<String>::new());
        let mut all = lone.to_vec();
        all.extend([service("api2", "sh", &["db"]), service("balancer", "sh", &["api", "api2"])]);
        assert_eq!(names(all), ["api", "api2"]);
    }

    #[test]
    fn an_instance_listens_where_its_readiness_is_asked() {
        let mut service = service("api", "sh", &[]);
        assert_eq!(address(&service), Some(SocketAddr::from(([127, 0, 0, 1], 8081))));
        service.ready = Ready::Tcp("127.0.0.1:5432".to_owned());
        assert_eq!(address(&service), Some(SocketAddr::from(([127, 0, 0, 1], 5432))));
        service.ready = Ready::Started;
        assert_eq!(address(&service), None);
    }
}
