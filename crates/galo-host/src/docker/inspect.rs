//! What the engine says of containers (`docker inspect`), as far as it is of use.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::engine::{Engine, SOON};
use crate::error::HostError;
use crate::project::SERVICE_LABEL;

/// A container as the engine sees it now.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Seen {
    pub(super) id: String,
    /// The engine's id of its image.
    #[serde(default)]
    pub(super) image: String,
    pub(super) state: State,
    config: Config,
    host_config: HostConfig,
    network_settings: NetworkSettings,
    #[serde(default)]
    mounts: Vec<Mount>,
    #[serde(default)]
    graph_driver: GraphDriver,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct State {
    pub(super) running: bool,
    #[serde(default)]
    restarting: bool,
    /// Of its first process; 0: none runs.
    pub(super) pid: u32,
    pub(super) exit_code: i32,
    #[serde(default, rename = "OOMKilled")]
    pub(super) oom_killed: bool,
    /// When it last ended, as the engine writes it.
    #[serde(default)]
    pub(super) finished_at: String,
    /// Why the engine could not start it.
    #[serde(default)]
    pub(super) error: String,
    #[serde(default)]
    health: Option<Health>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Health {
    status: String,
    #[serde(default)]
    log: Option<Vec<HealthLog>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HealthLog {
    exit_code: i32,
    #[serde(default)]
    output: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Config {
    #[serde(default)]
    env: Option<Vec<String>>,
    #[serde(default)]
    labels: Option<BTreeMap<String, String>>,
    /// In seconds.
    #[serde(default)]
    stop_timeout: Option<u64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HostConfig {
    #[serde(default)]
    restart_policy: RestartPolicy,
    #[serde(default)]
    network_mode: String,
    /// `NAME:TARGET:OPTIONS`, or a path in place of the name.
    #[serde(default)]
    binds: Option<Vec<String>>,
    #[serde(default)]
    mounts: Option<Vec<AskedMount>>,
}

/// A mount that was asked for in the longer way.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct AskedMount {
    #[serde(default)]
    source: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RestartPolicy {
    #[serde(default)]
    name: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct NetworkSettings {
    #[serde(default)]
    networks: Option<BTreeMap<String, Network>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Network {
    #[serde(default, rename = "IPAddress")]
    ip_address: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Mount {
    #[serde(rename = "Type")]
    kind: String,
    /// A volume's name.
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    source: PathBuf,
    /// Its place in the container.
    #[serde(default)]
    pub(super) destination: String,
    #[serde(default, rename = "RW")]
    pub(super) is_writable: bool,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GraphDriver {
    #[serde(default)]
    data: Option<BTreeMap<String, String>>,
}

/// How a container's health is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fitness {
    /// It has no health check, or is healthy.
    Fit,
    /// Not healthy yet, or no longer: the last answer of its check.
    Unfit(String),
}

/// Looks at these containers, all at once.
///
/// # Errors
/// The engine does not answer, or knows one of them no longer.
pub(super) fn inspect<'a>(
    engine: &Engine,
    ids: impl Iterator<Item = &'a str>,
) -> Result<Vec<Seen>, HostError> {
    let words: Vec<&str> = ["inspect", "--type", "container"].into_iter().chain(ids).collect();
    let text = engine.ask(&words, SOON)?;
    serde_json::from_str(&text).map_err(|error| {
        HostError::host(format!(
            "cannot understand what the container engine says: {error}\nhint: docker version; galo knows engines from 20.10"
        ))
    })
}

/// Digests of images by the engine's ids: where a registry gave it `NAME@sha256:...`, else the id.
///
/// # Errors
/// The engine does not answer.
pub(super) fn digests<'a>(
    engine: &Engine,
    ids: impl Iterator<Item = &'a str>,
) -> Result<BTreeMap<String, String>, HostError> {
    let format = "{{.Id}} {{if .RepoDigests}}{{index .RepoDigests 0}}{{else}}{{.Id}}{{end}}";
    let words: Vec<&str> = ["image", "inspect", "--format", format].into_iter().chain(ids).collect();
    // An image may be removed while its container runs.
    let told = engine.attempt(&words, SOON)?.unwrap_or_default();
    let digests = told.lines().filter_map(|line| line.split_once(' '));
    Ok(digests.map(|(id, digest)| (id.to_owned(), digest.to_owned())).collect())
}

impl Seen {
    /// The service that it is of, by Compose's label.
    pub(super) fn service(&self) -> &str {
        let labels = self.config.labels.as_ref();
        labels.and_then(|labels| labels.get(SERVICE_LABEL)).map_or("", String::as_str)
    }

    /// Whether it runs, or is about to again by its restart policy.
    pub(super) fn lives(&self) -> bool {
        self.state.running || self.state.restarting
    }

    /// Whether the engine starts it again by itself.
    pub(super) fn is_started_again(&self) -> bool {
        !["", "no"].contains(&self.host_config.restart_policy.name.as_str())
    }

    /// How long it has to end once it is asked, in nanoseconds; as the engine has it where nobody says.
    pub(super) fn grace_ns(&self) -> u64 {
        self.config.stop_timeout.unwrap_or(10) * 1_000_000_000
    }

    /// Where it is reached from this machine: loopback, where it has the machine's own network.
    pub(super) fn address(&self) -> Option<IpAddr> {
        if self.host_config.network_mode == "host" {
            return Some(IpAddr::from([127, 0, 0, 1]));
        }
        let networks = self.network_settings.networks.iter().flat_map(BTreeMap::values);
        networks.filter_map(|network| network.ip_address.parse().ok()).next()
    }

    /// A variable of its environment, those of its image included.
    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        let all = self.config.env.iter().flatten();
        all.filter_map(|line| line.split_once('=')).find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// How its health check finds it.
    pub(super) fn fitness(&self) -> Fitness {
        if self.state.pid == 0 {
            return Fitness::Unfit(format!(
                "it is being started again: exit status {}",
                self.state.exit_code
            ));
        }
        let Some(health) = &self.state.health else { return Fitness::Fit };
        if ["healthy", "none", ""].contains(&health.status.as_str()) {
            return Fitness::Fit;
        }
        let last = health.log.iter().flatten().next_back();
        let said = last.map(|log| {
            let line = log.output.lines().next_back().unwrap_or_default();
            format!("exit status {}: {line}", log.exit_code).trim_end_matches([':', ' ']).to_owned()
        });
        Fitness::Unfit(said.unwrap_or_else(|| health.status.clone()))
    }

    /// The folders of the machine in which it keeps what it writes: its volumes, and what it wrote beside its image.
    pub(super) fn kept_in(&self) -> Vec<PathBuf> {
        let volumes = self.volumes().map(|mount| mount.source.clone());
        let data = self.graph_driver.data.as_ref();
        volumes.chain(data.and_then(|data| data.get("UpperDir")).map(PathBuf::from)).collect()
    }

    /// Its volumes.
    pub(super) fn volumes(&self) -> impl Iterator<Item = &Mount> {
        self.mounts.iter().filter(|mount| mount.kind == "volume")
    }

    /// Names of the volumes, and paths, that it was made with. A volume that is not among them is anonymous, or another
    /// container's.
    pub(super) fn named(&self) -> impl Iterator<Item = &str> {
        let binds = self.host_config.binds.iter().flatten();
        let binds = binds.filter_map(|bind| bind.split_once(':')).map(|(name, _)| name);
        binds.chain(self.host_config.mounts.iter().flatten().map(|mount| mount.source.as_str()))
    }

    /// PostgreSQL's socket in it, as this machine sees its folder, and the number of its port; `None`: it has none.
    pub(super) fn postgres(&self) -> Option<(PathBuf, u16)> {
        let root = Path::new("/proc").join(self.state.pid.to_string()).join("root");
        [&["run", "postgresql"][..], &["tmp"]].into_iter().find_map(|folders| socket_below(&root, folders))
    }
}

/// The socket of a PostgreSQL in a folder below a container's root. A link of the container's making would be followed on this
/// machine, and lead to somebody else's.
fn socket_below(root: &Path, folders: &[&str]) -> Option<(PathBuf, u16)> {
    let mut folder = root.to_owned();
    for name in folders {
        folder.push(name);
        folder.symlink_metadata().ok().filter(std::fs::Metadata::is_dir)?;
    }
    let names = std::fs::read_dir(&folder).ok()?.flatten();
    let port = |name: &std::ffi::OsStr| name.to_str()?.strip_prefix(".s.PGSQL.")?.parse().ok();
    let found = names.filter_map(|entry| {
        let is_socket = entry.file_type().is_ok_and(|kind| kind.is_socket());
        is_socket.then(|| port(&entry.file_name()))?
    });
    found.min().map(|port| (folder, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Docker 20.10 writes it, shortened.
    const RECORDED: &str = r#"[{
        "Id": "ab", "Name": "/p_api_1",
        "State": {"Status": "running", "Running": true, "Paused": false, "Restarting": false, "OOMKilled": false,
            "Dead": false, "Pid": 7, "ExitCode": 0, "Error": "", "StartedAt": "x",
            "Health": {"Status": "starting", "FailingStreak": 1,
                "Log": [{"Start": "x", "End": "y", "ExitCode": 2, "Output": "a\nno response\n"}]}},
        "Config": {"Env": ["PATH=/bin", "POSTGRES_USER=me=you"], "Labels": {"com.docker.compose.service": "api"},
            "StopTimeout": 3},
        "HostConfig": {"NetworkMode": "p_default", "RestartPolicy": {"Name": "on-failure", "MaximumRetryCount": 5},
            "Binds": ["v:/data:rw", "/x:/y:rw"], "Mounts": [{"Type": "volume", "Source": "w", "Target": "/w"}]},
        "NetworkSettings": {"Networks": {"p_default": {"IPAddress": "172.18.0.3"}}},
        "Mounts": [{"Type": "volume", "Name": "v", "Source": "/v/_data", "Destination": "/data", "RW": true},
            {"Type": "bind", "Source": "/x", "Destination": "/y", "RW": true}],
        "GraphDriver": {"Name": "overlay2", "Data": {"UpperDir": "/o/diff", "LowerDir": "/l"}}
    }]"#;

    fn seen() -> Seen {
        serde_json::from_str::<Vec<Seen>>(RECORDED).unwrap().remove(0)
    }

    #[test]
    fn what_an_engine_writes_is_understood() {
        let seen = seen();
        assert_eq!((seen.service(), seen.is_started_again()), ("api", true));
        assert_eq!(seen.named().collect::<Vec<_>>(), ["v", "/x", "w"]);
        assert_eq!(seen.address(), Some("172.18.0.3".parse().unwrap()));
        assert_eq!((seen.variable("POSTGRES_USER"), seen.variable("X")), (Some("me=you"), None));
        assert_eq!(seen.fitness(), Fitness::Unfit("exit status 2: no response".to_owned()));
        assert_eq!(seen.kept_in(), [PathBuf::from("/v/_data"), PathBuf::from("/o/diff")]);
        assert_eq!(seen.grace_ns(), 3_000_000_000);
        assert!(seen.lives());
    }

    #[test]
    fn a_link_in_a_container_leads_to_nobodys_database() {
        let root = tempfile::tempdir().unwrap();
        let (inside, outside) = (root.path().join("c"), root.path().join("m"));
        std::fs::create_dir_all(inside.join("run/postgresql")).unwrap();
        std::fs::create_dir_all(outside.join("postgresql")).unwrap();
        let _socket =
            std::os::unix::net::UnixListener::bind(inside.join("run/postgresql/.s.PGSQL.15433")).unwrap();
        let _other =
            std::os::unix::net::UnixListener::bind(outside.join("postgresql/.s.PGSQL.5432")).unwrap();
        let folders = ["run", "postgresql"];
        assert_eq!(socket_below(&inside, &folders), Some((inside.join("run/postgresql"), 15433)));
        std::fs::rename(inside.join("run"), inside.join("old")).unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("run")).unwrap();
        assert_eq!(socket_below(&inside, &folders), None);
    }

    #[test]
    fn the_machines_own_network_is_loopback_and_no_network_no_address() {
        let mut seen = seen();
        seen.host_config.network_mode = "host".to_owned();
        assert_eq!(seen.address(), Some("127.0.0.1".parse().unwrap()));
        seen.host_config.network_mode = "none".to_owned();
        seen.network_settings.networks =
            Some(BTreeMap::from([("none".to_owned(), Network { ip_address: String::new() })]));
        assert_eq!(seen.address(), None);
    }
}
