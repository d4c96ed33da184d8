//! A headless Chromium, spoken to by the DevTools protocol over its pipe: messages of JSON that end with a zero byte. No port
//! is opened, and when the pipe is closed, because all tests are over or were killed, the browser ends. Starting it takes
//! longer than a test: all share one, in turns, each with a tab of its own.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};

/// How long an answer may take, on a machine full of other tests.
const PATIENCE: Duration = Duration::from_secs(60);
/// Debian calls it by the first name, others by one of those after it.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

pub(crate) struct Browser {
    to: ChildStdin,
    from: Receiver<Value>,
    /// What came before it was asked for.
    events: VecDeque<Value>,
    last_id: u64,
    session: String,
}

/// The one that all tests share.
static SHARED: Mutex<Option<Browser>> = Mutex::new(None);

/// Does something in a new tab.
pub(crate) fn in_a_tab(act: impl FnOnce(&mut Browser)) {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    let browser = shared.get_or_insert_with(Browser::start);
    let tab = browser.new_tab();
    act(browser);
    browser.call("Target.closeTarget", json!({"targetId": tab}));
}

/// How the page is seen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    pub(crate) width: u32,
    pub(crate) dark: bool,
    pub(crate) language: &'static str,
}

pub(crate) const DESKTOP: Screen = Screen { width: 1440, dark: false, language: "en-GB" };
pub(crate) const PHONE: Screen = Screen { width: 360, ..DESKTOP };

impl Browser {
    fn start() -> Self {
        let installed = NAMES.into_iter().find(|name| is_there(name));
        let name = installed.map_or_else(|| needs::program(NAMES[0], "chromium"), PathBuf::from);
        let profile = std::env::temp_dir().join(format!("galo-chromium-{}", std::process::id()));
        // Its pipe is descriptors 3 and 4. The shell outlives the test, to remove what the browser leaves.
        let script = format!(
            "{} --headless --no-sandbox --disable-gpu --no-first-run --remote-debugging-pipe \
             --user-data-dir=\"$1\" about:blank 3<&0 4>&1 </dev/null >/dev/null 2>&1; rm -rf \"$1\"",
            name.display()
        );
        let mut process = Command::new("sh")
            .args(["-c", &script, "sh"])
            .arg(profile)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = process.stdin.take().unwrap();
        let (sender, from) = channel();
        let mut answers = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while answers.read_until(0, &mut message).is_ok_and(|read| read > 0) {
                message.pop();
                let Ok(value) = serde_json::from_slice(&message) else { break };
                message.clear();
                if sender.send(value).is_err() {
                    break;
                }
            }
            let _ = process.wait();
        });
        Self { to, from, events: VecDeque::new(), last_id: 0, session: String::new() }
    }

    fn new_tab(&mut self) -> Value {
        self.session.clear();
        let tab = self.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = self.call("Target.attachToTarget", json!({"targetId": tab, "flatten": true}));
        self.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Log", "Network"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
        self.events.clear();
        tab
    }

    /// Opens a file as it is seen on that screen, and waits until it is there.
    pub(crate) fn open(&mut self, file: &Path, screen: Screen) {
        let height = if screen.width < 600 { 780 } else { 900 };
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": screen.width, "height": height, "deviceScaleFactor": 1, "mobile": screen.width < 600}),
        );
        let scheme = if screen.dark { "dark" } else { "light" };
        self.call(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
        // Of the language only what a page sees: `navigator.languages`.
        let agent = self.call("Browser.getVersion", json!({}))["userAgent"].clone();
        self.call(
            "Emulation.setUserAgentOverride",
            json!({"userAgent": agent, "acceptLanguage": screen.language}),
        );
        self.call("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        self.wait_for("Page.loadEventFired");
        self.settle();
    }

    /// Lets the page draw what it was told to.
    pub(crate) fn settle(&mut self) {
        self.eval("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))");
    }

    /// The value of an expression in the page, awaited.
    pub(crate) fn eval(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// The same as text.
    pub(crate) fn text(&mut self, expression: &str) -> String {
        let value = self.eval(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is no text: {value}")).to_owned()
    }

    /// Presses a key and lets it go.
    pub(crate) fn press(&mut self, key: &str) {
        for kind in ["rawKeyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", json!({"type": kind, "key": key, "code": key}));
        }
        self.settle();
    }

    /// Moves the pointer to a place in the window.
    pub(crate) fn point(&mut self, x: f64, y: f64) {
        self.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": x, "y": y}));
        self.settle();
    }

    /// A call of the DevTools protocol; its result.
    pub(crate) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let mut message = json!({"id": self.last_id, "method": method});
        message["params"] = parameters;
        if !self.session.is_empty() && !method.starts_with("Browser.") {
            message["sessionId"] = self.session.clone().into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).unwrap();
        loop {
            let answer = self.from.recv_timeout(PATIENCE).expect("chromium answers");
            if answer["id"] == self.last_id {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push_back(answer);
        }
    }

    fn wait_for(&mut self, event: &str) {
        if let Some(at) = self.events.iter().position(|e| e["method"] == event) {
            self.events.remove(at);
            return;
        }
        loop {
            let next = self.from.recv_timeout(PATIENCE).expect("chromium tells what happens");
            if next["method"] == event {
                return;
            }
            self.events.push_back(next);
        }
    }

    /// What the page complained of, and what it asked for beside itself, since its tab was opened.
    pub(crate) fn complaints(&mut self) -> Vec<String> {
        // An answer comes after all events before it.
        self.settle();
        let told = |event: &Value| {
            let parameters = &event["params"];
            let url = parameters["request"]["url"].as_str().unwrap_or_default();
            match event["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded" => {
                    Some(parameters.to_string())
                }
                "Network.requestWillBeSent" if !url.ends_with(".html") => Some(format!("asked for {url}")),
                _ => None,
            }
        };
        self.events.iter().filter_map(told).collect()
    }
}

fn is_there(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| dir.join(name).is_file()))
}
