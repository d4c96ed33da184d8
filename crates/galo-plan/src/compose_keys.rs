//! The keys that Compose knows (compose-spec, `schema/compose-spec.json`), and galo's own.

use crate::suggest;

/// At the top.
pub(crate) const TOP: &[&str] =
    &["configs", "include", "models", "name", "networks", "secrets", "services", "version", "volumes"];

/// In a service. Those that nothing here reads have no meaning where services are plain processes on loopback.
pub(crate) const SERVICE: &[&str] = &[
    "annotations",
    "attach",
    "blkio_config",
    "build",
    "cap_add",
    "cap_drop",
    "cgroup",
    "cgroup_parent",
    "command",
    "configs",
    "container_name",
    "cpu_count",
    "cpu_percent",
    "cpu_period",
    "cpu_quota",
    "cpu_rt_period",
    "cpu_rt_runtime",
    "cpu_shares",
    "cpus",
    "cpuset",
    "credential_spec",
    "depends_on",
    "deploy",
    "develop",
    "device_cgroup_rules",
    "devices",
    "dns",
    "dns_opt",
    "dns_search",
    "domainname",
    "driver_opts",
    "entrypoint",
    "env_file",
    "environment",
    "expose",
    "extends",
    "external_links",
    "extra_hosts",
    "gpus",
    "group_add",
    "healthcheck",
    "hostname",
    "image",
    "init",
    "ipc",
    "isolation",
    "label_file",
    "labels",
    "links",
    "logging",
    "mac_address",
    "mem_limit",
    "mem_reservation",
    "mem_swappiness",
    "memswap_limit",
    "models",
    "network_mode",
    "networks",
    "oom_kill_disable",
    "oom_score_adj",
    "pid",
    "pids_limit",
    "platform",
    "ports",
    "post_start",
    "pre_stop",
    "privileged",
    "profiles",
    "provider",
    "pull_policy",
    "pull_refresh_after",
    "read_only",
    "restart",
    "runtime",
    "scale",
    "secrets",
    "security_opt",
    "shm_size",
    "stdin_open",
    "stop_grace_period",
    "stop_signal",
    "storage_opt",
    "sysctls",
    "tmpfs",
    "tty",
    "ulimits",
    "use_api_socket",
    "user",
    "userns_mode",
    "uts",
    "volumes",
    "volumes_from",
    "working_dir",
];

/// Keys of a service that would change the fight if they were left alone where it is a process, with what to do instead.
pub(crate) const REFUSED: &[(&str, &str)] = &[
    ("blkio_config", "leave it out: galo limits no disk"),
    ("cpu_count", INSTEAD_CPUS),
    ("cpu_percent", INSTEAD_CPUS),
    ("cpu_period", INSTEAD_CPUS),
    ("cpu_quota", INSTEAD_CPUS),
    ("cpu_rt_period", INSTEAD_CPUS),
    ("cpu_rt_runtime", INSTEAD_CPUS),
    ("cpu_shares", INSTEAD_CPUS),
    ("env_file", "write its variables into `environment`"),
    ("oom_kill_disable", "leave it out: a service that is out of memory loses a process"),
    ("post_start", "run it before the service, as `x-galo: { setup: ... }`"),
    (
        "sysctls",
        "leave it out: a plain process has the machine's settings, which are the same for all contenders",
    ),
];

/// The same where it is a container: what makes its limits something else than what is compared.
pub(crate) const REFUSED_OF_CONTAINERS: &[(&str, &str)] = &[
    ("cpu_count", INSTEAD_CPUS),
    ("cpu_percent", INSTEAD_CPUS),
    ("cpu_period", INSTEAD_CPUS),
    ("cpu_quota", INSTEAD_CPUS),
    ("cpu_rt_period", INSTEAD_CPUS),
    ("cpu_rt_runtime", INSTEAD_CPUS),
    ("cpu_shares", INSTEAD_CPUS),
    ("oom_kill_disable", "leave it out: a service that is out of memory loses a process"),
];

const INSTEAD_CPUS: &str = "say how much CPU it gets by `deploy.resources.limits.cpus` alone";

/// In `extends`.
pub(crate) const EXTENDS: &[&str] = &["file", "service"];

