//! The dashboard for Grafana against a real Prometheus, which watches a load and a fight.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::challenge_file::shops;
use crate::load_outputs::Exporting;
use crate::servers::{Recorder, json, null_url};
use crate::support::{free_port, galo, root, run, within_a_minute};

/// What stands for `$__rate_interval`.
const RATE_INTERVAL: &str = "3s";

/// A Prometheus of the test's own, until it is dropped.
struct Prometheus {
    child: Child,
    url: String,
    _folder: TempDir,
}

impl Prometheus {
    /// Starts one that scrapes these addresses every second.
    fn start(targets: [&str; 2]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("prometheus.yml");
        let text = format!(
            "global: {{ scrape_interval: 1s, scrape_timeout: 1s }}\n\
             scrape_configs:\n\
             \x20 - job_name: galo\n\
             \x20   static_configs: [{{ targets: {targets:?} }}]\n"
        );
        std::fs::write(&config, text).unwrap();
        let address = format!("127.0.0.1:{}", free_port());
        let mut command = Command::new(needs::program("prometheus", "prometheus"));
        command.arg(format!("--config.file={}", config.display()));
        command.arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()));
        command.arg(format!("--web.listen-address={address}")).arg("--log.level=error");
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let started = Self { child, url: format!("http://{address}"), _folder: folder };
        let is_ready = || ureq::get(format!("{}/-/ready", started.url)).call().is_ok();
        assert!(within_a_minute(is_ready), "Prometheus is not ready");
        started
    }

    /// Whether an expression has a value now; it must be one that Prometheus understands.
    fn has(&self, expression: &str) -> bool {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().new_agent();
        let asked = agent.get(format!("{}/api/v1/query", self.url)).query("query", expression).call();
        let told: Value = serde_json::from_str(&asked.unwrap().body_mut().read_to_string().unwrap()).unwrap();
        assert_eq!(told["status"], "success", "{expression}: {told}");
        let is_number = |series: &Value| series["value"][1].as_str() != Some("NaN");
        told["data"]["result"].as_array().unwrap().iter().any(is_number)
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Every expression of the dashboard, of panels and of variables, with its variables filled in.
fn expressions() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join("docs/grafana/galo.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&text).unwrap();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let panels = list(&dashboard["panels"]);
    let of_panels = panels.iter().flat_map(|panel| list(&panel["targets"]));
    let of_panels = of_panels.map(|target| target["expr"].as_str().unwrap().to_owned());
    let variables = list(&dashboard["templating"]["list"]);
    let of_variables = variables.iter().filter_map(|variable| {
        let query = variable["query"]["query"].as_str()?.strip_prefix("label_values(")?;
        Some(query.rsplit_once(", ")?.0.to_owned())
    });
    let filled = |expression: String| {
        let filled = expression.replace("$__rate_interval", RATE_INTERVAL);
        let filled = filled.replace("$job", "galo").replace("$contender", ".*");
        assert!(!filled.contains('$'), "{filled}: a variable that nothing fills in");
        filled
    };
    of_panels.chain(of_variables).map(filled).collect()
}

#[test]
fn every_expression_of_the_dashboard_gets_an_answer_from_a_real_prometheus() {
    let load = Exporting::start(&mut galo(&["load", &null_url(), "--rate", "200", "-d", "60s", "--force"]));
    let shops = shops("50/s for 4s");
    let fight = ["fight", "strict", "--rounds", "4", "--no-restart", "--out", "run"];
    let fight = Exporting::start(galo(&fight).current_dir(shops.path()));
    let prometheus = Prometheus::start([&load.address, &fight.address]);

    let mut open = expressions();
    assert!(open.len() > 20, "{open:?}");
    let end = Instant::now() + Duration::from_secs(40);
    while !open.is_empty() && Instant::now() < end {
        open.retain(|expression| !prometheus.has(expression));
        std::thread::sleep(Duration::from_millis(250));
    }
    assert!(open.is_empty(), "no value ever came of {open:#?}");
}

#[test]
fn a_push_gateway_gets_the_whole_fight_at_its_end() {
    let (gateway, address) = Recorder::start(|_| json(200, ""));
    let shops = shops("50/s for 1s");
    let gateway_url = format!("http://{address}");
    let fight = [
        "fight",
        "strict",
        "--rounds",
        "1",
        "--no-restart",
        "--quiet",
        "--out",
        "run",
        "--push-gateway",
        &gateway_url,
    ];
    let report = run(galo(&fight).args(["--json", "-"]).current_dir(shops.path())).json();
    let last = gateway.asked().pop().unwrap();
    assert_eq!(last.line, "PUT /metrics/job/galo_fight");
    assert!(last.body.contains("galo_fight_rounds_planned 1\n"), "{}", last.body);
    let requests = "galo_fight_requests_total{contender=\"strict\",result=\"ok\"} ";
    let ok = last.body.lines().find_map(|line| line.strip_prefix(requests)).unwrap();
    let driven = report["rounds"].as_array().unwrap().len();
    assert_eq!(ok, (50 * driven).to_string(), "{}", last.body);
}

#[test]
fn a_push_gateway_gets_checks_limits_soaks_and_duels_as_well() {
    let shops = shops("50/s for 1s");
    let [first, second] = [null_url(), null_url()];
    let pushed = |arguments: &[&str]| {
        let (gateway, address) = Recorder::start(|_| json(200, ""));
        let out = format!("run-of-{}", arguments[0]);
        let mut galo = galo(arguments);
        galo.current_dir(shops.path()).args(["--quiet", "--out", &out]);
        run(galo.args(["--push-gateway", &format!("http://{address}")]));
        let last = gateway.asked().pop().unwrap_or_else(|| panic!("{arguments:?}: nothing was pushed"));
        (last.line, last.body)
    };
    let hold = ["--profile", "quick", "--hold", "2s", "--confirm", "2s", "--max", "1", "--no-preload"];
    let limit = [&["limit", "strict"][..], &hold[..]].concat();
    let short = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/short.profile");
    let duel = ["duel", &first, &second, "--quick", "--profile", short, "--rounds", "1"];
    for (arguments, units, whose) in [
        (&["check", "strict"][..], "galo_check_rounds_total{contender=\"strict\",", "strict"),
        (&limit[..], "galo_limit_holds_total{contender=\"strict\",", "strict"),
        (
            &["soak", "strict", "--profile", "quick", "--for", "10s"],
            "galo_soak_loads_total{contender=\"strict\",",
            "strict",
        ),
        (&duel, "galo_duel_pairs_total{", ""),
    ] {
        let (line, body) = pushed(arguments);
        assert_eq!(line, format!("PUT /metrics/job/galo_{}", arguments[0]));
        assert!(body.contains(units), "{body}");
        let ok = |line: &&str| line.contains("requests_total{") && line.contains("result=\"ok\"");
        let all: u64 = body
            .lines()
            .filter(ok)
            .map(|line| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap())
            .sum();
        assert!(all > 0 && body.contains(whose), "{body}");
    }
}
