"""The tools: how each is called for each kind of traffic, and what it says it did.

A method of traffic gives the command, or None where the tool cannot do that. `read` gives `requests` (answered as they
should be), `failed`, and `elapsed_s` where the tool tells it. Each has one thread, for it has one core.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def number(pattern, text, default=None):
    found = re.search(pattern, text)
    if found is None and default is None:
        raise ValueError(f"no `{pattern}`")
    return float(found.group(1)) if found else default


class Tool:
    name = ""
    version_flag = "--version"

    def found(self):
        return shutil.which(self.name) is not None

    def version(self):
        if self.version_flag is None:
            return f"{self.name} (tells no version)"
        told = subprocess.run([self.name, self.version_flag], capture_output=True, text=True, check=False, timeout=30)
        line = (told.stdout or told.stderr).strip().splitlines()[:1]
        return re.sub(r"\s*Copyright.*", "", line[0]) if line else self.name

    def closed(self, url, connections, seconds):
        raise NotImplementedError

    def rate(self, url, connections, seconds, rate):
        return None

    def h2(self, url, connections, seconds, streams):
        return None

    def users(self, url, connections, seconds, rate):
        """A new connection for every request, at a rate."""
        return None

    def read(self, told):
        raise NotImplementedError


class Galo(Tool):
    name = "galo"

    def __init__(self, binary):
        self.binary = binary or self.build()

    @staticmethod
    def build():
        command = ["cargo", "build", "--profile", "dist", "--package", "galo", "--message-format", "json"]
        built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True)
        messages = [json.loads(line) for line in built.stdout.splitlines()]
        return next(m["executable"] for m in messages if m.get("executable"))

    def found(self):
        return shutil.which(self.binary) is not None

    def version(self):
        return subprocess.run([self.binary, "--version"], capture_output=True, text=True, check=True).stdout.strip()

    def closed(self, url, connections, seconds):
        command = [self.binary, "load", url, "-c", str(connections), "-d", f"{seconds}s", "--json", "-"]
        return command + (["--insecure"] if url.startswith("https") else [])

    def rate(self, url, connections, seconds, rate):
        return self.closed(url, connections, seconds) + ["--rate", str(rate)]

    def h2(self, url, connections, seconds, streams):
        return self.closed(url, connections, seconds) + ["--http2", "--streams", str(streams)]

    def users(self, url, connections, seconds, rate):
        return self.rate(url, connections, seconds, rate) + ["--connection", "per-request"]

    def read(self, told):
        said = json.loads(told)
        ledger, engine = said["ledger"], said["engine"]
        return {
            "requests": ledger["ok"],
            "failed": sum(ledger.get(result, 0) for result in ("wrong", "failed", "timed_out")),
            "elapsed_s": said["elapsed_s"],
            "lag_us": {name: engine[f"lag_us_{name}"] for name in ("p50", "p99", "p99_9")},
        }


class Wrk(Tool):
    name, version_flag = "wrk", "-v"

    def closed(self, url, connections, seconds):
        return ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", url]

    def read(self, told):
        requests, rate = number(r"(\d+) requests in", told), number(r"Requests/sec:\s+([\d.]+)", told)
        failed = number(r"Non-2xx or 3xx responses: (\d+)", told, 0)
        errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", told)
        broken = sum(int(count) for count in errors.groups()) if errors else 0
        # The summary rounds the time to hundredths; the rate does not.
        return {"requests": int(requests - failed), "failed": int(failed) + broken, "elapsed_s": requests / rate}


class Ab(Tool):
    name, version_flag = "ab", "-V"

    def closed(self, url, connections, seconds):
        return ["ab", "-q", "-k", "-c", str(connections), "-t", str(seconds), "-n", "20000000", url]

    def read(self, told):
        done = number(r"Complete requests:\s+(\d+)", told)
        failed = number(r"Failed requests:\s+(\d+)", told) + number(r"Non-2xx responses:\s+(\d+)", told, 0)
        elapsed = number(r"Time taken for tests:\s+([\d.]+)", told)
        return {"requests": int(done - failed), "failed": int(failed), "elapsed_s": elapsed}


class H2load(Tool):
    name = "h2load"

    def closed(self, url, connections, seconds):
        return ["h2load", "--h1", "-t1", "-c", str(connections), "-D", str(seconds), url]

    def rate(self, url, connections, seconds, rate):
        return self.closed(url, connections, seconds) + [f"--rps={rate / connections}"]

    def h2(self, url, connections, seconds, streams):
        return ["h2load", "-t1", "-c", str(connections), "-m", str(streams), "-D", str(seconds), url]

    def read(self, told):
        # Requests under way at the end are neither succeeded nor failed.
        failed = number(r"(\d+) failed", told)
        right = number(r"status codes: (\d+) 2xx", told)
        rate = number(r"finished in .*?([\d.]+) req/s", told)
        return {"requests": int(right), "failed": int(failed), "elapsed_s": right / rate if rate else None}


class Hey(Tool):
    name, version_flag = "hey", None

    def closed(self, url, connections, seconds):
        return ["hey", "-cpus", "1", "-z", f"{seconds}s", "-c", str(connections), url]

    def rate(self, url, connections, seconds, rate):
        return self.closed(url, connections, seconds)[:-1] + ["-q", str(rate / connections), url]

    def read(self, told):
        # Its distributions stop at a million answers; its rate does not.
        elapsed, rate = number(r"Total:\s+([\d.]+) secs", told), number(r"Requests/sec:\s+([\d.]+)", told)
        failed = sum(int(count) for count in re.findall(r"\[[^2\]]\d\d\]\s+(\d+) responses", told))
        failed += sum(int(count) for count in re.findall(r"^\s+\[(\d+)\]\s+\D", told.partition("Error dist")[2], re.M))
        return {"requests": round(elapsed * rate) - failed, "failed": failed, "elapsed_s": elapsed}


class Oha(Tool):
    name = "oha"

    def closed(self, url, connections, seconds):
        command = ["oha", "--no-tui", "--output-format", "json", "--worker-threads", "1", "-z", f"{seconds}s"]
        return command + ["-c", str(connections), *(["--insecure"] if url.startswith("https") else []), url]

    def rate(self, url, connections, seconds, rate):
        return self.closed(url, connections, seconds)[:-1] + ["-q", str(rate), url]

    def h2(self, url, connections, seconds, streams):
        return self.closed(url, connections, seconds)[:-1] + ["--http2", "-p", str(streams), url]

    def users(self, url, connections, seconds, rate):
        return self.rate(url, connections, seconds, rate)[:-1] + ["--disable-keepalive", url]

    def read(self, told):
        said = json.loads(told)
        answers = said["statusCodeDistribution"]
        right = sum(count for status, count in answers.items() if status.startswith("2"))
        # What was under way at the end is told as an error; it is none.
        errors = {what: n for what, n in said["errorDistribution"].items() if "deadline" not in what}
        failed = sum(answers.values()) - right + sum(errors.values())
        return {"requests": right, "failed": failed, "elapsed_s": said["summary"]["total"]}


class PerfGauge(Tool):
    name = "perf-gauge"

    def closed(self, url, connections, seconds):
        command = ["perf-gauge", "-c", str(connections), "-d", f"{seconds}s", "http", "--conn_reuse"]
        return command + (["--ignore_cert"] if url.startswith("https") else []) + [url]

    def rate(self, url, connections, seconds, rate):
        return ["perf-gauge", "-r", str(rate), *self.closed(url, connections, seconds)[1:]]

    def read(self, told):
        all_of_them, right = number(r"Requests: (\d+)", told), number(r"200 OK: (\d+)", told, 0)
        rate = number(r"Request rate: ([\d.]+)", told)
        return {"requests": int(right), "failed": int(all_of_them - right), "elapsed_s": all_of_them / rate}


class K6(Tool):
    name, version_flag = "k6", "version"
    SCRIPT = """import http from 'k6/http';
