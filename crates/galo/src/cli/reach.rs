//! How a server is reached, alike for loads and duels.

use std::path::PathBuf;

use clap::Args;
use galo_plan::load::TlsSettings;

/// Where connections go.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReachArgs {
    /// HOST:PORT:IP, or several with commas: take these addresses, as curl does; HOST may be *; may be given several times
    #[arg(long, value_name = "HOST:PORT:IP")]
    pub(crate) resolve: Vec<String>,
    /// HOST1:PORT1:HOST2:PORT2: for the first connect to the second, as curl does; an empty part stands for any, or for the
    /// same; may be given several times
    #[arg(long, value_name = "FROM:TO")]
    pub(crate) connect_to: Vec<String>,
    /// The name to ask for in TLS (SNI), which the certificate must have [default: that of a Host header, or the
    /// address's]
    #[arg(long, value_name = "NAME")]
    pub(crate) sni: Option<String>,
    /// Only IPv4
    #[arg(short = '4', long, conflicts_with = "ipv6")]
    pub(crate) ipv4: bool,
    /// Only IPv6
    #[arg(short = '6', long)]
    pub(crate) ipv6: bool,
}

impl ReachArgs {
    /// The first of these options that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let all = [
            ("--resolve", !self.resolve.is_empty()),
            ("--connect-to", !self.connect_to.is_empty()),
            ("--sni", self.sni.is_some()),
            ("--ipv4", self.ipv4),
            ("--ipv6", self.ipv6),
        ];
        all.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }
}

/// Whom to trust, and who galo says it is.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct TlsArgs {
    /// Trust the certificates of this PEM file instead of the machine's; the server's own will do
    #[arg(long, value_name = "FILE")]
    pub(crate) cacert: Option<PathBuf>,
    /// Take any certificate
    #[arg(short = 'k', long, conflicts_with = "cacert")]
    pub(crate) insecure: bool,
    /// galo's own certificate (PEM), for servers that ask for one
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,
    /// The key of --cert (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
}

impl TlsArgs {
    /// As the load engine takes them.
    pub(crate) fn settings(&self) -> TlsSettings {
        TlsSettings {
            roots: self.cacert.clone(),
            insecure: self.insecure,
            client: self.cert.clone().zip(self.key.clone()),
        }
    }
}
