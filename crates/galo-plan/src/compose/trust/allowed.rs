//! What a file may say that is not trusted, level by level, as data: the keys of Compose 1.29 and 2 that give a service no more
//! than a container of its own (compose-spec, `schema/compose-spec.json`).
//!
//! A key that is not here needs trust, so what a later Compose adds does too until somebody has looked at it.

use super::super::keys;
use super::{Level, May, SOMEBODY_ELSES, looks};

use May::{Any, Be, BeUnset, Have, Name, Pass, PassWith};

const DEVICES: &str = "hands it devices of the machine";
const PROGRAM: &str = "is a program of the machine";

/// What keeps a log on the machine, within bounds, or none.
const LOG_DRIVERS: &[&str] = &["", "json-file", "local", "none"];

pub(super) const TOP: Level = Level {
    known: keys::TOP,
    may: &[
        ("configs", Name(&FILE)),
        ("name", Any),
        ("networks", Name(&NETWORK)),
        ("secrets", Name(&FILE)),
        ("services", PassWith(looks::services, &SERVICE)),
        ("version", Any),
        ("volumes", Name(&VOLUME)),
    ],
    why: &[("models", "runs a program of the machine")],
};

const SERVICE: Level = Level {
    known: keys::SERVICE,
    may: &[
        ("attach", Any),
        ("build", PassWith(looks::build, &BUILD)),
        ("cap_drop", Any),
        ("cgroup", Be(&["", "private"])),
        ("command", Any),
        ("configs", Have(&USED_FILE)),
        ("container_name", Any),
        ("cpus", Any),
        ("cpuset", Any),
        ("depends_on", Any),
        ("deploy", Have(&DEPLOY)),
        ("dns", Any),
        ("dns_opt", Any),
        ("dns_search", Any),
        ("domainname", Any),
        ("entrypoint", Any),
        ("env_file", PassWith(looks::env_file, &ENV_FILE)),
        ("environment", Any),
        ("expose", Any),
        // What it names has been read by now, and the files that it is in are looked at by themselves.
        ("extends", Any),
        ("extra_hosts", Any),
        ("healthcheck", Have(&HEALTHCHECK)),
        ("hostname", Any),
        ("image", Any),
        ("init", Any),
        ("ipc", Be(&["", "none", "private", "service:", "shareable"])),
        ("labels", Pass(looks::labels)),
        ("links", Any),
        ("logging", Have(&LOGGING)),
        ("mem_limit", Any),
        ("mem_reservation", Any),
        ("mem_swappiness", Any),
        ("memswap_limit", Any),
        ("network_mode", Be(&["", "bridge", "default", "host", "none", "service:"])),
        ("networks", PassWith(looks::used_networks, &USED_NETWORK)),
        ("pid", Be(&[""])),
        ("pids_limit", Any),
        ("platform", Any),
        ("ports", Have(&PORT)),
        ("post_start", Have(&HOOK)),
        ("pre_stop", Have(&HOOK)),
        ("privileged", BeUnset),
        ("profiles", Any),
        ("pull_policy", Any),
        ("pull_refresh_after", Any),
        ("read_only", Any),
        ("restart", Any),
        ("scale", Any),
        ("secrets", Have(&USED_FILE)),
        ("security_opt", Pass(looks::security_opt)),
        ("shm_size", Any),
        ("stdin_open", Any),
        ("stop_grace_period", Any),
        ("stop_signal", Any),
        ("sysctls", Pass(looks::sysctls)),
        ("tmpfs", Any),
        ("tty", Any),
        ("ulimits", Have(&ULIMITS)),
        ("use_api_socket", BeUnset),
        ("user", Any),
        ("userns_mode", Be(&[""])),
        ("uts", Be(&["", "private"])),
        ("volumes", PassWith(looks::mounts, &MOUNT)),
        ("volumes_from", Pass(looks::volumes_from)),
        ("working_dir", Any),
    ],
    why: &[
        ("annotations", "speaks to what keeps it in"),
        ("blkio_config", "weighs it against everybody else at the machine's disks"),
        ("cap_add", "gives it rights that a container does not have"),
        ("cgroup", "shows it the machine's control groups"),
        ("cgroup_parent", "puts it under limits of somebody else"),
        ("cpu_rt_period", "lets it run before everybody else"),
        ("cpu_rt_runtime", "lets it run before everybody else"),
        ("credential_spec", "hands it credentials of the machine"),
        ("develop", "copies files of the machine into it while it runs"),
        ("device_cgroup_rules", DEVICES),
        ("devices", DEVICES),
        ("driver_opts", "speaks to the network's driver"),
        ("external_links", "reaches containers of somebody else"),
        ("gpus", DEVICES),
        ("group_add", "makes it a member of groups that own files of the machine"),
        ("ipc", "shares memory with what is outside of it"),
        ("isolation", "chooses what keeps it in"),
        ("label_file", "may set labels that mean something to the engine"),
        ("mac_address", "takes an address that may be somebody else's"),
        ("models", "runs a program of the machine"),
        ("network_mode", "joins a network that is not the file's own"),
        ("oom_kill_disable", "lets it hold memory that the machine has no more of"),
        ("oom_score_adj", "lets the machine kill somebody else first"),
        ("pid", "shows it the processes of others"),
        ("privileged", "lifts all that keeps it in"),
        ("provider", "runs a program of the machine"),
        ("runtime", "chooses what keeps it in"),
        ("storage_opt", "speaks to the driver of the engine's disk"),
        ("use_api_socket", "hands it the engine itself"),
        ("userns_mode", "makes its root the machine's"),
        ("uts", "lets it rename the machine"),
    ],
};

