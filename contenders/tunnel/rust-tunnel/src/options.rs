//! What the command line and the configuration file say.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::{ArgAction, Args, Parser, Subcommand};
use regex::Regex;

use crate::address::Address;
use crate::allow::Net;
use crate::net::Backend;

const EXAMPLES: &str = "\
Examples:
  tunnel tcp --bind 0.0.0.0:5432 --to db.internal:5432
  tunnel connect --bind 0.0.0.0:8443 --cert cert.pem --key key.pem --allow '.*\\.example\\.org:443'
  tunnel balance --bind 127.0.0.1:9999 --to unix:/run/api1.sock,unix:/run/api2.sock --health /health
  tunnel --config tunnel.toml --metrics 127.0.0.1:9100

A configuration file has the mode and the long options: mode = \"tcp\", bind = \"0.0.0.0:5432\", to = [\"db.internal:5432\"].
What stands on the command line as well counts instead. SIGTERM ends in order, SIGHUP reads certificate and key anew.";

/// A TCP proxy, an HTTP CONNECT proxy and a small HTTP load balancer that cost little
#[derive(Debug, Parser)]
#[command(version, args_override_self = true, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) mode: Mode,
}

/// What is done with a connection.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Mode {
    /// Pass the bytes of each connection on to a target
    #[command(args_override_self = true, after_help = EXAMPLES)]
    Tcp(Tcp),
    /// Connect clients to where they ask for (HTTP CONNECT)
    #[command(args_override_self = true, after_help = EXAMPLES)]
    Connect(Connect),
    /// Balance HTTP/1.1 requests between upstreams, in turn
    #[command(args_override_self = true, after_help = EXAMPLES)]
    Balance(Balance),
}

impl Mode {
    pub(crate) fn common(&self) -> &Common {
        match self {
            Self::Tcp(Tcp { common, .. })
            | Self::Connect(Connect { common, .. })
            | Self::Balance(Balance { common, .. }) => common,
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Tcp(_) => "tcp",
            Self::Connect(_) => "connect",
            Self::Balance(_) => "balance",
        }
    }
}

