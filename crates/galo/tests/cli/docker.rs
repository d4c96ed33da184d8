//! Contenders in containers, on a real engine: the one that answers here, or one that these tests start and end.

use std::fs::Permissions;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Ended, PORT, galo, is_served, kill, root, run, turn, within_a_minute};

/// What the engine's client prints.
fn docker(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("docker").args(arguments).output().map_err(|e| e.to_string())?;
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

/// What goes with this program: its images, and its engine if it started one. A shell waits for the end of its input, which
/// is the end of this program, however that comes.
struct Caretaker {
    _shell: Child,
}

/// An engine, and the images of the tests' contenders.
fn engine() {
    static ENGINE: OnceLock<Caretaker> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let is_there = docker(&["version"]).is_ok();
        let log = std::env::temp_dir().join("galo-tests-dockerd.log");
        let start = if is_there { String::new() } else { format!("dockerd > {} 2>&1 & engine=$!; ", log.display()) };
        let images = ["server", "faulty", "tunnel"].map(image).join(" ");
        let script = format!(
            "{start}cat > /dev/null; docker rmi --force {images} > /dev/null 2>&1; [ -z \"$engine\" ] || {{ kill $engine; wait $engine; }}"
        );
        let mut shell = Command::new("setsid");
        shell.args(["sh", "-c", &script]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let shell = shell.spawn().unwrap();
        let answers = within_a_minute(|| docker(&["version"]).is_ok());
        assert!(answers, "no container engine answers, and `dockerd` did not start (see {}): these tests need one", log.display());
        for (name, program) in [("server", "pessoas-rust"), ("faulty", "faulty")] {
            import(name, &built(program));
        }
        import("tunnel", &root().join("target/release/tunnel"));
        Caretaker { _shell: shell }
    });
}

/// The name of an image of these tests.
fn image(name: &str) -> String {
    format!("galo-tests/{name}:{}", std::process::id())
}

/// A program of this workspace, with the balancer, by the very command of its Compose file: packages that are built together
/// share features, and a fight would build them again.
fn built(program: &str) -> PathBuf {
    let line = "build --release --locked --target-dir target -p";
    let arguments = line.split(' ').chain([program, "-p", "tunnel"]);
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    root().join("target/release").join(program)
}

/// Makes an image of a program, a shell, and the libraries that both need.
fn import(name: &str, program: &Path) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(program, folder.path().join("server")).unwrap();
    std::fs::copy("/bin/bash", folder.path().join("bash")).unwrap();
    let libraries = Command::new("ldd").arg(program).arg("/bin/bash").output().unwrap();
    // Of two programs it tells the name of each, with a colon.
    let is_library = |word: &&str| word.starts_with('/') && !word.ends_with(':');
    for word in String::from_utf8_lossy(&libraries.stdout).split_whitespace().filter(is_library) {
        let place = folder.path().join(word.trim_start_matches('/'));
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::copy(word, place).unwrap();
    }
    let tar = Command::new("tar").args(["-c", "."]).current_dir(folder.path()).output().unwrap();
    let arguments = ["import", "--change", "ENTRYPOINT [\"/server\"]", "-", &image(name)];
    let mut import =
        Command::new("docker").args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    import.stdin.take().unwrap().write_all(&tar.stdout).unwrap();
    assert!(import.wait().unwrap().success());
}

/// A folder as somebody takes part in the contest with it: nothing in it names galo.
fn folder(compose: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("docker-compose.yml"), compose).unwrap();
    folder
}

