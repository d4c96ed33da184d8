//! What a contender's database says of how it commits. PostgreSQL is asked; MySQL is not.
//!
//! Found by the environment of a service: a `postgres://` address in any variable, or PostgreSQL's own variables. Asked
//! is whoever answers there on loopback or on a Unix socket, as the user and for the database that the service itself
//! would use, so that settings of a role or of a database count as well. What a session sets for itself is not seen.

mod watcher;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::time::Duration;

use galo_plan::Service;
use galo_record::DatabaseSettings;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::config::Host;
use tokio_postgres::{Client, Config, NoTls, SimpleQueryMessage};

pub use watcher::DatabaseWatcher;

/// How long one database may take to answer.
const WITHIN: Duration = Duration::from_secs(2);
/// How much one database may say, its greeting included: enough for the three rows that are asked for, and an end to
/// whatever would never stop.
const ANSWER_MAX_BYTES: u64 = 1 << 16;
/// Where PostgreSQL listens when nobody says otherwise.
const USUAL_PORT: u16 = 5432;
/// What is asked for: whether a commit waits for the disk, and whether torn pages are mended.
const SETTINGS: &str = "SELECT name, setting FROM pg_settings \
                        WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')";

/// Asks the databases that these services' environments lead to, each once. Where none does, nothing is asked.
pub fn databases(services: &[Service]) -> Vec<DatabaseSettings> {
    let mut asked = BTreeSet::new();
    let mut told = Vec::new();
    for service in services {
        for config in configs(&service.environment) {
            let Some(place) = place(&config) else { continue };
            let whom =
                (place.clone(), config.get_user().map(str::to_owned), config.get_dbname().map(str::to_owned));
            if asked.insert(whom) {
                told.push(ask(&service.name, &place, config));
            }
        }
    }
    told
}

/// Where a database of this machine answers. Another machine is none of galo's business.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Host and port on loopback.
    Loopback(String),
    /// The path of a Unix socket.
    Socket(PathBuf),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Loopback(address) => f.write_str(address),
            Self::Socket(path) => path.display().fmt(f),
        }
    }
}

fn ask(service: &str, place: &Place, config: Config) -> DatabaseSettings {
    let (settings, error) = match settings(place, config) {
        Ok(settings) => (settings, None),
        Err(error) => (BTreeMap::new(), Some(error)),
    };
    let (service, system) = (service.to_owned(), "PostgreSQL".to_owned());
    DatabaseSettings { service, system, address: place.to_string(), settings, error }
}

/// What it answers within [`WITHIN`]. Its connection is closed when this returns, whatever it is doing then.
fn settings(place: &Place, config: Config) -> Result<BTreeMap<String, String>, String> {
    let words = |error: io::Error| format!("it cannot be asked: {error}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(words)?;
    let addresses = addresses(place).map_err(words)?;
    let place = place.clone();
    let asking = async move {
        let client = connect(&place, &addresses, &config, ANSWER_MAX_BYTES).await?;
        let rows = client.simple_query(SETTINGS).await.map_err(|error| in_words(&error))?;
        let pair = |message: &SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => Some((row.get(0)?.to_owned(), row.get(1)?.to_owned())),
            _ => None,
        };
        Ok(rows.iter().filter_map(pair).collect())
    };
    runtime.block_on(async {
        // A task of its own, so that an answer that breaks the protocol's library breaks nothing else.
        match tokio::time::timeout(WITHIN, tokio::spawn(asking)).await {
            Err(_) => Err(format!("no answer within {WITHIN:?}")),
            Ok(Err(_)) => Err("its answer cannot be understood".to_owned()),
            Ok(Ok(answer)) => answer,
        }
    })
}

/// Names are looked up here: a runtime would wait for a lookup of its own.
fn addresses(place: &Place) -> io::Result<Vec<SocketAddr>> {
    match place {
        Place::Loopback(address) => Ok(address.to_socket_addrs()?.collect()),
        Place::Socket(_) => Ok(Vec::new()),
    }
}

