#!/bin/sh
# Makes the virtual environment of a contender in target/NAME, unless it is there with the same requirements. In the
# repository's root: build.sh NAME.
set -eu
requirements=contenders/pessoas/$1/requirements.txt
environment=target/$1
# One whose Python was replaced does not find its packages any more.
if cmp -s "$requirements" "$environment/requirements.txt" && "$environment/bin/python" -c 'import asyncpg' 2>/dev/null; then
    exit
fi
python3 -m venv --clear "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check --no-deps --requirement "$requirements"
cp "$requirements" "$environment"