/// Two instances behind a balancer in a network of their own, on one database in a volume.
fn bridged() -> String {
    format!(
        r#"version: "3.9"
x-api: &api
  image: {server}
  volumes: ["data:/data"]
  environment: &environment
    DATABASE: /data/pessoas.db
    LOG: info
  deploy: &limits
    resources:
      limits: {{ cpus: "0.45", memory: "0.6GB" }}
services:
  api1:
    <<: *api
    environment: {{ <<: *environment, LISTEN: "0.0.0.0:8080" }}
    networks: {{ ring: {{ ipv4_address: 172.29.77.11 }} }}
  api2:
    <<: *api
    environment: {{ <<: *environment, LISTEN: "0.0.0.0:8080" }}
    networks: {{ ring: {{ ipv4_address: 172.29.77.12 }} }}
  nginx:
    image: {balancer}
    depends_on: [api1, api2]
    command: balance --bind 0.0.0.0:80 --to 172.29.77.11:8080,172.29.77.12:8080 --backend epoll
    ports: ["9999:80"]
    networks: {{ ring: {{ ipv4_address: 172.29.77.13 }} }}
    deploy: *limits
volumes:
  data:
networks:
  ring:
    ipam: {{ config: [{{ subnet: 172.29.77.0/24 }}] }}
"#,
        server = image("server"),
        balancer = image("tunnel")
    )
}

/// What ends where the balancer does not answer yet, and is started again until it does.
const IMPATIENT: &str = r#"  restart: always
  entrypoint: ["/bash", "-c", ": < /dev/tcp/172.29.77.13/80 && exec /server"]
"#;

/// The same on the machine's own network, with a fault.
fn faulty(fault: &str) -> String {
    let api = |number: u32| {
        format!(
            "  api{number}:\n    image: {}\n    command: [--fault, {fault}]\n    network_mode: host\n    volumes: [\"data:/data\"]\n    \
             environment: {{ DATABASE: /data/pessoas.db, HTTP_PORT: \"808{number}\", INSTANCE: \"{number}\" }}\n    \
             ulimits: {{ nofile: 16384 }}\n    deploy: {{ resources: {{ limits: {{ cpus: \"0.55\", memory: 1024MB }} }} }}\n",
            image("faulty")
        )
    };
    format!(
        "services:\n{}{}  balancer:\n    image: {}\n    network_mode: host\n    depends_on: [api1, api2]\n    \
         command: balance --bind 127.0.0.1:9999 --to 127.0.0.1:8081,127.0.0.1:8082 --backend epoll\n    \
         deploy: {{ resources: {{ limits: {{ cpus: \"0.40\", memory: 512MB }} }} }}\nvolumes: {{ data: }}\n",
        api(1),
        api(2),
        image("tunnel")
    )
}

