//! From what was written to what goes into the files.

use std::path::{Path, PathBuf};
use std::slice;

use galo_plan::address::Url;
use galo_plan::operands::{folder, is_address, variables};
use galo_plan::request::recorded::{Recorded, Recording};
use galo_plan::request::{RequestOptions, Requests, TIMEOUT};
use galo_plan::secret::{in_address, in_text};
use galo_plan::units::{parse_bytes, parse_cpus_milli, parse_rate_micro};

use crate::draft::{Draft, DraftRequests, Entrant, Request, Scenario};
use crate::error::InitError;
use crate::options::Options;
use crate::{names, openapi};

/// What `{port}` stands for where nobody says.
const PORT: u16 = 8080;

/// What the options mean.
pub(super) struct Resolved {
    pub(super) draft: Draft,
    pub(super) entrants: Vec<Entrant>,
    /// Servers that run already.
    pub(super) addresses: Vec<String>,
    /// What is asked, for other commands of galo.
    pub(super) url: String,
    /// What to tell beside the files: what was left out, and why.
    pub(super) told: Vec<String>,
}

impl Resolved {
    /// Validates all options, and reads the files that they name.
    ///
    /// # Errors
    /// What is wrong, with what to do.
    pub(super) fn new(options: &Options) -> Result<Self, InitError> {
        let (addresses, commands): (Vec<&str>, Vec<&str>) =
            options.operands.iter().map(String::as_str).partition(|operand| is_address(operand));
        if commands.is_empty() {
            refuse_options_of_commands(options)?;
        }
        let (url, port) = asked(options, &addresses, !commands.is_empty())?;
        some_limit("--cpus", parse_cpus_milli(&options.cpus))?;
        some_limit("--memory", parse_bytes(&options.memory))?;
        let rate_micro =
            parse_rate_micro(&options.rate).map_err(|error| InitError::Wrong(format!("--rate: {error}")))?;
        let out = real(&options.out)?;
        let names = names::of(&commands, &options.names)?;
        let traffic = traffic(options, &url)?;
        let title = traffic.title.unwrap_or_else(|| title(&options.operands));
        let mut draft = Draft {
            name: out
                .file_name()
                .map_or_else(|| "fight".to_owned(), |name| name.to_string_lossy().into_owned()),
            title,
            port,
            cpus: options.cpus.clone(),
            memory: options.memory.clone(),
            timeout: options.request.timeout.clone().unwrap_or_else(|| TIMEOUT.to_owned()),
            rate_micro,
            scenarios: traffic.scenarios,
            cases: traffic.cases,
        };
        draft.number();
        Ok(Self {
            entrants: entrants(options, &commands, &names, &out, port)?,
            addresses: addresses.iter().map(|&address| address.to_owned()).collect(),
            draft,
            url,
            told: traffic.told,
        })
    }
}