export const options = { scenarios: { one: JSON.parse(__ENV.SCENARIO) }, discardResponseBodies: true,
    insecureSkipTLSVerify: true, noConnectionReuse: __ENV.FRESH === 'yes' };
export default function () { http.get(__ENV.URL); }
"""

    def __init__(self):
        self.folder = None

    def command(self, url, scenario, fresh=False):
        # Lives as long as this object, so to the end.
        self.folder = self.folder or tempfile.TemporaryDirectory(prefix="galo-benches-k6-")
        script = os.path.join(self.folder.name, "script.js")
        with open(script, "w", encoding="utf-8") as file:
            file.write(self.SCRIPT)
        self.summary = os.path.join(self.folder.name, "summary.json")
        variables = ["-e", f"URL={url}", "-e", f"SCENARIO={json.dumps(scenario)}"]
        variables += ["-e", "FRESH=yes"] if fresh else []
        return ["k6", "run", "-q", "--no-usage-report", "--summary-export", self.summary, *variables, script]

    def closed(self, url, connections, seconds):
        return self.command(url, {"executor": "constant-vus", "vus": connections, "duration": f"{seconds}s"})

    def rate(self, url, connections, seconds, rate, fresh=False):
        arrivals = {"executor": "constant-arrival-rate", "rate": rate, "timeUnit": "1s"}
        users = {"preAllocatedVUs": connections, "maxVUs": connections, "duration": f"{seconds}s"}
        return self.command(url, arrivals | users, fresh)

    def users(self, url, connections, seconds, rate):
        return self.rate(url, connections, seconds, rate, fresh=True)

    def read(self, told):
        with open(self.summary, encoding="utf-8") as file:
            metrics = json.load(file)["metrics"]
        done, rate = metrics["http_reqs"]["count"], metrics["http_reqs"]["rate"]
        failed = metrics["http_req_failed"]["passes"]
        return {"requests": done - failed, "failed": failed, "elapsed_s": done / rate}


class Vegeta(Tool):
    name, version_flag = "vegeta", "-version"

    def __init__(self):
        self.folder = None

    def rate(self, url, connections, seconds, rate):
        # Lives as long as this object, so to the end.
        self.folder = self.folder or tempfile.TemporaryDirectory(prefix="galo-benches-vegeta-")
        self.results = os.path.join(self.folder.name, "results.bin")
        targets = os.path.join(self.folder.name, "targets")
        with open(targets, "w", encoding="utf-8") as file:
            file.write(f"GET {url}\n")
        command = ["vegeta", "attack", "-targets", targets, "-insecure", "-http2=false", f"-rate={rate}/1s"]
        command += [f"-workers={connections}", f"-max-workers={connections}", f"-connections={connections}"]
        return command + [f"-duration={seconds}s", f"-output={self.results}"]

    def closed(self, url, connections, seconds):
        return self.rate(url, connections, seconds, 0)

    def read(self, told):
        report = ["vegeta", "report", "-type=json", self.results]
        said = json.loads(subprocess.run(report, capture_output=True, check=True, timeout=300).stdout)
        right = said["status_codes"].get("200", 0)
        elapsed = (said["duration"] + said["wait"]) / 1e9
        return {"requests": right, "failed": said["requests"] - right, "elapsed_s": elapsed}


TOOLS = {tool.name: tool for tool in (Wrk(), Ab(), H2load(), Hey(), Oha(), PerfGauge(), K6(), Vegeta())}
