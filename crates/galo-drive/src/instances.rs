//! Where instances are asked one by one.

use std::net::SocketAddr;

use galo_plan::Service;
use galo_plan::contender::Ready;

use crate::resolve::resolve;

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

    fn service(name: &str, program: &str) -> Service {
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
            depends_on: Vec::new(),
            cpus_milli: 100,
            memory_bytes: 1 << 20,
            pids_max: None,
            cpuset: Vec::new(),
            ulimits: BTreeMap::new(),
            volumes: Vec::new(),
            stop: None,
        }
    }

    #[test]
    fn an_instance_listens_where_its_readiness_is_asked() {
        let mut service = service("api", "sh");
        assert_eq!(address(&service), Some(SocketAddr::from(([127, 0, 0, 1], 8081))));
        service.ready = Ready::Tcp("127.0.0.1:5432".to_owned());
        assert_eq!(address(&service), Some(SocketAddr::from(([127, 0, 0, 1], 5432))));
        service.ready = Ready::Started;
        assert_eq!(address(&service), None);
    }
}
