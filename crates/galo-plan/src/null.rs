//! The ceiling of a contender: the same balancer and limits, and null servers where its instances are.
//!
//! What a null server gives behind the contender's own balancer is what network, balancer and machine leave at most.

use std::net::SocketAddr;
use std::path::Path;

use crate::contender::{Contender, Ready, Runner, Service};
use crate::error::PlanError;
use crate::instances::largest;

/// The word by which galo's own program is a null server.
pub const COMMAND: &str = "__null";

impl Contender {
    /// The same with null servers in the place of its instances, and without what only those need. `program` is galo's own, `port` the one
    /// at which the challenge asks a contender.
    ///
    /// # Errors
    /// It runs in containers, or nobody can see where its instances listen.
    pub fn with_null_servers(&self, program: &Path, port: u16) -> Result<Self, PlanError> {
        let Self { name, .. } = self;
        let refused =
            |why: &str| Err(PlanError::Invalid(format!("no ceiling for contender `{name}`: {why}")));
        if self.runner != Runner::Process || self.runs_already() {
            let hint = "hint: its null servers are processes; name a contender that can run as processes, or leave --ceiling out";
            return refused(&format!("galo does not start it as processes\n{hint}"));
        }
        let front =
            || self.services.iter().rev().find(|service| service.is_at(port)).or(self.services.last());
        let instances = match &largest(&self.services)[..] {
            [] => front().into_iter().collect(),
            many => many.to_vec(),
        };
        let is_instance = |name: &str| instances.iter().any(|one| one.name == name);
        let mut services: Vec<Service> = Vec::new();
        for service in &self.services {
            let kept: Vec<String> = service
                .depends_on
                .iter()
                .filter(|name| services.iter().any(|kept| kept.name == **name))
                .cloned()
                .collect();
            if is_instance(&service.name) {
                let place = service.ready.place().or_else(|| (instances.len() == 1).then(|| here(port)));
                let Some(place) = place.and_then(|place| address(&place)) else {
                    let hint = "hint: say where it listens, e.g. `x-galo: { ready: http://127.0.0.1:8081/ }`";
                    return refused(&format!(
                        "its file does not say where service `{}` listens\n{hint}",
                        service.name
                    ));
                };
                if let Some(other) =
                    services.iter().find(|other| other.ready == Ready::Tcp(place.to_string()))
                {
                    let two = format!(
                        "services `{}` and `{}` listen at one place, {place}",
                        other.name, service.name
                    );
                    return refused(&format!("{two}\nhint: give each an address of its own under `ready`"));
                }
                services.push(service.null_server(program, place));
            } else if !kept.is_empty() || service.is_at(port) {
                services.push(Service { depends_on: kept, ..service.clone() });
            }
        }
        let asks = |service: &Service| service.is_at(port) || !is_instance(&service.name);
        if !services.iter().any(asks) {
            let hint = format!(
                "hint: name its instances in the balancer's `depends_on`, or say `ready: http://127.0.0.1:{port}/`"
            );
            return refused(&format!("its file does not say which service is at port {port}\n{hint}"));
        }
        Ok(Self {
            name: format!("{name} (null servers)"),
            title: format!("a null server in the place of {}", self.title),
            language: None,
            services,
            null_of: Some(name.clone()),
            ..self.clone()
        })
    }
}

impl Service {
    fn is_at(&self, port: u16) -> bool {
        self.ready.place().is_some_and(|(_, own)| own == port)
    }

    /// A null server at this place, within this service's limits.
    fn null_server(&self, program: &Path, place: SocketAddr) -> Self {
        Self {
            build: None,
            setup: None,
            command: vec![program.display().to_string(), COMMAND.to_owned(), place.to_string()],
            environment: Default::default(),
            ready: Ready::Tcp(place.to_string()),
            depends_on: Vec::new(),
            volumes: Vec::new(),
            stop: None,
            ..self.clone()
        }
    }
}

/// A place as an address. `localhost` is one, whatever a resolver says.
fn address((host, port): &(String, u16)) -> Option<SocketAddr> {
    let host = if host == "localhost" { "127.0.0.1" } else { host };
    Some(SocketAddr::new(host.trim_matches(['[', ']']).parse().ok()?, *port))
}