/// Everything of galo's that the engine has, by its label: containers, networks and volumes, whatever they are called.
fn left() -> String {
    let label = "{{.Label \"com.docker.compose.project\"}}";
    let lists: [&[&str]; 3] = [&["ps", "--all"], &["network", "ls"], &["volume", "ls"]];
    let list = |words: &&[&str]| docker(&[*words, &["--format", label]].concat()).unwrap();
    let projects: String = lists.iter().map(list).collect();
    projects.lines().filter(|project| project.starts_with("galo-")).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn assert_nothing_is_left() {
    assert_eq!(left(), "");
    assert!(!is_served(), "port {PORT} is still served");
}

/// A check of this folder in containers, with more arguments.
fn check(folder: &Path, more: &[&str]) -> (Ended, TempDir) {
    let out = tempfile::tempdir().unwrap();
    let run_folder = out.path().join("run");
    let mut command = galo(&["check", "--json", "-", "--quiet"]);
    command.args(more).arg("--out").arg(&run_folder).arg(folder);
    (run(&mut command), out)
}

fn names(round: &Value) -> Vec<&str> {
    round["findings"].as_array().unwrap().iter().map(|finding| finding["name"].as_str().unwrap()).collect()
}

#[test]
fn a_contests_own_folder_is_checked_as_it_is_and_nothing_of_it_is_left() {
    engine();
    let _turn = turn();
    // Nothing in it says who needs whom: an instance that is started before the balancer is started again, after a crash as well.
    let compose = bridged().replace("    depends_on: [api1, api2]\n", "");
    let server = format!("  image: {}\n", image("server"));
    let compose = compose.replacen(&server, &format!("{server}{IMPATIENT}"), 1);
    assert!(compose.contains(IMPATIENT) && !compose.contains("depends_on"));
    let folder = folder(&compose);
    let (ended, out) = check(folder.path(), &["--crash"]);
    let report = ended.expect(0).json();
    assert_nothing_is_left();
    assert_eq!(report["contenders"][0]["runner"], "docker");
    let rounds = report["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), 3, "a round, a crash and an outage");
    assert!(
        names(&rounds[1]).contains(&"crash") && names(&rounds[2]).contains(&"outage"),
        "{:#}",
        report["rounds"]
    );
    // Instances are asked by themselves, at their containers' addresses; the limits are those of the file, read back.
    let instances = &rounds[0]["conformance"]["instances"];
    assert_eq!(*instances, serde_json::json!(["api1", "api2"]), "{:#}", rounds[0]["conformance"]);
    assert_eq!(report["limits_enforced"], true);
    // Each service has CPU of its own, and its log is in the run folder.
    let services = rounds[0]["services"].as_array().unwrap();
    assert_eq!(services.len(), 3);
    let is_digest =
        |service: &Value| service["image"].as_str().is_some_and(|image| image.contains("sha256:"));
    assert!(services.iter().all(is_digest), "{services:#?}");
    assert!(services.iter().all(|service| service["cpu_ns"].as_u64() > Some(0)), "{services:#?}");
    let logs = std::fs::read_dir(out.path().join("run/rounds"))
        .unwrap()
        .flatten()
        .next()
        .unwrap()
        .path()
        .join("logs");
    assert!(
        logs.join("api1.log").is_file() && logs.join("compose.galo.json").is_file(),
        "{}",
        logs.display()
    );
}

#[test]
fn a_setting_reaches_the_containers_of_a_folder_that_knows_nothing_of_knobs() {
    engine();
    let _turn = turn();
    let folder = folder(&bridged());
    let out = folder.path().join("run");
    let sweep = [
        "--sweep",
        "api*.cpus=0.3,0.4",
        "--sweep",
        "api1.env.LOG=warn",
        "--sweep",
        "nginx.arg.backend=epoll",
    ];
    let mut fight = galo(&["fight", "--profile", "check", "--rounds", "1", "--quiet", "--json", "-"]);
    let report = run(fight.args(sweep).arg("--out").arg(&out).arg(folder.path())).expect(0).json();
    assert_nothing_is_left();
    assert_eq!(report["cells"].as_array().unwrap().len(), 2, "{report}");
    // The only block is the child after the check; both settings are in it, and what the engine set is read back.
    let block = std::fs::read_to_string(out.join("children/002/attempt-1/report.json")).unwrap();
    let block: Value = serde_json::from_str(&block).unwrap();
    for round in block["rounds"].as_array().unwrap() {
        let wanted = if round["contender"].as_str().unwrap().contains("0.3") { 0.3 } else { 0.4 };
        for service in round["services"].as_array().unwrap() {
            let cpus = if service["name"] == "nginx" { 0.45 } else { wanted };
            assert_eq!(service["cpus"], cpus, "{service}");
        }
    }
    let rounds = std::fs::read_dir(out.join("children/002/attempt-1/rounds")).unwrap().flatten();
    for round in rounds {
        let over = std::fs::read_to_string(round.path().join("logs/compose.setting.json")).unwrap();
        assert!(over.contains(r#""LOG":"warn""#) && over.contains(r#""epoll""#), "{over}");
    }
}

/// What tells in its log where it finds a file that it left there, and leaves one in each place.
const RETURNING: &str = r#"    volumes: ["data:/data", "/anonymous"]
    entrypoint:
      - /bash
      - -c
      - 'for place in / /dev/shm/ /data/ /anonymous/; do [ ! -e $${place}kept ] || echo found in $$place; : > $${place}kept; done; exec /server'
"#;

#[test]
fn after_a_crash_only_volumes_are_as_they_were() {
    engine();
    let _turn = turn();
    let volumes = || docker(&["volume", "ls", "--quiet"]).unwrap();
    let before = volumes();
    let folder = folder(&bridged().replacen(
        "  api1:\n    <<: *api\n",
        &format!("  api1:\n    <<: *api\n{RETURNING}"),
        1,
    ));
    let (ended, out) = check(folder.path(), &["--crash"]);
    ended.expect(0);
    assert_nothing_is_left();
    assert_eq!(volumes(), before, "volumes without a label are left");
    let rounds = std::fs::read_dir(out.path().join("run/rounds")).unwrap().flatten();
    let logs = rounds.filter_map(|round| std::fs::read_to_string(round.path().join("logs/api1.log")).ok());
    let logs: String = logs.collect();
    let mut found: Vec<&str> =
        logs.lines().filter_map(|line| line.split_once("found in ")).map(|(_, place)| place).collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, ["/anonymous/", "/data/"], "{logs}");
}

/// With those that are refused before they start (`what_an_engine_cannot_or_should_not_start...`) seven; all of them:
/// `benches/judge/matrix --runner docker`.
#[test]
fn faults_are_named_in_containers_by_the_same_rules() {
    engine();
    let _turn = turn();
    for (fault, rule, code) in [
        ("no-fsync", "nothing-flushed", 1),
        ("loses-500th", "count-differs", 1),
        ("snapshot-search", "search-misses-acknowledged", 1),
        ("split-stack", "stack-kept", 1),
        ("pauses", "pauses", 0),
    ] {
        let folder = folder(&faulty(fault));
        let (ended, _out) = check(folder.path(), &["--runner", "docker"]);
        let report = ended.expect(code).json();
        let found: Vec<&str> = report["rounds"].as_array().unwrap().iter().flat_map(names).collect();
        assert!(found.contains(&rule), "{fault}: {found:?}");
        assert_nothing_is_left();
    }
}

#[test]
fn after_kill_9_nothing_is_left_and_what_is_somebody_elses_is_as_it_was() {
    engine();
    let _turn = turn();
    let name = format!("stranger-{}", std::process::id());
    docker(&["network", "create", &name]).unwrap();
    docker(&["volume", "create", &name]).unwrap();
    let volume = format!("{name}:/data");
    let stranger = ["run", "--detach", "--name", &name, "--network", &name, "--volume", &volume];
    let environment =
        ["--env", "DATABASE=/data/pessoas.db", "--env", "LISTEN=127.0.0.1:8080", &image("server")];
    docker(&[&stranger[..], &environment].concat()).unwrap();
    let since = docker(&["inspect", "--format", "{{.State.StartedAt}}", &name]).unwrap();
    let folder = folder(&bridged());
    // While Compose makes it, and when it serves.
    for serves in [false, true] {
        let out = tempfile::tempdir().unwrap();
        let mut command = galo(&["up", "--out"]);
        command.arg(out.path().join("run")).arg(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let is_time = || if serves { is_served() } else { !left().is_empty() };
        assert!(within_a_minute(is_time), "it never came so far");
        kill(9, child.id());
        child.wait().unwrap();
        assert!(within_a_minute(|| left().is_empty() && !is_served()), "left: {}", left());
    }
    assert_eq!(docker(&["inspect", "--format", "{{.State.StartedAt}}", &name]).unwrap(), since);
    assert_eq!(docker(&["inspect", "--format", "{{.State.Running}}", &name]).unwrap().trim(), "true");
    docker(&["rm", "--force", &name]).unwrap();
    docker(&["network", "rm", &name]).unwrap();
    docker(&["volume", "rm", &name]).unwrap();
}

#[test]
fn what_an_engine_cannot_or_should_not_start_is_told_before_it_is_tried() {
    engine();
    // Compose makes the volume of the first one before it finds that an image is missing: other tests count volumes.
    let _turn = turn();
    let started = bridged();
    let nobody = format!("127.0.0.1:{}/nobody-has-this", registry());
    for (compose, code, told) in [
        (started.replace(&image("tunnel"), &nobody), 4, "is not on this machine and cannot be pulled"),
        (started.replace("    depends_on: [api1, api2]", "    privileged: true"), 2, "privileged"),
        (started.replace("[\"data:/data\"]", "[\"/var/run/docker.sock:/data\"]"), 2, "docker.sock"),
        (started.replace("[\"9999:80\"]", "[\"9998:80\"]"), 2, "9999"),
        // The faults `no-limit` and `over-budget`.
        (started.replace("    deploy: *limits\n", ""), 2, "`nginx` has no CPU limit"),
        (started.replace("cpus: \"0.45\"", "cpus: \"0.55\""), 2, "services take 1.65 CPU of 1.5"),
        (started.replace("depends_on: [api1, api2]", "depends_on: [api1, api3]"), 2, "did you mean"),
    ] {
        assert_ne!(compose, started, "nothing was replaced");
        let folder = folder(&compose);
        let (ended, _out) = check(folder.path(), &[]);
        assert_eq!(ended.code, Some(code), "{}", ended.stderr);
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
    }
    let folder = folder(&started);
    let mut command = galo(&["check", "--quiet", "--out"]);
    let out = tempfile::tempdir().unwrap();
    command
        .arg(out.path().join("run"))
        .arg(folder.path())
        .env("DOCKER_HOST", "unix:///nonexistent/engine.sock");
    let ended = run(&mut command).expect(4);
    assert!(
        ended.stderr.contains("the container engine does not answer")
            && ended.stderr.contains("hint: start it"),
        "{}",
        ended.stderr
    );
}

/// A registry that cannot serve the first two questions for an image, and says to all others that it has none; its port.
fn registry() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut asked = 0;
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut line = String::new();
            // An engine tries TLS first, which is no line of text.
            if BufReader::new(&stream).read_line(&mut line).is_err() {
                continue;
            }
            asked += usize::from(line.contains("/manifests/"));
            let (status, body) = match line.contains("/manifests/") {
                false => ("200 OK", "{}"),
                true if asked <= 2 => ("503 Service Unavailable", ""),
                true => (
                    "404 Not Found",
                    r#"{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}"#,
                ),
            };
            let body = if line.starts_with("HEAD") { "" } else { body };
            let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close");
            let _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        }
    });
    port
}