/// Of `tunnel tcp`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Tcp {
    /// Target; several are tried in turn
    #[arg(long, required = true, value_delimiter = ',', action = ArgAction::Append, value_name = "ADDRESS")]
    pub(crate) to: Vec<Address>,
    #[command(flatten)]
    pub(crate) tunnels: Tunnels,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Of `tunnel connect`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Connect {
    /// Targets that may be asked for: expressions that match all of `name:port`
    #[arg(long, action = ArgAction::Append, default_value = ".*:443", value_name = "REGEX")]
    pub(crate) allow: Vec<Regex>,
    /// Networks that may be connected to although they are not public, such as 127.0.0.1 or 10.0.0.0/8
    #[arg(long, value_delimiter = ',', action = ArgAction::Append, value_name = "NETWORK")]
    pub(crate) allow_net: Vec<Net>,
    #[command(flatten)]
    pub(crate) tunnels: Tunnels,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Of `tunnel balance`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Balance {
    /// Upstreams
    #[arg(long, required = true, value_delimiter = ',', action = ArgAction::Append, value_name = "ADDRESS")]
    pub(crate) to: Vec<Address>,
    /// Ask each upstream for this path; one that does not answer with 2xx gets no requests
    #[arg(long, value_name = "PATH", value_parser = path)]
    pub(crate) health: Option<String>,
    /// From one such question to the next
    #[arg(long, default_value = "1s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) health_interval: Duration,
    /// For an upstream to begin its answer; then 504
    #[arg(long, default_value = "60s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) answer_timeout: Duration,
    /// Connections to each upstream that each thread keeps while they have nothing to do
    #[arg(long, default_value_t = 128, value_name = "N")]
    pub(crate) keep: usize,
    /// Between two requests of a client, and for a client to take or give more of a body
    #[arg(long, default_value = "75s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) idle_timeout: Duration,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// How long, and how fast, bytes go through a tunnel.
#[derive(Debug, Clone, Args)]
pub(crate) struct Tunnels {
    /// Without a byte either way; then it is closed
    #[arg(long, default_value = "10m", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) idle_timeout: Duration,
    /// Longest life of a tunnel
    #[arg(long, value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) lifetime: Option<Duration>,
    /// Most bytes a second each way: faster is slowed down (64KB, 10MB)
    #[arg(long, value_name = "BYTES")]
    pub(crate) rate_max: Option<Bytes>,
    /// Least bytes a second, both ways together, over 10 s; slower is closed
    #[arg(long, value_name = "BYTES")]
    pub(crate) rate_min: Option<Bytes>,
    /// How long a name's addresses are kept
    #[arg(long, default_value = "30s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) dns_lifetime: Duration,
}

/// Of all modes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Where to listen
    #[arg(long, required = true, value_name = "ADDRESS")]
    pub(crate) bind: Address,
    /// Certificates (PEM), the server's first: clients come over TLS
    #[arg(long, requires = "key", value_name = "FILE")]
    pub(crate) cert: Option<PathBuf>,
    /// Its key (PEM)
    #[arg(long, requires = "cert", value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// Threads; by default one for each core that the process may use
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Way to the kernel
    #[arg(long, value_enum, default_value_t = Backend::Auto, value_name = "WAY")]
    pub(crate) backend: Backend,
    /// Most clients at a time; by default what the descriptors suffice for
    #[arg(long, value_name = "N")]
    pub(crate) connections_max: Option<usize>,
    /// Most connections of one client's address at a time
    #[arg(long, value_name = "N")]
    pub(crate) client_connections_max: Option<u32>,
    /// For a client to say what it wants
    #[arg(long, default_value = "10s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) handshake_timeout: Duration,
    /// For a target to take a connection
    #[arg(long, default_value = "5s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) connect_timeout: Duration,
    /// After SIGTERM, for what is under way
    #[arg(long, default_value = "30s", value_parser = humantime::parse_duration, value_name = "TIME")]
    pub(crate) drain_timeout: Duration,
    /// Answer Prometheus at this address, any path
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) metrics: Option<std::net::SocketAddr>,
    /// Write one JSON line for each tunnel to standard output
    #[arg(long)]
    pub(crate) log: bool,
    /// Tell the client's address in it
    #[arg(long, requires = "log")]
    pub(crate) log_clients: bool,
}

/// A number of bytes: `512`, `64KB`, `10MB`, `1GB`, in binary units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bytes(pub(crate) u64);

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let shift = match &text[digits.len()..] {
            "" | "B" => 0,
            "KB" => 10,
            "MB" => 20,
            "GB" => 30,
            _ => return Err(format!("`{text}` is no number of bytes; one is 512, 64KB, 10MB or 1GB")),
        };
        let number: u64 =
            digits.parse().map_err(|_| format!("`{text}` is no number of bytes; one is 64KB"))?;
        number
            .checked_mul(1 << shift)
            .filter(|&bytes| bytes > 0)
            .map(Self)
            .ok_or_else(|| format!("`{text}` is too much, or nothing"))
    }
}

/// A path that can be asked for.
fn path(text: &str) -> Result<String, String> {
    let fine = text.starts_with('/') && text.bytes().all(|byte| byte.is_ascii_graphic());
    if fine { Ok(text.to_owned()) } else { Err(format!("`{text}` is no path; one is /health")) }
}

/// Why a configuration file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("{path}: {error}", path = path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{path}: {error}", path = path.display())]
    Toml { path: PathBuf, error: toml::de::Error },
    #[error("{path}: no `mode`\nhint: mode = \"tcp\", \"connect\" or \"balance\"", path = path.display())]
    NoMode { path: PathBuf },
    #[error("{path}: `{key}` is neither text, number, true or false, nor a list of such", path = path.display())]
    Value { path: PathBuf, key: String },
}