/// What would have no effect where nothing is to be started.
fn refuse_options_of_commands(options: &Options) -> Result<(), InitError> {
    let given = [
        ("--cwd", options.cwd != Options::default().cwd),
        ("--env", !options.env.is_empty()),
        ("--build", options.build.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => {
            Err(InitError::Wrong(format!("{option} is for commands, and none is given\nhint: leave it out")))
        }
    }
}

/// Says what is wrong with a limit that cannot be read, or is 0.
fn some_limit<T: Default + PartialEq>(option: &str, parsed: Result<T, String>) -> Result<(), InitError> {
    match parsed {
        Ok(limit) if limit != T::default() => Ok(()),
        Ok(_) => {
            Err(InitError::Wrong(format!("{option} 0 is no limit\nhint: leave it out for what is usual")))
        }
        Err(error) => Err(InitError::Wrong(format!("{option}: {error}"))),
    }
}

/// What is compared, without its secrets: the challenge is a file that one publishes.
fn title(operands: &[String]) -> String {
    let told: Vec<String> = operands.iter().map(|operand| in_text(operand)).collect();
    match told.as_slice() {
        [] => "A challenge".to_owned(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// What is asked, with the port in its place, and that port.
fn asked(options: &Options, addresses: &[&str], starts: bool) -> Result<(String, u16), InitError> {
    let is_described = options.from_openapi.is_some();
    let written = match (&options.url, addresses.first()) {
        (Some(url), _) => url.as_str(),
        (None, Some(address)) if !starts => address,
        (None, _) if is_described => "http://127.0.0.1:{port}/",
        (None, _) if starts => {
            let hint = "say where they listen: --url 'http://127.0.0.1:{port}/'";
            return Err(InitError::Wrong(format!("what is to serve are commands\nhint: {hint}")));
        }
        (None, _) => {
            let hint = "give commands with --url, an address, or --from-openapi FILE";
            return Err(InitError::Wrong(format!("nothing is given to fight\nhint: {hint}")));
        }
    };
    let has_place = written.contains("{port}");
    if options.port.is_some() && !has_place {
        let hint = "write {port} into --url, or leave --port out";
        return Err(InitError::Wrong(format!(
            "--port says what {{port}} stands for, but `{written}` has none\nhint: {hint}"
        )));
    }
    let url = filled(written, options.port.unwrap_or(PORT));
    let parsed = Url::parse(&url).map_err(InitError::Wrong)?;
    if parsed.tls {
        let hint = "contenders are driven by plain HTTP: write http://";
        return Err(InitError::Wrong(format!("`{written}` asks for TLS\nhint: {hint}")));
    }
    if starts && !matches!(parsed.host.as_str(), "127.0.0.1" | "localhost") {
        let hint = "contenders are driven on this machine: write http://127.0.0.1:{port}/";
        return Err(InitError::Wrong(format!(
            "`{}` is not where a command listens\nhint: {hint}",
            parsed.host
        )));
    }
    Ok((url, parsed.port))
}

/// The request of the options, to this address.
fn own(options: &Options, url: &str) -> RequestOptions {
    RequestOptions { urls: vec![url.to_owned()], ..options.request.clone() }
}

fn filled(text: &str, port: u16) -> String {
    text.replace("{port}", &port.to_string())
}

fn traffic(options: &Options, url: &str) -> Result<DraftRequests, InitError> {
    if let Some(file) = &options.from_openapi {
        let own = resolved(&own(options, url))?;
        return openapi::read(file, &own);
    }
    let Some(file) = &options.requests else {
        let request = resolved(&own(options, url))?;
        return Ok(DraftRequests { scenarios: vec![scenario(request, 1)], ..DraftRequests::default() });
    };
    let recording = Recording::read(file, options.host.as_deref())?;
    let one = own(options, url);
    // What is wrong with the options is wrong with each request.
    resolved(&one)?;
    let mut told = recording.remarks(&file.display().to_string());
    let mut scenarios = Vec::new();
    for request in &recording.requests {
        match written(request, &one) {
            Ok(request_written) => scenarios.push(scenario(request_written, request.weight)),
            Err(because) => {
                let target = in_address(&request.target);
                told.push(format!("left out: {} {target}, because {because}", request.method));
            }
        }
    }
    if scenarios.is_empty() {
        let (file, told) = (file.display(), told.join("\n"));
        return Err(InitError::Wrong(format!(
            "`{file}` holds no request that a challenge can ask for\n{told}\nhint: `galo duel --requests` sends it"
        )));
    }
    Ok(DraftRequests { scenarios, told, ..DraftRequests::default() })
}

/// A recorded request as a challenge asks for it, or why none can.
fn written(request: &Recorded, one: &RequestOptions) -> Result<Request, String> {
    let is_plain = request.method.bytes().all(|b| b.is_ascii_uppercase());
    if !is_plain {
        return Err("a challenge's file takes methods of capital letters".to_owned());
    }
    if request.body.as_deref().is_some_and(|body| std::str::from_utf8(body).is_err()) {
        return Err("its body is no text, and a challenge's file holds text alone".to_owned());
    }
    let refused = |error: InitError| error.to_string().lines().next().unwrap_or_default().to_owned();
    one.resolve_recorded(slice::from_ref(request))
        .map_err(InitError::from)
        .and_then(|requests| of_first(&requests))
        .map_err(refused)
}

fn scenario(request: Request, weight: u32) -> Scenario {
    Scenario { name: format!("{} {}", request.method, request.target), weight, request }
}

/// A request as it is sent, by the rules of `galo load`.
fn resolved(options: &RequestOptions) -> Result<Request, InitError> {
    if let Some(host) = options.headers.iter().find(|line| name_of(line).eq_ignore_ascii_case("host")) {
        return Err(InitError::Wrong(format!(
            "`{host}` cannot be sent in a fight\nhint: leave it out: Host is the contender's address"
        )));
    }
    of_first(&options.resolve()?)
}

fn of_first(requests: &Requests) -> Result<Request, InitError> {
    let step = &requests.scenarios[0].steps[0];
    let text = |bytes: Option<&[u8]>, what: &str| {
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).ok());
        let hint = "a challenge's file holds text alone";
        text.map(str::to_owned).ok_or_else(|| InitError::Wrong(format!("{what} is no text\nhint: {hint}")))
    };
    let mut request = Request {
        method: step.method.clone(),
        target: text(step.target.constant(), "the target")?,
        statuses: step.statuses.clone(),
        body: step.body.as_ref().map(|body| text(body.constant(), "the body")).transpose()?,
        ..Request::default()
    };
    for header in &step.headers {
        let value = header.values.first().and_then(|value| value.constant());
        request.add_header(&header.name, &text(value, &format!("the header `{}`", header.name))?);
    }
    Ok(request)
}

fn name_of(line: &str) -> &str {
    line.split(':').next().unwrap_or_default().trim()
}

fn entrants(
    options: &Options,
    commands: &[&str],
    names: &[String],
    out: &Path,
    port: u16,
) -> Result<Vec<Entrant>, InitError> {
    let here = folder(&options.cwd).map_err(InitError::Wrong)?;
    let mut environment = variables(&options.env).map_err(InitError::Wrong)?;
    environment.entry("PORT".to_owned()).or_insert_with(|| port.to_string());
    let entrant = |(name, command): (&String, &&str)| {
        let workdir = relative(&out.join(name), &here);
        Entrant {
            name: name.clone(),
            command: filled(command, port),
            build: options.build.clone(),
            environment: environment.clone(),
            workdir: workdir.to_string_lossy().into_owned(),
            port,
            cpus: options.cpus.clone(),
            memory: options.memory.clone(),
        }
    };
    Ok(names.iter().zip(commands).map(entrant).collect())
}

/// A path without links, of which the end need not be there.
fn real(path: &Path) -> Result<PathBuf, InitError> {
    let wrong = |error| InitError::Wrong(format!("--out `{}`: {error}\nhint: name a folder", path.display()));
    let whole = std::path::absolute(path).map_err(wrong)?;
    for there in whole.ancestors() {
        if let (Ok(found), Ok(rest)) = (there.canonicalize(), whole.strip_prefix(there)) {
            return Ok(found.join(rest));
        }
    }
    Ok(whole)
}

/// The way from one folder to another, both absolute and without links.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let same = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(same).map(|_| "..");
    let way: PathBuf =
        up.chain(to.components().skip(same).filter_map(|part| part.as_os_str().to_str())).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_found_from_another() {
        let way = |from, to| relative(Path::new(from), Path::new(to)).display().to_string();
        assert_eq!(way("/a/galo-fight/x", "/a"), "../..");
        assert_eq!(way("/a/b/x", "/a/c d/e"), "../../c d/e");
        assert_eq!(way("/a", "/a"), ".");
        assert_eq!(way("/a", "/a/b"), "b");
    }
}