#[test]
fn what_does_not_start_has_a_cause_and_its_last_lines() {
    engine();
    let _turn = turn();
    let entries = tempfile::tempdir().unwrap();
    let bash = |script: &str| format!("entrypoint: [/bash, -c, '{script}']");
    let mounted = |file: &str| format!("volumes: [\"./{file}:/server:ro\"]");
    let started = bridged();
    let gone = started.replace(&image("tunnel"), &format!("127.0.0.1:{}/nobody", registry()));
    let instead = |line: &str| {
        let compose =
            started.replacen("    command: balance", &format!("    {line}\n    command: balance"), 1);
        assert_ne!(compose, started);
        compose
    };
    let table = [
        ("exited", instead(&bash("echo no config; exit 3")), "no config"),
        ("image_gone", gone, "manifest unknown"),
        ("killed", instead(&bash("echo soon full; x=x; while true; do x=$$x$$x; done")), "soon full"),
        ("mounted_file_missing", instead(&mounted("missing")), "not a directory"),
        ("unknown_host", instead(&bash("exec 3<>/dev/tcp/nowhere.invalid/80")), "nowhere.invalid"),
        ("wrong_platform", instead(&mounted("foreign")), "exec format error"),
    ];
    for (cause, compose, _) in &table {
        let folder = entries.path().join(cause);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("docker-compose.yml"), compose).unwrap();
    }
    let foreign = entries.path().join("wrong_platform/foreign");
    std::fs::write(&foreign, b"\x7fELF of another kind of machine").unwrap();
    std::fs::set_permissions(&foreign, Permissions::from_mode(0o755)).unwrap();
    let out = tempfile::tempdir().unwrap();
    let mut league = galo(&["league", "--runner", "docker", "--progress", "lines", "--json", "-", "--out"]);
    let ended = run(league.arg(out.path().join("run")).arg(entries.path())).expect(0);
    assert_nothing_is_left();
    let report = ended.json();
    assert!(ended.stderr.contains(": again in 1 s: docker pull "), "{}", ended.stderr);
    let told = report["not_started"].as_array().unwrap();
    assert_eq!(told.len(), table.len(), "{report:#}");
    for (one, (cause, _, line)) in told.iter().zip(table) {
        let reason = one["standing"]["reason"].as_str().unwrap();
        assert_eq!(one["cause"], cause, "{reason}");
        assert!(reason.to_lowercase().contains(line), "{line}: {reason}");
    }
}