const DEPLOY: Level = Level {
    known: keys::DEPLOY,
    may: &[
        ("endpoint_mode", Any),
        ("labels", Pass(looks::labels)),
        ("mode", Any),
        ("placement", Any),
        ("replicas", Any),
        ("resources", Have(&RESOURCES)),
        ("restart_policy", Any),
        ("rollback_config", Any),
        ("update_config", Any),
    ],
    why: &[],
};

const RESOURCES: Level = Level {
    known: keys::RESOURCES,
    may: &[("limits", Have(&LIMITS)), ("reservations", Have(&RESERVATIONS))],
    why: &[],
};

const LIMITS: Level =
    Level { known: keys::LIMITS, ..Level::of(&[("cpus", Any), ("memory", Any), ("pids", Any)]) };

const RESERVATIONS: Level = Level {
    known: &[],
    may: &[("cpus", Any), ("memory", Any), ("pids", Any)],
    why: &[("devices", DEVICES), ("generic_resources", DEVICES)],
};

const HEALTHCHECK: Level = Level {
    known: keys::HEALTHCHECK,
    ..Level::of(&[
        ("disable", Any),
        ("interval", Any),
        ("retries", Any),
        ("start_interval", Any),
        ("start_period", Any),
        ("test", Any),
        ("timeout", Any),
    ])
};

/// Limits that are its own alone. Whoever may raise `nice` or `rtprio` runs before everybody else.
const ULIMITS: Level = Level {
    known: keys::ULIMITS,
    may: &[
        ("as", Any),
        ("core", Any),
        ("cpu", Any),
        ("data", Any),
        ("fsize", Any),
        ("locks", Any),
        ("memlock", Any),
        ("nofile", Any),
        ("nproc", Any),
        ("rss", Any),
        ("sigpending", Any),
        ("stack", Any),
    ],
    why: &[
        ("msgqueue", "takes memory that its limit does not count"),
        ("nice", "lets it run before everybody else"),
        ("rtprio", "lets it run before everybody else"),
        ("rttime", "lets it run before everybody else"),
    ],
};

const PORT: Level = Level {
    known: keys::PORT,
    ..Level::of(&[
        ("app_protocol", Any),
        ("host_ip", Any),
        ("mode", Any),
        ("name", Any),
        ("protocol", Any),
        ("published", Any),
        ("target", Any),
    ])
};

const HOOK: Level = Level {
    known: &[],
    may: &[("command", Any), ("environment", Any), ("privileged", BeUnset), ("working_dir", Any)],
    why: &[("privileged", "lifts all that keeps it in"), ("user", "may be another than the service's own")],
};

/// Options of the drivers in [`LOG_DRIVERS`] (docker, "JSON File logging driver", "Local file logging driver"). A file that names
/// no driver gets the engine's usual one, whose options say where a log goes.
const LOGGING: Level = Level {
    known: &[],
    may: &[
        ("driver", Be(LOG_DRIVERS)),
        (
            "options",
            Have(&Level {
                known: &[],
                may: &[
                    ("compress", Any),
                    ("env", Any),
                    ("env-regex", Any),
                    ("labels", Any),
                    ("labels-regex", Any),
                    ("max-buffer-size", Any),
                    ("max-file", Any),
                    ("max-size", Any),
                    ("mode", Any),
                    ("tag", Any),
                ],
                why: &[],
            }),
        ),
    ],
    why: &[("driver", "lets the engine write to somewhere else")],
};