/// In `deploy`.
pub(crate) const DEPLOY: &[&str] = &[
    "endpoint_mode",
    "labels",
    "mode",
    "placement",
    "replicas",
    "resources",
    "restart_policy",
    "rollback_config",
    "update_config",
];

/// In `deploy.resources`.
pub(crate) const RESOURCES: &[&str] = &["limits", "reservations"];

/// In `deploy.resources.limits`.
pub(crate) const LIMITS: &[&str] = &["cpus", "memory", "pids"];

/// In one entry of `depends_on`.
pub(crate) const DEPENDENCY: &[&str] = &["condition", "required", "restart"];

/// In `healthcheck`.
pub(crate) const HEALTHCHECK: &[&str] =
    &["disable", "interval", "retries", "start_interval", "start_period", "test", "timeout"];

/// In `ulimits`.
pub(crate) const ULIMITS: &[&str] = &[
    "as",
    "core",
    "cpu",
    "data",
    "fsize",
    "locks",
    "memlock",
    "msgqueue",
    "nice",
    "nofile",
    "nproc",
    "rss",
    "rtprio",
    "rttime",
    "sigpending",
    "stack",
];

/// In one entry of `ulimits`.
pub(crate) const ULIMIT: &[&str] = &["hard", "soft"];

/// In `build`.
pub(crate) const BUILD: &[&str] = &[
    "additional_contexts",
    "args",
    "cache_from",
    "cache_to",
    "context",
    "dockerfile",
    "dockerfile_inline",
    "entitlements",
    "extra_hosts",
    "isolation",
    "labels",
    "network",
    "no_cache",
    "no_cache_filter",
    "platforms",
    "privileged",
    "provenance",
    "pull",
    "sbom",
    "secrets",
    "shm_size",
    "ssh",
    "tags",
    "target",
    "ulimits",
];

/// In one entry of `ports`.
pub(crate) const PORT: &[&str] =
    &["app_protocol", "host_ip", "mode", "name", "protocol", "published", "target"];

/// In one entry of a service's `volumes`.
pub(crate) const MOUNT: &[&str] = &[
    "bind",
    "consistency",
    "destination",
    "dst",
    "image",
    "read_only",
    "source",
    "src",
    "target",
    "tmpfs",
    "type",
    "volume",
];

/// At the end of a short entry of a service's `volumes`.
pub(crate) const MOUNT_MODES: &[&str] = &[
    "ro",
    "rw",
    "z",
    "Z",
    "cached",
    "consistent",
    "delegated",
    "nocopy",
    "private",
    "rprivate",
    "rshared",
    "rslave",
    "shared",
    "slave",
];

/// In `x-galo` at the top.
pub(crate) const GALO_TOP: &[&str] = &["challenge", "connect", "language", "name", "title"];

/// In `x-galo` of a service.
pub(crate) const GALO_SERVICE: &[&str] =
    &["build", "command", "environment", "ready", "ready_timeout", "setup", "user", "workdir"];

/// Sees that a service may have what a challenge forbids: `KEY`, a key below it (`deploy.replicas`), either with a value
/// (`network_mode: host`).
///
/// # Errors
/// Compose knows none of that name, with the nearest one.
pub(crate) fn require_forbidden(forbidden: &str) -> Result<(), String> {
    let (path, _) = forbidden_parts(forbidden);
    let mut known = SERVICE;
    for key in path {
        if !known.contains(&key) {
            let near = suggest::nearest(key, known).map(|near| format!("; did you mean `{near}`?"));
            return Err(format!("`{key}` is no key of a service{}", near.unwrap_or_default()));
        }
        known = match key {
            "deploy" => DEPLOY,
            "resources" => RESOURCES,
            "limits" => LIMITS,
            "build" => BUILD,
            "healthcheck" => HEALTHCHECK,
            "ulimits" => ULIMITS,
            _ => &[],
        };
    }
    Ok(())
}

/// The keys of what a challenge forbids, from the service on, and the value if it names one.
pub(crate) fn forbidden_parts(forbidden: &str) -> (Vec<&str>, Option<&str>) {
    let (path, value) = match forbidden.split_once(':') {
        Some((path, value)) => (path, Some(value.trim())),
        None => (forbidden, None),
    };
    (path.trim().split('.').collect(), value)
}
