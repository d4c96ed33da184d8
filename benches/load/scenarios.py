"""The scenarios: which traffic, which pairs, which columns."""

import sys
import time

from measure import Failed, drive
from tables import middle, ratios, row, spread, table

# Between runs, for the sockets of the one before to be gone.
REST_S = 0.5


def attempt(chosen, nginx, tool, command, count=False):
    """One run, or None with a line that says why not."""
    time.sleep(REST_S)
    try:
        return drive(tool, command, nginx, chosen.tool_core, chosen.seconds, count)
    except Failed as failure:
        print(f"a run of {tool.name} does not count: {failure}", file=sys.stderr)
        return None


def pairs_of(chosen, nginx, first, second):
    """Runs of two (tool, command) in turn, A B B A ...; pairs with a run that does not count are left out, and if the
    first pair has one, there are no more: what cannot be done will not be done later."""
    pairs = []
    for index in range(chosen.pairs):
        order = (0, 1) if index % 2 == 0 else (1, 0)
        runs = [None, None]
        for which in order:
            runs[which] = attempt(chosen, nginx, *(first, second)[which])
        if None not in runs:
            pairs.append(runs)
        elif index == 0:
            break
    return pairs


def commands(subject, others, how):
    """What to call for each tool that can do it."""
    command = how(subject)
    if command is None:
        sys.exit(f"{subject.name} cannot do this")
    able = [(tool, how(tool)) for tool in others]
    for tool, missing in able:
        if missing is None:
            print(f"{tool.name} is skipped: it cannot do this", file=sys.stderr)
    return (subject, command), [pair for pair in able if pair[1] is not None]


def compare(chosen, nginx, subject, others, label, how):
    """Rows of one table: the subject against each other tool. All runs of the subject."""
    first, rest = commands(subject, others, how)
    all_of_subject = []
    for second in rest:
        pairs = pairs_of(chosen, nginx, first, second)
        mine, theirs = [p[0] for p in pairs], [p[1] for p in pairs]
        all_of_subject += mine
        row([
            label,
            second[0].name,
            len(pairs),
            middle(mine, lambda run: run.tool_us()),
            middle(theirs, lambda run: run.tool_us()),
            ratios(pairs, lambda run: run.tool_us()),
            ratios(pairs, lambda run: run.both_us()),
            ratios(pairs, lambda run: run.machine_us()),
            middle(mine, lambda run: run.per_second(), 0),
            middle(theirs, lambda run: run.per_second(), 0),
            ratios(pairs, lambda run: run.per_second()),
            f"{sum(run.failed for run in mine)} / {sum(run.failed for run in theirs)}",
        ])
    return all_of_subject


def columns(subject, label):
    name = subject.name
    return [
        label, "other", "pairs", f"{name}: CPU us a request", "other: CPU us a request", "CPU ratio",
        "CPU ratio with nginx", "CPU ratio, whole machine", f"{name}: requests/s", "other: requests/s",
        "requests/s ratio", f"failed ({name} / other)",
    ]


def closed(chosen, nginx, _folder, subject, others):
    """As fast as it goes on so many connections; `tls` is the same, and the server's address makes the difference."""
    table(columns(subject, "connections"))
    for count in chosen.connections:

        def how(tool, count=count):
            return tool.closed(nginx.url, count, chosen.seconds)

        compare(chosen, nginx, subject, others, count, how)


def h2(chosen, nginx, _folder, subject, others):
    table(columns(subject, "connections x streams"))
    for count in chosen.connections:
        label = f"{count} x {chosen.streams}"

        def how(tool, count=count):
            return tool.h2(nginx.url, count, chosen.seconds, chosen.streams)

        compare(chosen, nginx, subject, others, label, how)


def rate(chosen, nginx, _folder, subject, others):
    """A fixed rate: who holds it, at what cost; and for galo, how far from the schedule each request was written."""
    def off(run):
        return (run.per_second() / chosen.rate - 1) * 100

    table(columns(subject, "connections"))
    found = []
    for count in chosen.connections:

        def how(tool, count=count):
            return tool.rate(nginx.url, count, chosen.seconds, chosen.rate)

        found.append((f"{subject.name}, {count} connections", compare(chosen, nginx, subject, others, count, how)))
        if subject.name == "galo":
            spinning = how(subject) + ["--spin"]
            runs = [attempt(chosen, nginx, subject, spinning) for _ in range(chosen.pairs)]
            found.append((f"galo --spin, {count} connections", [run for run in runs if run]))
    table(["", "runs", "achieved, % off", "CPU us a request", "error p50 us", "error p99 us", "error p99.9 us"])
    for label, runs in found:
        lags = [[run.lag_us[name] for run in runs if run.lag_us] for name in ("p50", "p99", "p99_9")]
        cpu = spread([run.tool_us() for run in runs])
        row([label, len(runs), spread([off(run) for run in runs], 3), cpu, *(spread(lag, 1) for lag in lags)])


def users(chosen, nginx, _folder, subject, others):
    """Every request on a connection of its own, at a rate: what users cost who come and go."""
    table(columns(subject, "requests/s"))
    for count in chosen.connections:

        def how(tool, count=count):
            return tool.users(nginx.url, count, chosen.seconds, chosen.rate)

        compare(chosen, nginx, subject, others, chosen.rate, how)


def memory(chosen, nginx, _folder, subject, others):
    """Peak memory with so many connections open, and how many nginx really had."""
    table(["connections", "tool", "runs", "peak RSS MB", "open at most", "requests/s", "failed"])
    for count in chosen.connections:
        for tool in [subject, *others]:
            command = tool.closed(nginx.url, count, chosen.seconds)
            attempts = (attempt(chosen, nginx, tool, command, count=True) for _ in range(chosen.pairs))
            runs = [run for run in attempts if run]
            row([
                count,
                tool.name,
                len(runs),
                spread([run.peak_rss_kb / 1024 for run in runs], 1),
                max((run.open_connections for run in runs), default="-"),
                middle(runs, lambda run: run.per_second(), 0),
                sum(run.failed for run in runs),
            ])


SCENARIOS = {"closed": closed, "tls": closed, "h2": h2, "rate": rate, "users": users, "memory": memory}
