//! The keys that Compose knows (compose-spec, `schema/compose-spec.json`), and galo's own.

use crate::suggest;

/// All keys that Compose knows at one place, with white space between them.
pub(crate) struct Keys {
    /// Keys that any file may have, whatever they say: it stays inside of the container, or is
    /// refused by itself. A key of a later Compose comes here once it has been looked at.
    pub(crate) free: &'static str,
    /// The others.
    pub(crate) other: &'static str,
}

impl Keys {
    const fn of(free: &'static str) -> Self {
        Self { free, other: "" }
    }

    /// All, sorted.
    pub(crate) fn all(&self) -> Vec<&'static str> {
        let mut all: Vec<_> = [self.free, self.other].into_iter().flat_map(str::split_whitespace).collect();
        all.sort_unstable();
        all
    }
}

/// At the top.
pub(crate) const TOP: Keys =
    Keys { free: "name version", other: "configs include models networks secrets services volumes" };

/// In a service. A key that galo never reads means nothing to a plain process on loopback. The
/// files that `extends` names are read before, and looked at by themselves.
pub(crate) const SERVICE: Keys = Keys {
    free: "
        attach cap_drop command container_name cpus cpuset depends_on dns dns_opt dns_search
        domainname entrypoint environment expose extends extra_hosts hostname image init links
        mem_limit mem_reservation mem_swappiness memswap_limit pids_limit platform profiles
        pull_policy pull_refresh_after read_only restart scale shm_size stdin_open stop_grace_period
        stop_signal tmpfs tty user working_dir
    ",
    other: "
        annotations blkio_config build cap_add cgroup cgroup_parent configs cpu_count cpu_percent
        cpu_period cpu_quota cpu_rt_period cpu_rt_runtime cpu_shares credential_spec deploy develop
        device_cgroup_rules devices driver_opts env_file external_links gpus group_add healthcheck
        ipc isolation label_file labels logging mac_address models network_mode networks
        oom_kill_disable oom_score_adj pid ports post_start pre_stop privileged provider runtime
        secrets security_opt storage_opt sysctls ulimits use_api_socket userns_mode uts volumes
        volumes_from
    ",
};

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
pub(crate) const EXTENDS: Keys = Keys::of("file service");

/// In `deploy`.
pub(crate) const DEPLOY: Keys = Keys {
    free: "endpoint_mode mode placement replicas restart_policy rollback_config update_config",
    other: "labels resources",
};

/// In `deploy.resources`.
pub(crate) const RESOURCES: Keys = Keys { free: "", other: "limits reservations" };

/// In `deploy.resources.limits`.
pub(crate) const LIMITS: Keys = Keys::of("cpus memory pids");

/// In one entry of `depends_on`.
pub(crate) const DEPENDENCY: Keys = Keys::of("condition required restart");

/// In `healthcheck`.
pub(crate) const HEALTHCHECK: Keys =
    Keys::of("disable interval retries start_interval start_period test timeout");

/// In `ulimits`.
pub(crate) const ULIMITS: Keys = Keys {
    free: "as core cpu data fsize locks memlock nofile nproc rss sigpending stack",
    other: "msgqueue nice rtprio rttime",
};

/// In one entry of `ulimits`.
pub(crate) const ULIMIT: Keys = Keys::of("hard soft");

/// In `build`. What `context` and `dockerfile` say is looked at together.
pub(crate) const BUILD: Keys = Keys {
    free: "
        args context dockerfile dockerfile_inline extra_hosts no_cache no_cache_filter platforms
        provenance pull sbom shm_size target
    ",
    other: "
        additional_contexts cache_from cache_to entitlements isolation labels network privileged
        secrets ssh tags ulimits
    ",
};

/// In one entry of `ports`.
pub(crate) const PORT: Keys = Keys::of("app_protocol host_ip mode name protocol published target");

/// In one entry of a service's `volumes`.
pub(crate) const MOUNT: Keys = Keys {
    free: "consistency destination dst read_only source src target type",
    other: "bind image tmpfs volume",
};

/// At the end of a short entry of a service's `volumes`.
pub(crate) const MOUNT_MODES: &str = "
    ro rw z Z cached consistent delegated nocopy private rprivate rshared rslave shared slave
";

/// In `x-galo` at the top.
pub(crate) const GALO_TOP: Keys = Keys::of("challenge connect knobs language name title");

/// In one entry of `x-galo.knobs`.
pub(crate) const KNOB: Keys = Keys::of("range to values");

/// In `x-galo` of a service.
pub(crate) const GALO_SERVICE: Keys =
    Keys::of("build command environment ready ready_timeout setup user workdir");

/// Sees that a service may have what a challenge forbids: `KEY`, a key below it (`deploy.replicas`), either with a value
/// (`network_mode: host`).
///
/// # Errors
/// Compose knows none of that name, with the nearest one.
pub(crate) fn require_forbidden(forbidden: &str) -> Result<(), String> {
    let (path, _) = forbidden_parts(forbidden);
    let mut known = SERVICE.all();
    for key in path {
        if !known.contains(&key) {
            let near = suggest::nearest(key, &known).map(|near| format!("; did you mean `{near}`?"));
            return Err(format!("`{key}` is no key of a service{}", near.unwrap_or_default()));
        }
        known = match key {
            "deploy" => DEPLOY.all(),
            "resources" => RESOURCES.all(),
            "limits" => LIMITS.all(),
            "build" => BUILD.all(),
            "healthcheck" => HEALTHCHECK.all(),
            "ulimits" => ULIMITS.all(),
            _ => Vec::new(),
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
