//! What a file may say that is not trusted, level by level, as data: the keys of Compose 1.29 and 2 that give a service no more
//! than a container of its own (compose-spec, `schema/compose-spec.json`).
//!
//! A key that is neither here nor free in [`keys`] needs trust. So does what a later Compose adds.

use super::super::keys;
use super::{Level, May, SOMEBODY_ELSES, looks};

use May::{Be, BeUnset, Have, Name, Pass, PassWith};

const DEVICES: &str = "hands it devices of the machine";
const PROGRAM: &str = "is a program of the machine";

/// What keeps a log on the machine, within bounds, or none.
const LOG_DRIVERS: &[&str] = &["", "json-file", "local", "none"];

pub(super) const TOP: Level = Level {
    may: &[
        ("configs", Name(&FILE)),
        ("networks", Name(&NETWORK)),
        ("secrets", Name(&FILE)),
        ("services", PassWith(looks::services, &SERVICE)),
        ("volumes", Name(&VOLUME)),
    ],
    why: &[("models", "runs a program of the machine")],
    ..Level::strict(&keys::TOP)
};

const SERVICE: Level = Level {
    may: &[
        ("build", PassWith(looks::build, &BUILD)),
        ("cgroup", Be(&["", "private"])),
        ("configs", Have(&USED_FILE)),
        ("deploy", Have(&DEPLOY)),
        ("env_file", PassWith(looks::env_file, &ENV_FILE)),
        ("healthcheck", Have(&HEALTHCHECK)),
        ("ipc", Be(&["", "none", "private", "service:", "shareable"])),
        ("labels", Pass(looks::labels)),
        ("logging", Have(&LOGGING)),
        ("network_mode", Be(&["", "bridge", "default", "host", "none", "service:"])),
        ("networks", PassWith(looks::used_networks, &USED_NETWORK)),
        ("pid", Be(&[""])),
        ("ports", Have(&PORT)),
        ("post_start", Have(&HOOK)),
        ("pre_stop", Have(&HOOK)),
        ("privileged", BeUnset),
        ("secrets", Have(&USED_FILE)),
        ("security_opt", Pass(looks::security_opt)),
        ("sysctls", Pass(looks::sysctls)),
        ("ulimits", Have(&ULIMITS)),
        ("use_api_socket", BeUnset),
        ("userns_mode", Be(&[""])),
        ("uts", Be(&["", "private"])),
        ("volumes", PassWith(looks::mounts, &MOUNT)),
        ("volumes_from", Pass(looks::volumes_from)),
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
    ..Level::strict(&keys::SERVICE)
};

const DEPLOY: Level = Level {
    may: &[("labels", Pass(looks::labels)), ("resources", Have(&RESOURCES))],
    ..Level::strict(&keys::DEPLOY)
};

const RESOURCES: Level = Level {
    may: &[("limits", Have(&LIMITS)), ("reservations", Have(&RESERVATIONS))],
    ..Level::strict(&keys::RESOURCES)
};

const LIMITS: Level = Level::strict(&keys::LIMITS);

const RESERVATIONS: Level =
    Level { why: &[("devices", DEVICES), ("generic_resources", DEVICES)], ..Level::of("cpus memory pids") };

const HEALTHCHECK: Level = Level::strict(&keys::HEALTHCHECK);

/// Limits of resources that a service may not set. A process that raises `nice` or `rtprio` runs before all others.
const ULIMITS: Level = Level {
    why: &[
        ("msgqueue", "takes memory that its limit does not count"),
        ("nice", "lets it run before everybody else"),
        ("rtprio", "lets it run before everybody else"),
        ("rttime", "lets it run before everybody else"),
    ],
    ..Level::strict(&keys::ULIMITS)
};

const PORT: Level = Level::strict(&keys::PORT);

const HOOK: Level = Level {
    may: &[("privileged", BeUnset)],
    why: &[("privileged", "lifts all that keeps it in"), ("user", "may be another than the service's own")],
    ..Level::of("command environment working_dir")
};

/// Options of the drivers in [`LOG_DRIVERS`] (docker, "JSON File logging driver", "Local file logging driver"). A file that names
/// no driver gets the engine's usual one, whose options say where a log goes.
const LOGGING: Level = Level {
    may: &[
        ("driver", Be(LOG_DRIVERS)),
        (
            "options",
            Have(&Level::of(
                "
                compress env env-regex labels labels-regex max-buffer-size max-file max-size mode
                tag
            ",
            )),
        ),
    ],
    why: &[("driver", "lets the engine write to somewhere else")],
    ..Level::NONE
};

/// One of a service's `configs` or `secrets`: it names one of the top.
const USED_FILE: Level = Level::of("gid mode source target uid");

/// A network as a service uses it.
const USED_NETWORK: Level = Level {
    why: &[
        ("driver_opts", "speaks to the network's driver"),
        ("mac_address", "takes an address that may be somebody else's"),
    ],
    ..Level::of("aliases gw_priority ipv4_address ipv6_address priority")
};

/// One of a service's `volumes` in the long form. What is mounted is looked at by itself.
const MOUNT: Level = Level {
    may: &[
        (
            "bind",
            Have(&Level {
                may: &[("selinux", Be(&["z", "Z"]))],
                ..Level::of("create_host_path propagation")
            }),
        ),
        ("tmpfs", Have(&Level::of("mode size"))),
        ("volume", Have(&Level { may: &[("labels", Pass(looks::labels))], ..Level::of("nocopy subpath") })),
    ],
    ..Level::strict(&keys::MOUNT)
};

/// An `env_file` in the long form. Its path is looked at by itself.
const ENV_FILE: Level = Level::of("format path required");

const BUILD: Level = Level {
    may: &[
        ("additional_contexts", Pass(looks::additional_contexts)),
        ("labels", Pass(looks::labels)),
        ("network", Be(&["", "bridge", "default", "none"])),
        ("privileged", BeUnset),
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
    ..Level::strict(&keys::BUILD)
};

const VOLUME: Level = Level {
    may: &[("driver", Be(&["", "local"])), ("external", BeUnset), ("labels", Pass(looks::labels))],
    why: &[
        ("driver", PROGRAM),
        ("driver_opts", "can mount anything of the machine"),
        ("external", SOMEBODY_ELSES),
    ],
    ..Level::of("name")
};

const NETWORK: Level = Level {
    may: &[
        ("driver", Be(&["", "bridge", "default"])),
        ("external", Pass(looks::external_network)),
        ("ipam", Have(&IPAM)),
        ("labels", Pass(looks::labels)),
    ],
    why: &[
        ("driver", "is not a network of the file's own on this machine"),
        ("driver_opts", "can join a bridge of the machine"),
    ],
    ..Level::of("attachable enable_ipv4 enable_ipv6 internal name")
};

const IPAM: Level = Level {
    may: &[
        (
            "config",
            Have(&Level {
                may: &[("subnet", Pass(looks::subnet))],
                ..Level::of("aux_addresses gateway ip_range")
            }),
        ),
        ("driver", Be(&["", "default"])),
    ],
    why: &[("driver", PROGRAM)],
    ..Level::NONE
};

/// A config or a secret at the top.
const FILE: Level = Level {
    may: &[("external", BeUnset), ("file", Pass(looks::file)), ("labels", Pass(looks::labels))],
    why: &[
        ("driver", PROGRAM),
        ("environment", "is of whoever runs galo"),
        ("external", SOMEBODY_ELSES),
        ("template_driver", PROGRAM),
    ],
    ..Level::of("content name")
};
