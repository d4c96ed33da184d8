//! Where instances are asked one by one.

use std::net::SocketAddr;

use galo_plan::Service;
use galo_record::ServicePlacement;

use galo_host::contact;

/// Where a service listens by itself: as it was placed, or as its readiness tells.
pub(crate) fn address(service: &Service, placed: &[ServicePlacement]) -> Option<SocketAddr> {
    if let Some(listens) = placed.iter().find(|placed| placed.name == service.name).and_then(|p| p.listens) {
        return Some(listens);
    }
    let (host, port) = service.ready.place()?;
    contact(&host, port).ok().map(|contact| contact.address)
}

#[cfg(test)]
mod tests {
    use galo_plan::contender::Ready;

    use super::*;
    use crate::schedule::testing;

    #[test]
    fn an_instance_listens_where_its_readiness_is_asked() {
        let ready = Ready::Http("http://127.0.0.1:8081/count?x".to_owned());
        let mut service = Service { ready, ..testing::service("api") };
        assert_eq!(address(&service, &[]), Some(SocketAddr::from(([127, 0, 0, 1], 8081))));
        service.ready = Ready::Tcp("127.0.0.1:5432".to_owned());
        assert_eq!(address(&service, &[]), Some(SocketAddr::from(([127, 0, 0, 1], 5432))));
        service.ready = Ready::Started;
        assert_eq!(address(&service, &[]), None);
        let mut placed = testing::placed("api");
        placed.listens = Some(SocketAddr::from(([172, 18, 0, 3], 80)));
        assert_eq!(address(&service, &[placed]), Some(SocketAddr::from(([172, 18, 0, 3], 80))));
    }
}