/// One of a service's `configs` or `secrets`: it names one of the top.
const USED_FILE: Level =
    Level::of(&[("gid", Any), ("mode", Any), ("source", Any), ("target", Any), ("uid", Any)]);

/// A network as a service uses it.
const USED_NETWORK: Level = Level {
    known: &[],
    may: &[
        ("aliases", Any),
        ("gw_priority", Any),
        ("ipv4_address", Any),
        ("ipv6_address", Any),
        ("priority", Any),
    ],
    why: &[
        ("driver_opts", "speaks to the network's driver"),
        ("mac_address", "takes an address that may be somebody else's"),
    ],
};

/// One of a service's `volumes` in the long form. What is mounted is looked at by itself.
const MOUNT: Level = Level {
    known: keys::MOUNT,
    may: &[
        (
            "bind",
            Have(&Level::of(&[
                ("create_host_path", Any),
                ("propagation", Any),
                ("selinux", Be(&["z", "Z"])),
            ])),
        ),
        ("consistency", Any),
        ("destination", Any),
        ("dst", Any),
        ("read_only", Any),
        ("source", Any),
        ("src", Any),
        ("target", Any),
        ("tmpfs", Have(&Level::of(&[("mode", Any), ("size", Any)]))),
        ("type", Any),
        ("volume", Have(&Level::of(&[("labels", Pass(looks::labels)), ("nocopy", Any), ("subpath", Any)]))),
    ],
    why: &[],
};

/// An `env_file` in the long form. Its path is looked at by itself.
const ENV_FILE: Level = Level::of(&[("format", Any), ("path", Any), ("required", Any)]);

const BUILD: Level = Level {
    known: keys::BUILD,
    may: &[
        ("additional_contexts", Pass(looks::additional_contexts)),
        ("args", Any),
        // Both are looked at together.
        ("context", Any),
        ("dockerfile", Any),
        ("dockerfile_inline", Any),
        ("extra_hosts", Any),
        ("labels", Pass(looks::labels)),
        ("network", Be(&["", "bridge", "default", "none"])),
        ("no_cache", Any),
        ("no_cache_filter", Any),
        ("platforms", Any),
        ("privileged", BeUnset),
        ("provenance", Any),
        ("pull", Any),
        ("sbom", Any),
        ("shm_size", Any),
        ("target", Any),
        ("ulimits", Have(&ULIMITS)),
    ],
    why: &[
        ("cache_from", "lets the build read what is elsewhere"),
        ("cache_to", "lets the build write to somewhere else"),
        ("entitlements", "gives the build rights that it does not have"),
        ("isolation", "chooses what keeps the build in"),
        ("network", "lets the build at the machine's own network"),
        ("privileged", "lifts all that keeps the build in"),
        ("secrets", "hands the build secrets of the machine"),
        ("ssh", "hands the build keys of the machine"),
        ("tags", "replaces images of these names"),
    ],
};

const VOLUME: Level = Level {
    known: &[],
    may: &[
        ("driver", Be(&["", "local"])),
        ("external", BeUnset),
        ("labels", Pass(looks::labels)),
        ("name", Any),
    ],
    why: &[
        ("driver", PROGRAM),
        ("driver_opts", "can mount anything of the machine"),
        ("external", SOMEBODY_ELSES),
    ],
};

const NETWORK: Level = Level {
    known: &[],
    may: &[
        ("attachable", Any),
        ("driver", Be(&["", "bridge", "default"])),
        ("enable_ipv4", Any),
        ("enable_ipv6", Any),
        ("external", Pass(looks::external_network)),
        ("internal", Any),
        ("ipam", Have(&IPAM)),
        ("labels", Pass(looks::labels)),
        ("name", Any),
    ],
    why: &[
        ("driver", "is not a network of the file's own on this machine"),
        ("driver_opts", "can join a bridge of the machine"),
    ],
};

const IPAM: Level = Level {
    known: &[],
    may: &[
        (
            "config",
            Have(&Level::of(&[
                ("aux_addresses", Any),
                ("gateway", Any),
                ("ip_range", Any),
                ("subnet", Pass(looks::subnet)),
            ])),
        ),
        ("driver", Be(&["", "default"])),
    ],
    why: &[("driver", PROGRAM)],
};

/// A config or a secret at the top.
const FILE: Level = Level {
    known: &[],
    may: &[
        ("content", Any),
        ("external", BeUnset),
        ("file", Pass(looks::file)),
        ("labels", Pass(looks::labels)),
        ("name", Any),
    ],
    why: &[
        ("driver", PROGRAM),
        ("environment", "is of whoever runs galo"),
        ("external", SOMEBODY_ELSES),
        ("template_driver", PROGRAM),
    ],
};
