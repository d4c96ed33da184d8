//! The options of one request, alike for duels and `galo init`.

use clap::Args;

/// One request.
#[derive(Debug, Clone, Args)]
pub(crate) struct RequestArgs {
    /// Method [default: GET, or POST with --data]
    #[arg(short = 'X', long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// A header line `Name: value`; may be given several times
    #[arg(short = 'H', long, value_name = "LINE")]
    pub(crate) header: Vec<String>,
    /// Body: a text, @FILE, random:64k or base64:AAEC
    #[arg(long, alias = "body", value_name = "BODY")]
    pub(crate) data: Option<String>,
    /// Statuses that are right, e.g. 200,404,3xx [default: every 2xx and 3xx]
    #[arg(long, value_name = "STATUSES")]
    pub(crate) status: Option<String>,
    /// Bound for an answer [default: 10s]
    #[arg(long, value_name = "TIME")]
    pub(crate) timeout: Option<String>,
}
