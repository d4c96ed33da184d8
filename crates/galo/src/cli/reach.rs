//! How a server is reached, alike for loads and duels.

use clap::Args;

/// Where connections go.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct ReachArgs {
    /// Take these addresses for HOST:PORT, as curl does; HOST may be *; may be given several times
    #[arg(long, value_name = "HOST:PORT:ADDR[,ADDR]")]
    pub(crate) resolve: Vec<String>,
    /// For HOST1:PORT1 connect to HOST2:PORT2, as curl does: an empty part stands for any, or for the same; may be given
    /// several times
    #[arg(long, value_name = "HOST1:PORT1:HOST2:PORT2")]
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
