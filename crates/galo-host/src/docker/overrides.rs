//! What galo lays over a contender's Compose file for a round: names for what is built, fresh copies of what a container may
//! write to, an end to logs and to processes. Everything else is as the file says.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use galo_plan::contender::{PIDS_MAX, Service};
use galo_plan::{Container, Contender};
use serde_json::{Map, Value, json};

/// What the engine keeps of a container's log, in two files, where the file says nothing of it.
const LOG_SIZE: &str = "32m";

/// Which part of the limits is taken away: all of them, up to what the machine has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unlimited {
    pub(super) cores: usize,
    pub(super) memory_bytes: u64,
}

/// A bind of the file, and where it is taken from in a round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Copied {
    service: String,
    /// What is copied: the file's own source, or a folder above it that somebody may write to.
    pub(super) source: PathBuf,
    /// Its copy.
    pub(super) copy: PathBuf,
    /// Within the copy.
    below: PathBuf,
    target: String,
    is_writable: bool,
}

/// The binds whose source somebody may write to, each from a copy below `folder`: one for each such source, which all services
/// share as they would share the source.
pub(super) fn copies(contender: &Contender, folder: &Path) -> Vec<Copied> {
    let binds = || {
        let all =
            contender.services.iter().filter_map(|service| Some((service, service.container.as_ref()?)));
        all.flat_map(|(service, container)| container.binds.iter().map(move |bind| (service, bind)))
    };
    let mut sources: Vec<&Path> =
        binds().filter(|(_, bind)| bind.is_writable).map(|(_, bind)| bind.source.as_path()).collect();
    sources.sort_unstable();
    sources.dedup();
    // Folders come before what is in them.
    let mut outermost: Vec<&Path> = Vec::new();
    for source in sources {
        if !outermost.iter().any(|outer| source.starts_with(outer)) {
            outermost.push(source);
        }
    }
    let copied = binds().filter_map(|(service, bind)| {
        let number = outermost.iter().position(|outer| bind.source.starts_with(outer))?;
        Some(Copied {
            service: service.name.clone(),
            source: outermost[number].to_owned(),
            copy: folder.join(number.to_string()),
            below: bind.source.strip_prefix(outermost[number]).unwrap_or(Path::new("")).to_owned(),
            target: bind.target.clone(),
            is_writable: bind.is_writable,
        })
    });
    copied.collect()
}

/// Where the images are that a file builds.
pub(super) fn repository(file: &Path, file_sha256: &str) -> String {
    let mut hasher = DefaultHasher::new();
    (file, file_sha256).hash(&mut hasher);
    format!("galo-built/{:016x}", hasher.finish())
}

/// Names of the images that are built, by service: of galo's own, so that nobody's image is replaced, and others for each
/// file, wherever it lies. A service that names the image which another builds gets that one.
pub(super) fn images(contender: &Contender) -> BTreeMap<String, String> {
    let repository = repository(&contender.file, &contender.file_sha256);
    let name = |service: &str| format!("{repository}:{service}");
    let container = |service: &Service| service.container.clone().unwrap_or_default();
    let mut by_image: BTreeMap<String, String> = BTreeMap::new();
    for service in &contender.services {
        if let Container { is_built: true, image: Some(image), .. } = container(service) {
            by_image.entry(image).or_insert_with(|| name(&service.name));
        }
    }
    let of = |service: &Service| {
        let container = container(service);
        match container.image.as_ref().and_then(|image| by_image.get(image)) {
            Some(built) => Some(built.clone()),
            None => container.is_built.then(|| name(&service.name)),
        }
    };
    contender.services.iter().filter_map(|service| Some((service.name.clone(), of(service)?))).collect()
}

/// What the contender's setting lays over its file, as JSON, which is YAML; `None`: nothing.
pub(super) fn setting(contender: &Contender) -> Option<String> {
    let over = &contender.setting.as_ref()?.over;
    (!over.is_null()).then(|| over.to_string())
}

/// The whole file, as JSON, which is YAML.
pub(super) fn text(contender: &Contender, copied: &[Copied], unlimited: Option<Unlimited>) -> String {
    let images = images(contender);
    let services: Map<String, Value> = contender
        .services
        .iter()
        .map(|service| {
            let mut keys = Map::new();
            if let Some(image) = images.get(&service.name) {
                keys.insert("image".to_owned(), json!(image));
            }
            if service.pids_max.is_none() {
                keys.insert("pids_limit".to_owned(), json!(PIDS_MAX));
            }
            if service.container.as_ref().is_none_or(|container| !container.has_logging) {
                let options = json!({ "max-size": LOG_SIZE, "max-file": "2" });
                keys.insert("logging".to_owned(), json!({ "driver": "json-file", "options": options }));
            }
            // A mount at the same place stands for the file's.
            let own = copied.iter().filter(|copied| copied.service == service.name);
            let mounts: Vec<Value> = own
                .map(|copied| {
                    let source = escaped(&copied.copy.join(&copied.below));
                    let (target, read_only) = (&copied.target, !copied.is_writable);
                    json!({ "type": "bind", "source": source, "target": target, "read_only": read_only })
                })
                .collect();
            if !mounts.is_empty() {
                keys.insert("volumes".to_owned(), json!(mounts));
            }
            if let Some(Unlimited { cores, memory_bytes }) = unlimited {
                let limits = json!({ "cpus": cores.to_string(), "memory": memory_bytes.to_string() });
                keys.insert("deploy".to_owned(), json!({ "resources": { "limits": limits } }));
            }
            (service.name.clone(), Value::Object(keys))
        })
        .collect();
    json!({ "services": services }).to_string()
}

