//! A server of a test's own, stores on it, and people.

use std::borrow::Cow;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use pessoas_rust::person::NewPerson;
use pessoas_rust::store::postgres::{Options, PostgresStore};
use pessoas_rust::store::{Creation, Store, StoreError};
use serde_json::Value;
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

/// Where Debian and others put programs that are not for everybody.
fn program(name: &str) -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let folders = versions
        .map(|version| version.path().join("bin"))
        .chain(["/usr/bin".into(), "/usr/local/bin".into()]);
    folders.map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// A server as it comes, so durable, on a socket in a folder of its own.
pub(crate) struct Server {
    child: Child,
    user: (u32, u32),
    folder: tempfile::TempDir,
}

impl Server {
    /// `None` where no server can be started.
    pub(crate) fn start() -> Option<Self> {
        let Some(initdb) = program("initdb") else {
            skipped("no PostgreSQL is installed");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let user = owner(folder.path())?;
        let mut command = Command::new(initdb);
        command.args([
            "--auth=trust",
            "--username=tester",
            "--encoding=UTF8",
            "--locale=C",
            "--no-sync",
            "-D",
        ]);
        let status = quietly(command.arg(folder.path().join("data")), user).status();
        assert!(status.unwrap().success(), "initdb failed");
        let child = run(folder.path(), user);
        Some(Self { child, user, folder })
    }

    pub(crate) fn url(&self) -> String {
        format!("postgres://tester@localhost/postgres?host={}", self.folder.path().display())
    }

    /// A store that is ready.
    pub(crate) async fn store(&self) -> Arc<PostgresStore> {
        self.store_with(Options::default()).await
    }

    pub(crate) async fn store_with(&self, options: Options) -> Arc<PostgresStore> {
        let store = PostgresStore::new(&self.url(), options).unwrap();
        store.ready().await.unwrap();
        Arc::new(store)
    }

    /// A connection for the test itself.
    pub(crate) async fn client(&self) -> Client {
        for _ in 0..500 {
            if let Ok((client, connection)) = tokio_postgres::connect(&self.url(), NoTls).await {
                tokio::spawn(connection);
                return client;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("PostgreSQL never answered");
    }

    /// SIGKILL to all of its processes, as when the machine fails.
    pub(crate) fn kill(&mut self) {
        self.signal("-KILL");
        self.child.wait().unwrap();
    }

    /// Starts it again after it was killed.
    pub(crate) fn restart(&mut self) {
        self.child = run(self.folder.path(), self.user);
    }

    /// A signal to all of its processes, the parent first: it must not see its children die.
    pub(crate) fn signal(&self, signal: &str) {
        let parent = self.child.id().to_string();
        let mut pids = children(&parent);
        pids.insert(0, parent);
        assert!(Command::new("kill").arg(signal).args(&pids).stderr(Stdio::null()).status().is_ok());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.signal("-CONT");
        // Not SIGKILL, after which its shared memory would stay.
        let _ = Command::new("kill").args(["-QUIT", &self.child.id().to_string()]).status();
        let _ = self.child.wait();
    }
}

fn run(folder: &Path, user: (u32, u32)) -> Child {
    let mut command = Command::new(program("postgres").unwrap());
    command.arg("-D").arg(folder.join("data")).arg("-k").arg(folder).args(["-h", ""]);
    quietly(&mut command, user).spawn().unwrap()
}

fn quietly(command: &mut Command, user: (u32, u32)) -> &mut Command {
    command.uid(user.0).gid(user.1).current_dir("/").stdout(Stdio::null()).stderr(Stdio::null())
}

fn children(parent: &str) -> Vec<String> {
    let tasks = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    tasks.split_whitespace().map(str::to_owned).collect()
}

/// The user to run as, who gets the folder: PostgreSQL refuses to run as root.
fn owner(folder: &Path) -> Option<(u32, u32)> {
    let meta = folder.metadata().unwrap();
    if meta.uid() != 0 {
        return Some((meta.uid(), meta.gid()));
    }
    let passwd = fs::read_to_string("/etc/passwd").unwrap();
    let line = passwd.lines().find(|line| line.starts_with("postgres:"));
    let ids: Vec<u32> =
        line.iter().flat_map(|line| line.split(':').skip(2).take(2)).flat_map(str::parse).collect();
    let [uid, gid] = ids[..] else {
        skipped("there is no user `postgres` to run it as");
        return None;
    };
    chown(folder, Some(uid), Some(gid)).unwrap();
    Some((uid, gid))
}

#[allow(clippy::explicit_write, reason = "the harness keeps what `eprintln` writes")]
fn skipped(why: &str) {
    writeln!(std::io::stderr(), "SKIPPED, proves nothing here: {why}").unwrap();
}

/// Somebody with this nickname.
pub(crate) fn person(apelido: &str) -> NewPerson<'static> {
    NewPerson {
        apelido: Cow::Owned(apelido.to_owned()),
        nome: Cow::Borrowed("Some Body"),
        nascimento: Cow::Borrowed("1987-02-28"),
        stack: Some(vec![Cow::Borrowed("C++"), Cow::Borrowed("Ação \"x\"")]),
    }
}

/// Creates somebody who must be accepted.
pub(crate) async fn create(store: &PostgresStore, apelido: &str) -> Uuid {
    match store.create(person(apelido)).await {
        Ok(Creation::Created(id)) => id,
        other => panic!("{apelido}: {other:?}"),
    }
}

/// The nickname of an id.
pub(crate) async fn find(store: &PostgresStore, id: Uuid) -> Option<String> {
    store.find(id).await.unwrap().map(|document| apelido(document.as_str()))
}

/// Nicknames that a search finds.
pub(crate) async fn search(store: &PostgresStore, term: &str) -> Vec<String> {
    let found = store.search(term.to_owned()).await.unwrap();
    found.iter().map(|document| apelido(document.as_str())).collect()
}

fn apelido(json: &str) -> String {
    serde_json::from_str::<Value>(json).unwrap()["apelido"].as_str().unwrap().to_owned()
}

/// What a load of creations was told, by nickname.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) created: Vec<(String, Uuid)>,
    pub(crate) unavailable: Vec<String>,
    pub(crate) unknown: Vec<String>,
}

/// Creates people on a store until `until` says so, some at a time.
pub(crate) async fn load(store: &PostgresStore, prefix: &str, until: impl Fn(&Told) -> bool) -> Told {
    let mut told = Told::default();
    for round in 0.. {
        if until(&told) {
            break;
        }
        let apelidos: Vec<String> = (0..16).map(|n| format!("{prefix}{round}x{n}")).collect();
        let outcomes =
            futures_util::future::join_all(apelidos.iter().map(|apelido| store.create(person(apelido))));
        for (apelido, outcome) in apelidos.iter().cloned().zip(outcomes.await) {
            match outcome {
                Ok(Creation::Created(id)) => told.created.push((apelido, id)),
                Err(StoreError::Unavailable(_)) => told.unavailable.push(apelido),
                Err(StoreError::Unknown(_)) => told.unknown.push(apelido),
                other => panic!("{apelido}: {other:?}"),
            }
        }
    }
    told
}

/// Whether the database keeps what was told: everybody acknowledged, nobody refused, and of the unknown some or none.
pub(crate) async fn assert_kept(client: &Client, told: &[Told]) {
    let rows = client.query("SELECT apelido, id FROM people", &[]).await.unwrap();
    let kept: std::collections::HashMap<String, Uuid> =
        rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    for told in told {
        for (apelido, id) in &told.created {
            assert_eq!(kept.get(apelido), Some(id), "{apelido} was acknowledged");
        }
        for apelido in &told.unavailable {
            assert!(!kept.contains_key(apelido), "{apelido} was refused, and kept");
        }
    }
    let count = |part: fn(&Told) -> usize| told.iter().map(part).sum::<usize>();
    let (created, unknown) = (count(|told| told.created.len()), count(|told| told.unknown.len()));
    assert!((created..=created + unknown).contains(&kept.len()), "{created} {unknown} {}", kept.len());
}
