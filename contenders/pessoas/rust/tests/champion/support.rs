//! Starting and ending the whole, and what is measured against it.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::http::request;
use crate::postgres::Postgres;
pub(crate) use balancer::Balancer;
pub(crate) use instance::Instance;

mod balancer;
pub(crate) mod client;
mod instance;
pub(crate) mod load;
mod questions;

/// How long anything may take that is meant to come: an answer to an honest client, a start, a recovery. Generous,
/// since tests share a machine.
pub(crate) const BOUND: Duration = Duration::from_secs(5);

/// Everything that answers, and where it keeps its files. Dropped from the front to the back.
pub(crate) struct Champion {
    pub(crate) balancer: Balancer,
    pub(crate) instances: [Instance; 2],
    pub(crate) postgres: Postgres,
    _folder: TempDir,
}

impl Champion {
    /// Starts it empty.
    pub(crate) fn start() -> Self {
        let nginx = needs::program("nginx", "nginx");
        let postgres = Postgres::start();
        let folder = tempfile::tempdir().unwrap();
        let user = needs::user_of_postgres(folder.path());
        // Sockets are for users other than the one who makes them.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let instances = [1, 2]
            .map(|number| Instance::start(folder.path().join(format!("api{number}.sock")), postgres.url()));
        let balancer = Balancer::start(&nginx, folder.path(), user);
        let champion = Self { balancer, instances, postgres, _folder: folder };
        champion.wait_until_it_answers();
        champion
    }

    /// Waits until the balancer gets a count from each of its instances.
    pub(crate) fn wait_until_it_answers(&self) {
        until("the champion answers", || {
            let count = || request(self.balancer.address, "GET", "/contagem-pessoas", b"");
            // Round robin: two in a row are one of each.
            (0..2).all(|_| count().is_ok_and(|answer| answer.status == 200))
        });
    }

    /// The ways in that clients may misuse, with the names that a failure tells.
    pub(crate) fn doors(&self) -> [(&'static str, SocketAddr); 2] {
        [("balancer", self.balancer.address), ("instance", self.instances[0].address)]
    }

    pub(crate) fn count(&self) -> u64 {
        let answer = request(self.balancer.address, "GET", "/contagem-pessoas", b"").unwrap();
        answer.text().parse().unwrap_or_else(|_| panic!("count: {} `{}`", answer.status, answer.text()))
    }
}

/// Asks again and again until it is so.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let patience = Instant::now() + 2 * BOUND;
    while !is_so() {
        assert!(Instant::now() < patience, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
