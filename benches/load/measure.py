"""One run of one tool: what it did, and what that cost on this machine."""

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

from server import TICK_S

POLL_S = 0.05
# How often nginx's descriptors are counted, which costs milliseconds where they are many.
COUNT_S = 0.5
# A tool that is not done so long after its time is ended.
PATIENCE_S = 60


class Failed(Exception):
    """A run that says nothing, with the reason."""


def last_words(text):
    return " ".join(text.split())[-200:]


@dataclass
class Run:
    """One run's figures. CPU in seconds."""

    requests: int  # answered as they should be
    failed: int
    elapsed_s: float
    tool_cpu_s: float
    server_cpu_s: float
    machine_cpu_s: float
    peak_rss_kb: int
    open_connections: int
    lag_us: dict = field(default_factory=dict)

    def tool_us(self):
        return self.tool_cpu_s / self.requests * 1e6

    def both_us(self):
        return (self.tool_cpu_s + self.server_cpu_s) / self.requests * 1e6

    def machine_us(self):
        return self.machine_cpu_s / self.requests * 1e6

    def per_second(self):
        return self.requests / self.elapsed_s


def machine_cpu_s():
    """Busy time of all cores since boot: user, nice, system, irq, softirq."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(field) for field in file.readline().split()[1:]]
    return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6]) * TICK_S


def peak_rss_kb(pid):
    """`VmHWM`; 0 for a process that is over. Not `ru_maxrss`, which remembers this script's size from before exec."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            for line in file:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1])
    except FileNotFoundError:
        pass
    return 0


def wait(process, nginx, limit_s, count):
    """Waits for the end by wait4: its rusage, peak memory and, if they are to be counted, nginx's most descriptors."""
    peak, most = 0, 0
    end = time.monotonic() + limit_s
    next_count = time.monotonic() if count else end + 1
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage, peak, most
        peak = max(peak, peak_rss_kb(process.pid))
        if time.monotonic() > next_count:
            most = max(most, nginx.open_descriptors())
            next_count += COUNT_S
        if time.monotonic() > end:
            process.kill()
            raise Failed(f"was not done after {limit_s} s")
        time.sleep(POLL_S)


def drive(tool, command, nginx, core, seconds, count=False):
    """Runs `command` on `core` and reads what the tool says of it; `count`: how many connections were open. Raises
    `Failed`."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        idle = nginx.open_descriptors()
        machine, server, start = machine_cpu_s(), nginx.cpu_s(), time.monotonic()
        process = subprocess.Popen(
            ["taskset", "-c", str(core), *command], stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
        try:
            usage, peak, most = wait(process, nginx, seconds + PATIENCE_S, count)
        finally:
            if process.returncode is None:
                process.kill()
                process.wait()
        wall = time.monotonic() - start
        machine, server = machine_cpu_s() - machine, nginx.cpu_s() - server
        out.seek(0)
        err.seek(0)
        told, complaint = out.read().decode(errors="replace"), err.read().decode(errors="replace")
    if process.returncode != 0:
        raise Failed(f"exit code {process.returncode}: {last_words(complaint or told)}")
    try:
        said = tool.read(told)
    except (ValueError, KeyError, AttributeError, TypeError, OSError, subprocess.SubprocessError) as unreadable:
        raise Failed(f"its output was not understood ({unreadable!r}): {last_words(told)}") from unreadable
    if said["requests"] == 0:
        raise Failed(f"no request was answered: {last_words(complaint or told)}")
    return Run(
        requests=said["requests"],
        failed=said["failed"],
        elapsed_s=said.get("elapsed_s") or wall,
        tool_cpu_s=usage.ru_utime + usage.ru_stime,
        server_cpu_s=server,
        machine_cpu_s=machine,
        peak_rss_kb=peak,
        open_connections=max(most - idle, 0),
        lag_us=said.get("lag_us", {}),
    )
