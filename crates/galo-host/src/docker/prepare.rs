//! Before the first round: the engine is there, Compose reads the file as galo does, all images are here.

use std::path::{Path, PathBuf};

use galo_plan::Contender;
use galo_record::Event;

use super::{overrides, pull, room};
use crate::engine::{Compose, Engine};
use crate::errand::Errand;
use crate::error::HostError;
use crate::inner::Inner;
use crate::log;

/// See the module. Done once for a file, but for what a setting changes.
pub(crate) fn prepare(inner: &Inner, contender: &Contender) -> Result<(), HostError> {
    let key = (contender.file.clone(), contender.file_sha256.clone());
    let is_prepared = inner.built().contains(&key);
    if is_prepared && contender.setting.is_none() {
        return Ok(());
    }
    inner.go_on()?;
    let engine = Engine::of_environment();
    engine.version()?;
    let compose = inner.compose(&engine)?;
    agree(inner, &engine, &compose, contender)?;
    if is_prepared {
        return Ok(());
    }
    make_room(inner, &engine, contender)?;
    pull::pull(inner, &engine, contender)?;
    build(inner, &engine, &compose, contender)?;
    inner.built().insert(key);
    Ok(())
}

/// Compose's own reading of the file is the one that counts: it must be what galo has checked.
fn agree(inner: &Inner, engine: &Engine, compose: &Compose, contender: &Contender) -> Result<(), HostError> {
    let setting =
        overrides::setting(contender).map(|over| tempfile(inner, "setting.json", &over)).transpose()?;
    let files = [Some(contender.file.clone()), setting].into_iter().flatten();
    let named = files.flat_map(|file| ["--file".to_owned(), file.display().to_string()]);
    let arguments: Vec<String> = named.chain(["config".to_owned()]).collect();
    let config = engine.ask_compose(compose, &arguments)?.map_err(|said| {
        let (version, file) = (&compose.version, contender.file.display());
        let program = version.rsplit_once(' ').map_or("docker-compose", |(program, _)| program);
        HostError::contender(format!(
            "{version} refuses its file{said}\nhint: see {program} --file {file} config"
        ))
    })?;
    contender.agrees_with_compose(&config).map_err(|error| HostError::contender(error.to_string()))
}

/// Where the disk is short, what galo built of others than are started now goes.
fn make_room(inner: &Inner, engine: &Engine, contender: &Contender) -> Result<(), HostError> {
    let now: Vec<_> = inner.built().iter().cloned().collect();
    let own = [(contender.file.clone(), contender.file_sha256.clone())];
    let keep = now.iter().chain(&own).map(|(file, sha256)| overrides::repository(file, sha256)).collect();
    if room::make(engine, &keep)? {
        let command = "images of others are removed: the disk is short".to_owned();
        inner.options.events.send(Event::Building { contender: contender.name.clone(), command });
    }
    Ok(())
}

/// Builds what is to be built, under galo's own names.
fn build(inner: &Inner, engine: &Engine, compose: &Compose, contender: &Contender) -> Result<(), HostError> {
    let is_built = |service: &galo_plan::Service| service.container.as_ref().is_some_and(|c| c.is_built);
    if !contender.services.iter().any(is_built) {
        return Ok(());
    }
    let file = tempfile(inner, "build.json", &overrides::text(contender, &[], None))?;
    let files = [contender.file.clone(), file];
    // Names of the project stand in nothing that is built.
    let arguments = compose.arguments("galo-built", &files, &["build"]);
    let (name, command) = (contender.name.clone(), format!("{} build", compose.version));
    inner.options.events.send(Event::Building { contender: name, command });
    let folder = contender.file.parent().unwrap_or(Path::new("/"));
    let errand = Errand {
        what: "build",
        program: &compose.program(engine)?,
        arguments: &arguments,
        environment: &engine.environment(),
        workdir: folder,
        within: None,
        limits: None,
    };
    let done = errand.run(inner)?;
    if done.is_good() {
        return Ok(());
    }
    engine.version()?;
    let (words, lines) = (done.words(), log::quoted(&done.lines));
    Err(HostError::contender(format!(
        "the images cannot be built ({words}){lines}\nhint: build them by hand in {}",
        folder.display()
    )))
}

/// A file of galo's, in the state folder, which goes with galo.
fn tempfile(inner: &Inner, name: &str, text: &str) -> Result<PathBuf, HostError> {
    let path = inner.state.path().join(name);
    std::fs::write(&path, text).map_err(|e| HostError::io("write", &path, &e))?;
    Ok(path)
}
