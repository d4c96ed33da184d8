//! What programs of the workspace are made of: as [CycloneDX 1.6](https://cyclonedx.org/docs/1.6/json/), and as the licences that
//! must come along with them.
//!
//! It says nothing of the machine or the time, so one commit has one bill.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;

use cargo_metadata::{DepKindInfo, DependencyKind, Metadata, Package, PackageId, Target};
use serde_json::{Value, json};

/// Beginnings of the names of files that hold a licence, in capitals.
const LICENCES: [&str; 5] = ["COPYING", "LICENCE", "LICENSE", "NOTICE", "UNLICENSE"];

/// Checksums of a `Cargo.lock`, by name and version.
pub type Checksums = BTreeMap<(String, String), String>;

/// Reads the checksums of a `Cargo.lock`.
#[must_use]
pub fn checksums(lock: &str) -> Checksums {
    let field = |package: &str, key: &str| {
        let rest = package.lines().find_map(|line| line.strip_prefix(&format!("{key} = \"")))?;
        rest.strip_suffix('"').map(str::to_owned)
    };
    let read =
        |package| Some(((field(package, "name")?, field(package, "version")?), field(package, "checksum")?));
    lock.split("[[package]]").skip(1).filter_map(read).collect()
}

/// Programs with all that they are made of, tests apart.
pub struct Made<'a> {
    /// The program that the bill is named after.
    first: &'a Package,
    /// By name and version, the programs among them.
    packages: Vec<&'a Package>,
    /// What each depends on.
    on: BTreeMap<&'a PackageId, Vec<&'a Package>>,
}

impl<'a> Made<'a> {
    /// Finds what these packages of a workspace are made of.
    ///
    /// # Errors
    /// There is no such package, or cargo did not say what depends on what.
    pub fn of(metadata: &'a Metadata, programs: &[String]) -> Result<Self, String> {
        let resolve = metadata.resolve.as_ref().ok_or("cargo tells no dependencies")?;
        let is_used =
            |kinds: &[DepKindInfo]| kinds.iter().any(|kind| kind.kind != DependencyKind::Development);
        let on = resolve.nodes.iter().map(|node| {
            let used = node.deps.iter().filter(|dep| is_used(&dep.dep_kinds));
            (&node.id, used.map(|dep| &metadata[&dep.pkg]).collect())
        });
        let on: BTreeMap<_, Vec<&Package>> = on.collect();
        let members = metadata.workspace_packages();
        let member = |name: &String| {
            let found = members.iter().copied().find(|package| package.name.as_str() == name);
            found.ok_or(format!("the workspace has no package `{name}`"))
        };
        let mut rest = programs.iter().map(member).collect::<Result<Vec<_>, _>>()?;
        let first = *rest.first().ok_or("name a package of the workspace")?;
        let mut found = BTreeMap::new();
        while let Some(package) = rest.pop() {
            if found.insert((package.name.as_str(), &package.version), package).is_none() {
                rest.extend(on.get(&package.id).into_iter().flatten());
            }
        }
        Ok(Self { first, packages: found.into_values().collect(), on })
    }

    /// The bill of materials.
    #[must_use]
    pub fn bill(&self, checksums: &Checksums) -> Value {
        let others = self.packages.iter().filter(|package| package.id != self.first.id);
        let dependencies = self.packages.iter().map(|package| {
            let on = self.on.get(&package.id).into_iter().flatten().map(|package| purl(package));
            json!({ "ref": purl(package), "dependsOn": on.collect::<BTreeSet<_>>() })
        });
        json!({
            "bomFormat": "CycloneDX",
            "specVersion": "1.6",
            "version": 1,
            "metadata": { "component": component(self.first, checksums) },
            "components": others.map(|package| component(package, checksums)).collect::<Vec<_>>(),
            "dependencies": dependencies.collect::<Vec<_>>(),
        })
    }

    /// The licences of what others wrote, each text once, with the names of those that it is for.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn licences(&self) -> io::Result<String> {
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut bare = String::new();
        for package in self.packages.iter().filter(|package| package.source.is_some()) {
            let name = format!("{} {}", package.name, package.version);
            let own = licences_of(package)?;
            if own.is_empty() {
                bare += &format!("{name}: {}\n", package.license.as_deref().unwrap_or_default());
            }
            for text in own {
                texts.entry(text).or_default().push(name.clone());
            }
        }
        let mut texts: Vec<(String, String)> =
            texts.into_iter().map(|(text, names)| (names.join(", "), text)).collect();
        texts.sort();
        let each = texts.iter().map(|(names, text)| format!("\n==== {names}\n\n{}\n", text.trim_end()));
        Ok(format!("{}\n==== without a text of their own\n\n{bare}", each.collect::<String>()))
    }
}

/// The texts of a package's licences.
fn licences_of(package: &Package) -> io::Result<BTreeSet<String>> {
    let folder = package.manifest_path.parent().ok_or(io::ErrorKind::NotFound)?;
    let mut texts = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if entry.file_type()?.is_file() && LICENCES.iter().any(|begin| name.starts_with(begin)) {
            texts.insert(String::from_utf8_lossy(&fs::read(entry.path())?).replace('\r', ""));
        }
    }
    Ok(texts)
}

/// Name of a package wherever it is spoken of.
fn purl(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

fn component(package: &Package, checksums: &Checksums) -> Value {
    let is_program = package.source.is_none() && package.targets.iter().any(Target::is_bin);
    let mut component = json!({
        "type": if is_program { "application" } else { "library" },
        "bom-ref": purl(package),
        "name": package.name,
        "version": package.version,
        "purl": purl(package),
    });
    if let Some(licence) = &package.license {
        // Old manifests write `MIT/Apache-2.0`.
        component["licenses"] = json!([{ "expression": licence.replace('/', " OR ") }]);
    }
    if let Some(sum) = checksums.get(&(package.name.to_string(), package.version.to_string())) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": sum }]);
    }
    if let Some(url) = &package.repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": url }]);
    }
    component
}