/// Where the challenge asks.
fn here(port: u16) -> (String, u16) {
    ("127.0.0.1".to_owned(), port)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instances::tests::services;

    /// A contender of processes: name, command, where it is ready, what it waits for.
    fn contender(all: &[(&str, &str, Option<&str>, &[&str])]) -> Contender {
        let mut services =
            services(&all.iter().map(|(name, command, ..)| (*name, *command)).collect::<Vec<_>>());
        for (service, (_, _, ready, waits_for)) in services.iter_mut().zip(all) {
            service.ready = ready.map_or(Ready::Started, |url| Ready::Http(url.to_owned()));
            service.depends_on = waits_for.iter().map(|name| (*name).to_owned()).collect();
            service.volumes = vec!["data".to_owned()];
        }
        let there = SocketAddr::from(([127, 0, 0, 1], 1));
        Contender { name: "mine".to_owned(), services, ..Contender::at_address(there, "fake") }
    }

    fn commands(contender: &Contender) -> Vec<String> {
        contender
            .services
            .iter()
            .map(|service| format!("{}: {}", service.name, service.command.join(" ")))
            .collect()
    }

    #[test]
    fn null_servers_listen_where_instances_did_and_only_who_asks_those_stays() {
        let mine = contender(&[
            ("db", "sh db", None, &[]),
            ("api1", "app 1", Some("http://127.0.0.1:8081/"), &["db"]),
            ("api2", "app 2", Some("http://127.0.0.1:8082/"), &["db"]),
            ("balancer", "nginx", Some("http://127.0.0.1:9999/"), &["api1", "api2"]),
        ]);
        let null = mine.with_null_servers(Path::new("/bin/galo"), 9999).unwrap();
        assert_eq!(
            commands(&null),
            [
                "api1: /bin/galo __null 127.0.0.1:8081",
                "api2: /bin/galo __null 127.0.0.1:8082",
                "balancer: nginx"
            ]
        );
        assert_eq!((null.name.as_str(), null.null_of.as_deref()), ("mine (null servers)", Some("mine")));
        assert!(!null.is_same(&mine));
        let [api1, _, balancer] = &null.services[..] else { panic!("{null:?}") };
        assert_eq!((&api1.depends_on, &api1.volumes), (&Vec::new(), &Vec::new()), "the database is gone");
        assert_eq!((api1.cpus_milli, api1.memory_bytes), (100, 1 << 20), "its limits are the instance's");
        assert_eq!(balancer.depends_on, ["api1", "api2"]);
    }

    #[test]
    fn without_instances_whoever_is_at_the_port_is_replaced() {
        let mine = contender(&[
            ("db", "sh db", None, &[]),
            ("api", "app", Some("http://127.0.0.1:9999/"), &["db"]),
            ("cron", "job", None, &["db"]),
        ]);
        let null = mine.with_null_servers(Path::new("galo"), 9999).unwrap();
        assert_eq!(commands(&null), ["api: galo __null 127.0.0.1:9999"]);
        let silent = contender(&[("db", "sh db", None, &[]), ("api", "app", None, &["db"])]);
        let null = silent.with_null_servers(Path::new("galo"), 9999).unwrap();
        assert_eq!(commands(&null), ["api: galo __null 127.0.0.1:9999"], "the last one is");
    }

    #[test]
    fn what_has_no_ceiling_is_told() {
        let told = |contender: &Contender| {
            contender.with_null_servers(Path::new("galo"), 9999).unwrap_err().to_string()
        };
        let at = |name: &'static str, ready| {
            (name, if name == "lb" { "nginx" } else { "app" }, Some(ready), &[][..])
        };
        let apart = contender(&[
            at("api1", "http://localhost:8081/"),
            at("api2", "http://[::1]:8082/"),
            at("lb", "http://127.0.0.1:9999/"),
        ]);
        let apart = apart.with_null_servers(Path::new("galo"), 9999).unwrap();
        assert_eq!(
            commands(&apart),
            ["api1: galo __null 127.0.0.1:8081", "api2: galo __null [::1]:8082", "lb: nginx"]
        );
        let one_place =
            contender(&[at("api1", "http://localhost:8081/"), at("api2", "http://127.0.0.1:8081/")]);
        insta::assert_snapshot!(told(&one_place), @r"
        no ceiling for contender `mine`: services `api1` and `api2` listen at one place, 127.0.0.1:8081
        hint: give each an address of its own under `ready`
        ");
        let nobody = contender(&[at("api1", "http://localhost:8081/"), at("api2", "http://localhost:8082/")]);
        insta::assert_snapshot!(told(&nobody), @r"
        no ceiling for contender `mine`: its file does not say which service is at port 9999
        hint: name its instances in the balancer's `depends_on`, or say `ready: http://127.0.0.1:9999/`
        ");
        let silent = contender(&[("api1", "app 1", None, &[]), ("api2", "app 2", None, &[])]);
        insta::assert_snapshot!(told(&silent), @r"
        no ceiling for contender `mine`: its file does not say where service `api1` listens
        hint: say where it listens, e.g. `x-galo: { ready: http://127.0.0.1:8081/ }`
        ");
        insta::assert_snapshot!(told(&Contender { runner: Runner::Docker, ..silent }), @r"
        no ceiling for contender `mine`: galo does not start it as processes
        hint: its null servers are processes; name a contender that can run as processes, or leave --ceiling out
        ");
    }
}
