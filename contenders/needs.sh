#!/bin/sh
# Runs a command whose programs may not be there: `needs.sh PROGRAM=PACKAGE... -- COMMAND...`. Whoever lacks one is told which
# package of Debian brings it, before anything is built.
set -eu
while [ "$1" != -- ]; do
    if ! command -v "${1%%=*}" >/dev/null; then
        echo "\`${1%%=*}\` is missing"
        echo "hint: apt-get install ${1#*=}"
        exit 1
    fi >&2
    shift
done
shift
exec "$@"
