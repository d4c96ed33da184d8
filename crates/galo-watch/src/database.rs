//! What a contender's database says of how it commits. PostgreSQL is asked; MySQL is not.
//!
//! Found by the environment of a service: a `postgres://` address in any variable, or PostgreSQL's own variables. Asked
//! is whoever answers there on loopback, as the user and for the database that the service itself would use, so that
//! settings of a role or of a database count as well. What a session sets for itself is not seen.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::mpsc::channel;
use std::time::Duration;

use galo_plan::Service;
use galo_record::DatabaseSettings;
use postgres::config::Host;
use postgres::{Config, NoTls, SimpleQueryMessage};

/// How long one database may take to answer.
const WITHIN: Duration = Duration::from_secs(2);
/// What is asked for: whether a commit waits for the disk, and whether torn pages are mended.
const SETTINGS: &str = "SELECT name, setting FROM pg_settings \
                        WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')";

/// Asks the databases that these services' environments lead to, each once. Where none does, nothing is asked.
pub fn databases(services: &[Service]) -> Vec<DatabaseSettings> {
    let mut asked = BTreeSet::new();
    let mut told = Vec::new();
    for service in services {
        for config in configs(&service.environment) {
            let Some(address) = loopback(&config) else { continue };
            let whom = (
                address.clone(),
                config.get_user().map(str::to_owned),
                config.get_dbname().map(str::to_owned),
            );
            if asked.insert(whom) {
                told.push(ask(&service.name, address, config));
            }
        }
    }
    told
}

fn ask(service: &str, address: String, config: Config) -> DatabaseSettings {
    let (sender, receiver) = channel();
    // A thread of its own, since nothing bounds an answer that never ends. It ends with its connection, at the latest
    // when the contender is stopped.
    std::thread::spawn(move || {
        let _ = sender.send(settings(&config));
    });
    let answer =
        receiver.recv_timeout(WITHIN).unwrap_or_else(|_| Err(format!("no answer within {WITHIN:?}")));
    let (settings, error) = match answer {
        Ok(settings) => (settings, None),
        Err(error) => (BTreeMap::new(), Some(error)),
    };
    let (service, system) = (service.to_owned(), "PostgreSQL".to_owned());
    DatabaseSettings { service, system, address, settings, error }
}

fn settings(config: &Config) -> Result<BTreeMap<String, String>, String> {
    let words = |error: postgres::Error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("{error}{cause}")
    };
    let mut client = config.connect(NoTls).map_err(words)?;
    let rows = client.simple_query(SETTINGS).map_err(words)?;
    let pair = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => Some((row.get(0)?.to_owned(), row.get(1)?.to_owned())),
        _ => None,
    };
    Ok(rows.iter().filter_map(pair).collect())
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
        config.connect_timeout(WITHIN / 2).application_name("galo");
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

/// Where it leads, if that is this machine. Another one is none of galo's business.
fn loopback(config: &Config) -> Option<String> {
    const USUAL: u16 = 5432;
    let [Host::Tcp(host)] = config.get_hosts() else { return None };
    let local = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    local.then(|| format!("{host}:{}", config.get_ports().first().unwrap_or(&USUAL)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(variables: &[(&str, &str)]) -> Vec<String> {
        let environment =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        configs(&environment).iter().filter_map(loopback).collect()
    }

    #[test]
    fn an_address_in_any_variable_leads_to_a_database() {
        let url = "postgres://rinha:secret@localhost:5433/rinha?sslmode=disable";
        assert_eq!(addresses(&[("DATABASE_URL", url), ("HTTP_PORT", "8081")]), ["localhost:5433"]);
        assert_eq!(addresses(&[("DB", "postgresql://127.0.0.1/x?pool_max_conns=30")]), ["127.0.0.1:5432"]);
    }

    #[test]
    fn variables_of_the_library_and_of_the_image_lead_to_a_database() {
        assert_eq!(addresses(&[("PGUSER", "a"), ("PGPORT", "5444"), ("PGHOST", "::1")]), ["::1:5444"]);
        assert_eq!(addresses(&[("POSTGRES_USER", "a"), ("POSTGRES_PASSWORD", "b")]), ["127.0.0.1:5432"]);
    }

    #[test]
    fn other_machines_sockets_and_nonsense_are_not_asked() {
        for variable in [
            ("DATABASE_URL", "postgres://db.example.org/x"),
            ("DATABASE_URL", "postgres://a:b@127.0.0.1:99999/x"),
            ("DATABASE_URL", "mysql://a:b@127.0.0.1/x"),
            ("PGHOST", "/var/run/postgresql"),
        ] {
            assert_eq!(addresses(&[variable, ("X", "y")]), Vec::<String>::new(), "{variable:?}");
        }
        assert_eq!(addresses(&[("PGUSER", "a"), ("PGHOST", "/var/run/postgresql")]), Vec::<String>::new());
        assert_eq!(addresses(&[("PGUSER", "a"), ("PGPORT", "many")]), Vec::<String>::new());
    }
}
