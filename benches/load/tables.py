"""What is printed: the circumstances, and tables in Markdown."""

import os
import platform
import shlex
import subprocess
import sys
from datetime import datetime, timezone
from statistics import median


def row(cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def table(names):
    print()
    row(names)
    row(["---"] * len(names))


def spread(values, digits=2):
    """Median, smallest and largest."""
    if not values:
        return "-"
    shown = [f"{value:,.{digits}f}" for value in (median(values), min(values), max(values))]
    return f"{shown[0]} ({shown[1]} to {shown[2]})"


def ratios(pairs, figure):
    """The first of each pair divided by the second."""
    divided = [figure(first) / figure(second) for first, second in pairs if figure(second) > 0]
    return spread(divided)


def middle(runs, figure, digits=2):
    return f"{median(figure(run) for run in runs):,.{digits}f}" if runs else "-"


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()


def heading(chosen, tools):
    nginx = subprocess.run(["nginx", "-v"], capture_output=True, text=True, check=True).stderr.strip()
    versions = [nginx.replace("nginx version: ", "")] + [tool.version() for tool in tools]
    print(f"- command: `{shlex.join(['benches/load/run', *sys.argv[1:]])}`")
    print(f"- {datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC")
    print(f"- {processor()}, {os.cpu_count()} cores, Linux {platform.release()}")
    print(f"- server on core {chosen.server_core}, tool on core {chosen.tool_core}; ", end="")
    print(f"{chosen.pairs} pairs of {chosen.seconds} s each, load average before {os.getloadavg()[0]:.2f}")
    print(f"- {'; '.join(versions)}", flush=True)
