//! The JSON of `galo check --policy`.

use std::collections::BTreeMap;

use galo_judge::json::pretty;
use galo_plan::JsonSchema;
use galo_plan::policy::Breach;
use serde::Serialize;
use serde_json::{Value, json};

use super::{AgainstBudget, words};

/// Version of this form.
const FORMAT: u32 = 1;

/// Compose files, held against the policy of a challenge.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PolicyReport {
    /// Version of this form: 1.
    format: u32,
    /// How many of the files are not within the policy.
    breached: usize,
    /// By folder and name.
    files: Vec<FileReport>,
}

/// One of them.
#[derive(Debug, Serialize, JsonSchema)]
struct FileReport {
    /// As it was named or found.
    file: String,
    /// Its contender's name; empty where it cannot be read.
    name: String,
    /// What it was held against; null where that is not known.
    budget: Option<Limits>,
    /// Sums of the limits of those that have one.
    sum: Limits,
    /// The most instances of one image or one build, each copy counted.
    instances: u64,
    /// In the order of the file.
    services: Vec<ServiceReport>,
    /// All by which it is not within the policy: what the challenge's words do not let pass, and what only a trusted file may
    /// ask for.
    breaches: Vec<BreachReport>,
    /// What no rule forbids and is better otherwise, e.g. an image with a tag.
    advice: Vec<BreachReport>,
}

/// An amount of CPU and memory.
#[derive(Debug, Serialize, JsonSchema)]
struct Limits {
    /// In CPUs.
    cpus: f64,
    /// In bytes.
    memory_bytes: u64,
}

/// A service with its limits.
#[derive(Debug, Serialize, JsonSchema)]
struct ServiceReport {
    /// Its name.
    name: String,
    /// In CPUs; null: it has no limit.
    cpus: Option<f64>,
    /// In bytes; null: it has no limit.
    memory_bytes: Option<u64>,
    /// How often it is started (`deploy.replicas`): the sums count it as often.
    replicas: u64,
}

/// Something that the policy does not let pass, or advises against.
#[derive(Debug, Serialize, JsonSchema)]
struct BreachReport {
    /// One of `unreadable`, `cpu-over-budget`, `memory-over-budget`, `no-cpu-limit`, `no-memory-limit`, `too-few-instances`,
    /// `forbidden-key`, `port-not-published`, `needs-trust`; of advice `image-without-tag`, `mount-missing`, `foreign-platform`.
    code: &'static str,
    /// The service that it is about, if it is about one.
    service: Option<String>,
    /// In one sentence.
    words: String,
    /// What the sentence speaks of: `taken` and `budget` in CPUs or bytes, `found` and `least`, `key`, `port`, `image`, `source`, `platform`, `asked`, `why`.
    figures: BTreeMap<&'static str, Value>,
}

pub(super) fn json(held: &[AgainstBudget]) -> String {
    pretty(&PolicyReport {
        format: FORMAT,
        breached: held.iter().filter(|(held, _)| !held.breaches.is_empty()).count(),
        files: held.iter().map(file).collect(),
    })
}

fn file((held, policy): &AgainstBudget) -> FileReport {
    FileReport {
        file: held.file.display().to_string(),
        name: held.name.clone(),
        budget: policy
            .as_ref()
            .map(|policy| Limits { cpus: cpus(policy.cpus_nano()), memory_bytes: policy.memory_bytes }),
        sum: Limits { cpus: cpus(held.cpus_nano), memory_bytes: whole(held.memory_bytes) },
        instances: whole(held.instances),
        services: held
            .services
            .iter()
            .map(|service| ServiceReport {
                name: service.name.clone(),
                cpus: service.cpus_nano.map(|nano| cpus(nano.into())),
                memory_bytes: service.memory_bytes,
                replicas: service.copies,
            })
            .collect(),
        breaches: held.breaches.iter().map(breach).collect(),
        advice: held.advice.iter().map(breach).collect(),
    }
}

fn breach(breach: &Breach) -> BreachReport {
    BreachReport {
        code: breach.code(),
        service: breach.service().map(str::to_owned),
        words: words::breach(breach),
        figures: figures(breach),
    }
}

fn figures(breach: &Breach) -> BTreeMap<&'static str, Value> {
    let figures = match breach {
        Breach::Unreadable { .. } | Breach::NoCpuLimit { .. } | Breach::NoMemoryLimit { .. } => Vec::new(),
        Breach::CpuOverBudget { taken_nano, budget_nano } => {
            vec![("taken", json!(cpus(*taken_nano))), ("budget", json!(cpus(*budget_nano)))]
        }
        Breach::MemoryOverBudget { taken_bytes, budget_bytes } => {
            vec![("taken", json!(whole(*taken_bytes))), ("budget", json!(budget_bytes))]
        }
        Breach::TooFewInstances { found, least } => {
            vec![("found", json!(whole(*found))), ("least", json!(least))]
        }
        Breach::ForbiddenKey { key, .. } => vec![("key", json!(key))],
        Breach::PortNotPublished { port } => vec![("port", json!(port))],
        Breach::ImageWithoutTag { image, .. } => vec![("image", json!(image))],
        Breach::MountMissing { source, .. } => vec![("source", json!(source.display().to_string()))],
        Breach::ForeignPlatform { platform, .. } => vec![("platform", json!(platform))],
        Breach::NeedsTrust(needs) => vec![("asked", json!(needs.asked)), ("why", json!(needs.why))],
    };
    figures.into_iter().collect()
}

/// Thousand-millionths in CPUs.
fn cpus(nano: u128) -> f64 {
    nano as f64 / 1e9
}

/// A sum that no longer fits is far beyond any bound; its exact value does not matter.
fn whole(sum: u128) -> u64 {
    u64::try_from(sum).unwrap_or(u64::MAX)
}