/// A session that ends when its client is dropped, or after so many bytes of answers.
async fn connect(
    place: &Place,
    addresses: &[SocketAddr],
    config: &Config,
    max_bytes: u64,
) -> Result<Client, String> {
    match place {
        Place::Loopback(_) => session(TcpStream::connect(addresses).await, config, max_bytes).await,
        Place::Socket(path) => session(UnixStream::connect(path).await, config, max_bytes).await,
    }
}

async fn session<S>(connected: io::Result<S>, config: &Config, max_bytes: u64) -> Result<Client, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (answers, questions) = tokio::io::split(connected.map_err(|error| error.to_string())?);
    let bounded = tokio::io::join(answers.take(max_bytes), questions);
    let (client, connection) = config.connect_raw(bounded, NoTls).await.map_err(|error| in_words(&error))?;
    tokio::spawn(connection);
    Ok(client)
}

fn in_words(error: &tokio_postgres::Error) -> String {
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    format!("{error}{cause}")
}

/// How a service would connect, as far as its environment tells.
fn configs(environment: &BTreeMap<String, String>) -> Vec<Config> {
    let is_url = |value: &&String| value.starts_with("postgres://") || value.starts_with("postgresql://");
    // A library's own parameters (`?pool=30`) are no reason not to ask.
    let parse = |value: &String| {
        let plain = value.split('?').next().unwrap_or_default();
        value.parse::<Config>().or_else(|_| plain.parse()).ok()
    };
    let mut configs: Vec<Config> = environment.values().filter(is_url).filter_map(parse).collect();
    configs.extend(by_variables(environment));
    for config in &mut configs {
        config.application_name("galo");
    }
    configs
}

/// The variables of PostgreSQL's library, and those of its image.
fn by_variables(environment: &BTreeMap<String, String>) -> Option<Config> {
    let value = |names: [&str; 2]| names.iter().find_map(|name| environment.get(*name));
    let user = value(["PGUSER", "POSTGRES_USER"])?;
    let mut config = Config::new();
    config.user(user);
    config.host(value(["PGHOST", "POSTGRES_HOST"]).map_or("127.0.0.1", String::as_str));
    config.dbname(value(["PGDATABASE", "POSTGRES_DB"]).unwrap_or(user));
    if let Some(password) = value(["PGPASSWORD", "POSTGRES_PASSWORD"]) {
        config.password(password);
    }
    if let Some(port) = value(["PGPORT", "POSTGRES_PORT"]) {
        config.port(port.parse().ok()?);
    }
    Some(config)
}

