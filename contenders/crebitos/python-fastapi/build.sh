#!/bin/sh
# Lays Python and the packages of requirements.txt into target/crebitos-python-fastapi. Run from the repository's root.
set -eu
from=contenders/crebitos/python-fastapi
to=target/crebitos-python-fastapi
# The list is copied last, so one that is there was installed whole. One whose Python was replaced does not find its packages any more.
if ! cmp -s $from/requirements.txt $to/installed.txt || ! $to/bin/python -c 'import asyncpg' 2>/dev/null; then
    python3 -m venv --clear $to
    $to/bin/pip install --quiet --disable-pip-version-check --no-deps -r $from/requirements.txt
    cp $from/requirements.txt $to/installed.txt
fi
