//! What a container engine offers here. Nothing is started: a contest's own folders need one, galo's contenders do not.

use serde::Deserialize;

use crate::doctor::Check;
use crate::engine::{Compose, Engine, INSTALL, SOON};
use crate::error::HostError;
use crate::system::System;

/// Of `docker info`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Info {
    #[serde(default)]
    server_version: String,
    #[serde(default)]
    driver: String,
    #[serde(default)]
    cgroup_driver: String,
    #[serde(default)]
    cgroup_version: String,
    #[serde(default)]
    memory_limit: bool,
    #[serde(default, rename = "CpuCfsQuota")]
    cpu_quota: bool,
    #[serde(default)]
    plugins: Plugins,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Plugins {
    #[serde(default)]
    network: Vec<String>,
}

pub(super) fn checks(system: &System) -> Vec<Check> {
    let engine = Engine::of_environment();
    let info = match engine.ask(&["info", "--format", "{{json .}}"], SOON) {
        Ok(text) => serde_json::from_str::<Info>(&text).unwrap_or_else(|_| Info::unknown()),
        Err(error) => return vec![told("containers", &error)],
    };
    if info.server_version.is_empty() {
        // The client answers for itself also where nobody else does.
        let error = engine.version().err();
        return vec![error.map_or_else(
            || Check::good("containers", "an engine of unknown version"),
            |e| told("containers", &e),
        )];
    }
    let mut checks = info.checks(system);
    checks.push(compose(engine.compose()));
    checks
}

impl Info {
    fn unknown() -> Self {
        Self {
            server_version: "of unknown version".to_owned(),
            driver: "unknown".to_owned(),
            cgroup_driver: "unknown".to_owned(),
            cgroup_version: "?".to_owned(),
            memory_limit: false,
            cpu_quota: false,
            plugins: Plugins::default(),
        }
    }

    fn checks(&self, system: &System) -> Vec<Check> {
        let found = format!("Docker {}, images on {}", self.server_version, self.driver);
        let mut checks = vec![Check::good("containers", found)];
        let groups = format!("control groups version {} by {}", self.cgroup_version, self.cgroup_driver);
        checks.push(match (self.cpu_quota, self.memory_limit) {
            (true, true) => Check::good("their limits", groups),
            (cpu, _) => {
                let what = if cpu { "memory" } else { "CPU" };
                let mend = "boot Linux with cgroup_enable=memory, and a kernel with CONFIG_CFS_BANDWIDTH";
                Check::lacking("their limits", format!("{groups}: {what} cannot be limited"), mend)
            }
        });
        let forwards = system.setting("net/ipv4/ip_forward").as_deref() == Some("1");
        checks.push(match (self.plugins.network.iter().any(|name| name == "bridge"), forwards) {
            (true, true) => Check::good("their networks", "bridges, with forwarding"),
            (true, false) => Check::lacking(
                "their networks",
                "no forwarding between them",
                "sysctl -w net.ipv4.ip_forward=1",
            ),
            (false, _) => Check::lacking(
                "their networks",
                "no bridges",
                "apt-get install iptables  (then start dockerd again)",
            ),
        });
        checks
    }
}

fn compose(found: Result<Compose, HostError>) -> Check {
    match found {
        Ok(compose) => Check::good("Compose", compose.version),
        Err(_) => Check::lacking("Compose", "there is none", "apt-get install docker-compose"),
    }
}

/// Lacking, not broken: without containers galo still does its main job.
fn told(name: &str, error: &HostError) -> Check {
    let (found, mend) = error.message.split_once("\nhint: ").unwrap_or((&error.message, INSTALL));
    let found = found.lines().next().unwrap_or_default();
    Check::lacking(name, format!("{found} (only a contest's own folders need it)"), mend)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::CheckState;

    #[test]
    fn what_an_engine_says_of_itself_is_told() {
        let text = r#"{"ServerVersion": "20.10.24+dfsg1", "Driver": "overlay2", "CgroupDriver": "cgroupfs", "CgroupVersion": "1",
            "MemoryLimit": true, "CpuCfsQuota": false, "Plugins": {"Network": ["bridge", "host"]}, "Other": 1}"#;
        let info: Info = serde_json::from_str(text).unwrap();
        let root = tempfile::tempdir().unwrap();
        let checks = info.checks(&System::at(root.path()));
        let told: Vec<_> = checks.iter().map(|check| (check.state, check.found.as_str())).collect();
        assert_eq!(
            told,
            [
                (CheckState::Good, "Docker 20.10.24+dfsg1, images on overlay2"),
                (CheckState::Lacking, "control groups version 1 by cgroupfs: CPU cannot be limited"),
                (CheckState::Lacking, "no forwarding between them"),
            ]
        );
    }

    #[test]
    fn no_engine_is_a_lack_that_most_can_live_with() {
        let error = HostError::host("`docker` is not installed\nhint: apt-get install docker.io");
        let check = told("containers", &error);
        assert_eq!(check.found, "`docker` is not installed (only a contest's own folders need it)");
        assert_eq!(
            (check.state, check.mend.as_deref()),
            (CheckState::Lacking, Some("apt-get install docker.io"))
        );
    }
}