/// Where it leads, if that is one place on this machine. Of a socket the folder is given, and the port is part of its
/// name.
fn place(config: &Config) -> Option<Place> {
    let port = config.get_ports().first().unwrap_or(&USUAL_PORT);
    match config.get_hosts() {
        [Host::Tcp(host)] => {
            let local =
                host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
            let address =
                if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
            local.then_some(Place::Loopback(address))
        }
        [Host::Unix(folder)] => Some(Place::Socket(folder.join(format!(".s.PGSQL.{port}")))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream as Client};
    use std::thread::JoinHandle;

    use super::*;

    /// A server for one client that says this after its first message. Its thread ends when
    /// the client has closed.
    fn server(says: impl Fn(&mut Client) -> io::Result<()> + Send + 'static) -> (Place, JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let place = Place::Loopback(listener.local_addr().unwrap().to_string());
        let thread = std::thread::spawn(move || {
            let (mut client, _) = listener.accept().unwrap();
            let mut asked = [0; 1024];
            assert!(client.read(&mut asked).unwrap() > 0);
            let _ = says(&mut client);
            // Ends when the other side has closed, cleanly or not.
            while client.read(&mut asked).is_ok_and(|bytes| bytes > 0) {}
        });
        (place, thread)
    }

    fn config() -> Config {
        let mut config = Config::new();
        config.user("tester").dbname("tester");
        config
    }

    /// A message of PostgreSQL's protocol, version 3.
    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [&[kind], &length[..], body].concat()
    }

    /// One row of two texts.
    fn row(name: &str, setting: &str) -> Vec<u8> {
        let mut body = vec![0, 2];
        for text in [name, setting] {
            body.extend(u32::try_from(text.len()).unwrap().to_be_bytes());
            body.extend(text.as_bytes());
        }
        message(b'D', &body)
    }

    /// Lets the client in, hears what it asks, and says that rows of two columns follow.
    fn greet(client: &mut Client) -> io::Result<()> {
        client.write_all(&[message(b'R', &[0; 4]), message(b'Z', b"I")].concat())?;
        let mut asked = [0; 1024];
        assert!(client.read(&mut asked)? > 0);
        let column = |name: &[u8]| [name, &[0; 19]].concat();
        let columns = [&[0, 2], &column(b"name")[..], &column(b"setting")].concat();
        client.write_all(&message(b'T', &columns))
    }

    #[test]
    fn settings_are_what_the_rows_say() {
        let (place, thread) = server(|client| {
            let end = [message(b'C', b"SELECT 1\0"), message(b'Z', b"I")].concat();
            greet(client)?;
            client.write_all(&[row("fsync", "off"), end].concat())
        });
        let told = settings(&place, config()).unwrap();
        assert_eq!(told, BTreeMap::from([("fsync".to_owned(), "off".to_owned())]));
        thread.join().unwrap();
    }

    #[test]
    fn whoever_never_answers_is_left_with_its_connection_closed() {
        let (place, thread) = server(|_| Ok(()));
        assert_eq!(settings(&place, config()).unwrap_err(), "no answer within 2s");
        thread.join().unwrap();
    }

    #[test]
    fn an_answer_without_end_is_ended() {
        let (place, thread) = server(|client| {
            greet(client)?;
            loop {
                client.write_all(&row("fsync", &"on".repeat(1000)))?;
            }
        });
        let error = settings(&place, config()).unwrap_err();
        assert!(!error.contains("no answer within"), "{error}");
        thread.join().unwrap();
    }

    fn addresses(variables: &[(&str, &str)]) -> Vec<String> {
        let environment =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        configs(&environment).iter().filter_map(place).map(|place| place.to_string()).collect()
    }

    #[test]
    fn an_address_in_any_variable_leads_to_a_database() {
        let url = "postgres://rinha:secret@localhost:5433/rinha?sslmode=disable";
        assert_eq!(addresses(&[("DATABASE_URL", url), ("HTTP_PORT", "8081")]), ["localhost:5433"]);
        assert_eq!(addresses(&[("DB", "postgresql://127.0.0.1/x?pool_max_conns=30")]), ["127.0.0.1:5432"]);
    }

    #[test]
    fn variables_of_the_library_and_of_the_image_lead_to_a_database() {
        assert_eq!(addresses(&[("PGUSER", "a"), ("PGPORT", "5444"), ("PGHOST", "::1")]), ["[::1]:5444"]);
        assert_eq!(addresses(&[("POSTGRES_USER", "a"), ("POSTGRES_PASSWORD", "b")]), ["127.0.0.1:5432"]);
    }

    #[test]
    fn a_folder_leads_to_the_socket_in_it() {
        let url = "postgres:///people?user=a&host=/run/db";
        assert_eq!(addresses(&[("DATABASE", url)]), ["/run/db/.s.PGSQL.5432"]);
        assert_eq!(
            addresses(&[("PGUSER", "a"), ("PGHOST", "/tmp"), ("PGPORT", "5433")]),
            ["/tmp/.s.PGSQL.5433"]
        );
    }

    #[test]
    fn other_machines_and_nonsense_are_not_asked() {
        for variable in [
            ("DATABASE_URL", "postgres://db.example.org/x"),
            ("DATABASE_URL", "postgres://a:b@127.0.0.1:99999/x"),
            ("DATABASE_URL", "mysql://a:b@127.0.0.1/x"),
            ("PGHOST", "/var/run/postgresql"),
        ] {
            assert_eq!(addresses(&[variable, ("X", "y")]), Vec::<String>::new(), "{variable:?}");
        }
        assert_eq!(addresses(&[("PGUSER", "a"), ("PGPORT", "many")]), Vec::<String>::new());
    }
}
