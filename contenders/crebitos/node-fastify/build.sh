#!/bin/sh
# Lays the program and the packages of package-lock.json into target/crebitos-node-fastify. Run from the repository's root.
set -eu
from=contenders/crebitos/node-fastify
to=target/crebitos-node-fastify
# Debian 12 still has Node 18.
if [ "$(node -p 'parseInt(process.versions.node)')" -lt 20 ]; then
    echo "Node 20 or newer is needed; this is $(node --version)"
    echo "hint: install it from nodejs.org, or from a newer Debian"
    exit 1
fi >&2
mkdir -p $to
cp $from/*.js $from/package.json $to
# The lock is copied last, so one that is there was installed whole.
if ! cmp -s $from/package-lock.json $to/installed-lock.json; then
    cp $from/package-lock.json $to
    (cd $to && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp $from/package-lock.json $to/installed-lock.json
fi
