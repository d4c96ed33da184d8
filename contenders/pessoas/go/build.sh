#!/bin/sh
# Builds a server: `build.sh nethttp|fiber` makes target/go-nethttp/server or target/go-fiber/server.
set -eu
cd "$(dirname "$0")"
# Go before 1.21 cannot say that it is too old.
needed=$(sed -n 's/^go //p' go.mod)
found=$(go env GOVERSION)
if [ "$(printf '%s\n' "$needed" "${found#go}" | sort -V | head -n 1)" != "$needed" ]; then
    echo "Go $needed is needed, and this is ${found#go}"
    echo "hint: install Go from go.dev, Debian 12 has an older one"
    exit 1
fi >&2
# Without the commit in it, so that nothing is built anew for another one.
exec go build -buildvcs=false -o "../../../target/go-$1/server" "./$1"
