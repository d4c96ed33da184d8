"""What the benches of duels share: their servers, duels that are not driven twice, and figures of pairs."""

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCHES = ROOT / "benches/duel"
GALO = Path(os.environ.get("GALO", ROOT / "target/release/galo"))
# Commands, but for the port and what follows it. Of two starts of Node one may take 5 % more CPU for each answer than the other; a
# server of which every start is alike shows what galo can tell apart.
NODE = f"node {BENCHES / 'server.js'}"
WORKER = ROOT / "target/worker"
# Of a slice, or of a load by `counted`; and the level at which it decides.
FIGURES = {
    ("CPU for each answer", "half"): lambda of: of["cpu_ns"] / of["ok"],
    ("answers/s", "highest"): lambda of: of["ok"] / of["elapsed_ns"],
}


def build():
    if GALO == ROOT / "target/release/galo":
        subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "galo"], cwd=ROOT, check=True)
    WORKER.parent.mkdir(exist_ok=True)
    subprocess.run(["cc", "-O2", "-o", WORKER, BENCHES / "worker.c"], check=True)


def report_of(out, commands, options):
    """The report of the duel in this folder, which is driven if it is not there yet."""
    if not (out / "report.json").exists():
        subprocess.run(["rm", "-rf", out], check=True)
        duel = [GALO, "duel", "--url", "http://127.0.0.1:{port}/", *commands, "--name", "first", "--name", "second", *options]
        subprocess.run([*duel, "--quiet", "--out", out], check=False, stdout=subprocess.DEVNULL)
    return json.loads((out / "report.json").read_text())


def pairs(report, level):
    """The start of each pair, and the loads of both its sides, where both count."""
    turns = {}
    for turn in report["turns"]:
        turns.setdefault((turn["start"], turn["pair"]), {})[turn["side"]] = turn
    for (start, _), sides in sorted(turns.items()):
        loads = [load for side in sorted(sides) for load in sides[side]["loads"] if load["level"] == level and not load["void"]]
        if len(loads) == 2:
            yield start, loads


def counted(load):
    """A load with the figures that a slice has."""
    return {"ok": load["ledger"]["ok"], "elapsed_ns": load["elapsed_ns"], "cpu_ns": sum(of["cpu_ns"] for of in load["usage"]["services"])}