/// Puts what `--config FILE` says in front of the other words, so that those count instead.
///
/// # Errors
/// Where the file cannot be read or says what no option can.
pub(crate) fn with_file(words: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>, FileError> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let Some(at) =
        words.iter().position(|word| word == "--config" || word.to_string_lossy().starts_with("--config="))
    else {
        return Ok(words);
    };
    let word = words.remove(at).to_string_lossy().into_owned();
    let file: PathBuf = match word.strip_prefix("--config=") {
        Some(file) => file.into(),
        None if at < words.len() => words.remove(at).into(),
        // Clap says then what is missing.
        None => return Ok([words, vec![word.into()]].concat()),
    };
    let told = of_file(&file)?;
    let rest = if words.is_empty() { Vec::new() } else { words.split_off(1) };
    Ok(words.into_iter().chain(told.into_iter().map(Into::into)).chain(rest).collect())
}

/// A file as words of the command line.
fn of_file(path: &Path) -> Result<Vec<String>, FileError> {
    let path = path.to_owned();
    let text =
        std::fs::read_to_string(&path).map_err(|error| FileError::Read { path: path.clone(), error })?;
    let mut table: toml::Table =
        toml::from_str(&text).map_err(|error| FileError::Toml { path: path.clone(), error })?;
    let Some(toml::Value::String(mode)) = table.remove("mode") else {
        return Err(FileError::NoMode { path });
    };
    let mut words = vec![mode];
    for (key, value) in table {
        let values = match value {
            toml::Value::Boolean(true) => {
                words.push(format!("--{key}"));
                continue;
            }
            toml::Value::Boolean(false) => continue,
            toml::Value::Array(values) => values,
            one => vec![one],
        };
        for value in values {
            match value {
                toml::Value::String(text) => words.push(format!("--{key}={text}")),
                toml::Value::Integer(number) => words.push(format!("--{key}={number}")),
                _ => return Err(FileError::Value { path, key }),
            }
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use clap::Parser;

    use super::{Bytes, Mode, Options, with_file};

    fn read(file: &str, words: &[&str]) -> Result<Options, String> {
        let mut at = tempfile::NamedTempFile::new().unwrap();
        at.write_all(file.as_bytes()).unwrap();
        let config = format!("--config={}", at.path().display());
        let words = ["tunnel", &config].into_iter().chain(words.iter().copied()).map(Into::into);
        let words = with_file(words).map_err(|error| error.to_string())?;
        Options::try_parse_from(words).map_err(|error| error.to_string())
    }

    #[test]
    fn a_file_says_what_options_say_and_the_command_line_counts_instead() {
        let file = "mode = 'tcp'\nbind = '127.0.0.1:1'\nto = ['a:1', 'b:2']\nlog = true\nthreads = 3\nrate-max = '1KB'\n";
        let Mode::Tcp(tcp) = read(file, &["--threads", "2"]).unwrap().mode else { panic!("another mode") };
        assert_eq!(tcp.to.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a:1", "b:2"]);
        assert_eq!(
            (tcp.common.threads, tcp.common.log, tcp.tunnels.rate_max),
            (Some(2), true, Some(Bytes(1024)))
        );
    }

    #[test]
    fn what_a_file_says_wrong_is_told_with_the_right_word() {
        for (file, told) in [
            ("bind = '127.0.0.1:1'", "no `mode`"),
            ("mode = 'tcp", "tunnel"),
            ("mode = 'tcp'\nto = 'a:1'", "--bind"),
            ("mode = 'tcp'\nbind = '127.0.0.1:1'\nto = 'a:1'\nidle-timeut = '1s'", "'--idle-timeout'"),
            ("mode = 'tcp'\nbind = { a = 1 }", "`bind` is neither"),
            ("mode = 'tcp'\nbind = 'here'\nto = 'a:1'", "is no address"),
        ] {
            let error = read(file, &[]).err().unwrap_or_default();
            assert!(error.contains(told) || told == "tunnel" && error.contains("TOML"), "{file}: {error}");
        }
        assert!(
            with_file(["tunnel", "--config", "/nowhere"].map(Into::into))
                .unwrap_err()
                .to_string()
                .contains("/nowhere")
        );
    }

    #[test]
    fn bytes_have_binary_units() {
        assert_eq!("64KB".parse(), Ok(Bytes(65_536)));
        for text in ["", "KB", "1kb", "-1", "0", "99999999999GB"] {
            assert!(text.parse::<Bytes>().is_err(), "{text}");
        }
    }
}
