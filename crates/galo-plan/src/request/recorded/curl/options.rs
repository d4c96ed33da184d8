//! The options of curl: which have a value, and which change what is sent.

use crate::words;

/// What an option does, as far as a request goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing.
    Flag,
    /// Nothing, and it has a value.
    Value,
    /// What [`Takes`] says, with its value.
    Takes(Takes),
    /// What [`Sets`] says.
    Sets(Sets),
}

/// Options that have a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Method,
    Header,
    Cookie,
    User,
    Bearer,
    Agent,
    Referer,
    Range,
    Url,
    UrlQuery,
    Data,
    DataRaw,
    DataBinary,
    DataEncoded,
    Json,
    Form,
    FormString,
    Upload,
}

/// Options without a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sets {
    Get,
    Head,
    Compressed,
    NoGlob,
    PathAsIs,
    /// What follows is another request.
    Next,
}

/// Flags that change nothing of what is sent first.
const FLAGS: &str = "
    -s --silent -S --show-error -i --include --show-headers -v --verbose -k --insecure
    --proxy-insecure -f --fail --fail-with-body --fail-early -L --location --location-trusted
    --post301 --post302 --post303 -# --progress-bar --progress-meter -N --no-buffer --buffer
    --keepalive -q --disable -O --remote-name --remote-name-all -J --remote-header-name -R
    --remote-time -Z --parallel --parallel-immediate --create-dirs --remove-on-error --styled-output
    --raw --http1.1 --http2 --http2-prior-knowledge --http3 --http3-only --basic --form-escape
    --tcp-nodelay --tcp-fastopen --alpn --ssl --ssl-reqd --ssl-no-revoke --ssl-revoke-best-effort
    --sessionid -1 --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 -4 --ipv4 -6 --ipv6
    --retry-all-errors --retry-connrefused --trace-time --junk-session-cookies -p --proxytunnel
";

/// Options with a value that change nothing of what is sent first.
const VALUES: &str = "
    -o --output --output-dir -w --write-out -m --max-time --connect-timeout --expect100-timeout
    --keepalive-time --max-redirs --max-filesize --limit-rate --rate -Y --speed-limit -y
    --speed-time --retry --retry-delay --retry-max-time --cacert --capath -E --cert --cert-type
    --key --key-type --pass --ciphers --tls13-ciphers --tls-max --curves --pinnedpubkey --interface
    --local-port --resolve --connect-to --dns-servers --doh-url --unix-socket --abstract-unix-socket
    -x --proxy --preproxy -U --proxy-user --proxy-header --noproxy --socks5 --socks5-hostname -D
    --dump-header -c --cookie-jar --stderr --trace --trace-ascii --trace-config --parallel-max
";

/// The option of this name, with its two dashes or one and a letter.
pub(super) fn find(name: &str) -> Option<Kind> {
    Some(match name {
        "-X" | "--request" => Kind::Takes(Takes::Method),
        "-H" | "--header" => Kind::Takes(Takes::Header),
        "-b" | "--cookie" => Kind::Takes(Takes::Cookie),
        "-u" | "--user" => Kind::Takes(Takes::User),
        "--oauth2-bearer" => Kind::Takes(Takes::Bearer),
        "-A" | "--user-agent" => Kind::Takes(Takes::Agent),
        "-e" | "--referer" => Kind::Takes(Takes::Referer),
        "-r" | "--range" => Kind::Takes(Takes::Range),
        "--url" => Kind::Takes(Takes::Url),
        "--url-query" => Kind::Takes(Takes::UrlQuery),
        "-d" | "--data" | "--data-ascii" => Kind::Takes(Takes::Data),
        "--data-raw" => Kind::Takes(Takes::DataRaw),
        "--data-binary" => Kind::Takes(Takes::DataBinary),
        "--data-urlencode" => Kind::Takes(Takes::DataEncoded),
        "--json" => Kind::Takes(Takes::Json),
        "-F" | "--form" => Kind::Takes(Takes::Form),
        "--form-string" => Kind::Takes(Takes::FormString),
        "-T" | "--upload-file" => Kind::Takes(Takes::Upload),
        "-G" | "--get" => Kind::Sets(Sets::Get),
        "-I" | "--head" => Kind::Sets(Sets::Head),
        "--compressed" => Kind::Sets(Sets::Compressed),
        "-g" | "--globoff" => Kind::Sets(Sets::NoGlob),
        "--path-as-is" => Kind::Sets(Sets::PathAsIs),
        "-:" | "--next" => Kind::Sets(Sets::Next),
        _ if words::has(FLAGS, name) || is_taken_back(name) => Kind::Flag,
        _ if words::has(VALUES, name) => Kind::Value,
        _ => return None,
    })
}

/// Whether it is `--no-compressed` or the like, which takes back what a flag says.
fn is_taken_back(name: &str) -> bool {
    let own = name.strip_prefix("--no-");
    own.is_some_and(|own| own == "compressed" || words::has(FLAGS, &format!("--{own}")))
}