/// A volume that the engine has named, and where a service has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Anonymous {
    pub(super) service: String,
    pub(super) volume: String,
    pub(super) target: String,
    pub(super) is_writable: bool,
}

/// A whole file that mounts anonymous volumes by their names, so that containers which are made anew get what was theirs.
pub(super) fn mounted_again(anonymous: &[Anonymous]) -> String {
    let (mut services, mut volumes) = (BTreeMap::<&str, Vec<Value>>::new(), Map::new());
    for Anonymous { service, volume, target, is_writable } in anonymous {
        let mount = json!({ "type": "volume", "source": volume, "target": escaped(Path::new(target)), "read_only": !is_writable });
        services.entry(service).or_default().push(mount);
        volumes.insert(volume.clone(), json!({ "external": true, "name": volume }));
    }
    let services: Map<String, Value> =
        services.into_iter().map(|(name, mounts)| (name.to_owned(), json!({ "volumes": mounts }))).collect();
    json!({ "services": services, "volumes": volumes }).to_string()
}

/// Compose reads variables in paths.
fn escaped(path: &Path) -> String {
    path.display().to_string().replace('$', "$$")
}

#[cfg(test)]
mod tests {
    use galo_plan::{Bind, Reading};

    use super::*;

    /// A contender in containers, as its file would be read.
    fn contender(text: &str) -> (tempfile::TempDir, Contender) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("docker-compose.yml");
        std::fs::write(&file, text).unwrap();
        let policy = galo_plan::challenge::Policy::of_budget(9999, 1500, 3 << 30);
        let contender = Contender::load(&file, &Reading::untrusted(&policy)).unwrap();
        (folder, contender)
    }

    const TWO: &str = "\
services:
  api: { build: ., image: mine, cpus: 0.5, mem_limit: 1g, ports: ['9999:80'], volumes: ['./data:/data', './data/static:/s:ro'] }
  API: { image: mine, cpus: 0.5, mem_limit: 1g, volumes: ['./data/inner:/i', './conf:/c:ro'], logging: { driver: none } }
";

    #[test]
    fn all_that_somebody_may_write_to_is_taken_from_one_copy() {
        let (folder, contender) = contender(TWO);
        let copied = copies(&contender, Path::new("/copies"));
        let data = folder.path().canonicalize().unwrap().join("data");
        assert!(
            copied.iter().all(|one| one.source == data && one.copy == Path::new("/copies/0")),
            "{copied:#?}"
        );
        let places: Vec<_> = copied
            .iter()
            .map(|one| (one.below.to_str().unwrap(), one.target.as_str(), one.is_writable))
            .collect();
        // `./conf` is nobody's to write to, and stays where it is.
        assert_eq!(places, [("", "/data", true), ("static", "/s", false), ("inner", "/i", true)]);
        let written: Value = serde_json::from_str(&text(&contender, &copied, None)).unwrap();
        let mount = &written["services"]["api"]["volumes"][1];
        assert_eq!(
            (mount["source"].as_str(), mount["read_only"].as_bool()),
            (Some("/copies/0/static"), Some(true))
        );
        assert!(written["services"]["API"].get("logging").is_none());
        assert_eq!(written["services"]["api"]["logging"]["options"]["max-size"], LOG_SIZE);
    }

    #[test]
    fn an_anonymous_volume_is_mounted_again_by_its_name() {
        let of = |service: &str, is_writable| Anonymous {
            service: service.to_owned(),
            volume: "ab".to_owned(),
            target: "/a$b".to_owned(),
            is_writable,
        };
        let written: Value =
            serde_json::from_str(&mounted_again(&[of("api", true), of("db", false)])).unwrap();
        let mount = |read_only| json!([{ "type": "volume", "source": "ab", "target": "/a$$b", "read_only": read_only }]);
        let services = json!({ "api": { "volumes": mount(false) }, "db": { "volumes": mount(true) } });
        let volumes = json!({ "ab": { "external": true, "name": "ab" } });
        assert_eq!(written, json!({ "services": services, "volumes": volumes }));
    }

    #[test]
    fn what_two_files_build_has_two_names_and_one_image_is_one() {
        let ((_one, first), (_other, second)) = (contender(TWO), contender(TWO));
        let (names, others) = (images(&first), images(&second));
        assert_eq!(names["api"], names["API"], "both name the image that the first builds");
        assert_ne!(names["api"], others["api"], "the same text in another folder");
        let mut apart = first.clone();
        for service in &mut apart.services {
            service.container = Some(Container {
                is_built: true,
                image: None,
                binds: Vec::<Bind>::new(),
                ..Container::default()
            });
        }
        let apart = images(&apart);
        assert_ne!(apart["api"], apart["API"]);
    }
}
