#!/bin/sh
# Installs Bun, which runs TypeScript as it is, from its npm package into target/pessoas-bun-serve. Run in the repository's root.
set -eu
from=contenders/pessoas/bun-serve
to=target/pessoas-bun-serve
mkdir -p "$to"
# Only where the lock file is not the one of the last complete installation, since that takes seconds.
if ! cmp -s "$from/package-lock.json" "$to/installed.json"; then
    cp "$from/package.json" "$from/package-lock.json" "$to"
    (cd "$to" && npm ci --ignore-scripts=false --no-audit --no-fund --loglevel=error)
    cp "$from/package-lock.json" "$to/installed.json"
fi
