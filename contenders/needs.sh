#!/bin/sh
# Runs a command whose programs may not be there: `needs.sh PROGRAM=PACKAGE... -- COMMAND...`. If one is missing, it says which
# package of Debian brings it, before anything is built. A file, such as a header, is named by its whole path in place of a program.
set -eu
while [ "$1" != -- ]; do
    need=${1%%=*}
    case "$need" in
    /*) [ -e "$need" ] ;;
    *) command -v "$need" >/dev/null ;;
    esac || {
        echo "\`$need\` is missing"
        echo "hint: apt-get install ${1#*=}"
        exit 1
    } >&2
    shift
done
shift
exec "$@"
