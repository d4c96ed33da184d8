"""What benches share that keep their figures: on what something was driven, and tables between two lines of a page."""

import datetime
import json
import os
import pathlib
import platform
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def now():
    return f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT%H:%MZ}"


def commit():
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs", ":!*.md")
    return git("rev-parse", "--short=12", "HEAD") + (" and changes" if changed else "")


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{cpu.group(1) if cpu else platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"


def dump(records):
    """As JSON, in which a list or an object of plain values is one line."""

    def one_line(found):
        begin, values, end = found.groups()
        return begin + re.sub(r"\n\s*", " ", values) + end

    text = json.dumps(records, indent=1, ensure_ascii=False)
    return re.sub(r"([\[{])\n\s*([^\[\]{}]*?)\n\s*([\]}])", one_line, text) + "\n"


def put(page, text, begin, end, table):
    """The text of a page with a table between two of its lines."""
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{page.name} has no place for a table: the lines\n{begin}\n{end}")
    return f"{before}{begin}\n\n{table}\n\n{end}{after}"
