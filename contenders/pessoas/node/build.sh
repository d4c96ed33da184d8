#!/bin/sh
# Builds a contender on Node into target/pessoas-NAME: the packages of its lock file, and the sources beside them, since an import
# looks for packages in the folders above its own file. Usage, in the repository's root: build.sh NAME
set -eu
from=contenders/pessoas
to=target/pessoas-$1
# Debian 12 still has Node 18.
if [ "$(node -p 'parseInt(process.versions.node)')" -lt 20 ]; then
    echo "Node 20 or newer is needed; this is $(node --version)"
    echo "hint: install it from nodejs.org, or from a newer Debian"
    exit 1
fi >&2
mkdir -p "$to"
# Only where the lock file is not the one of the last complete installation, since that takes seconds.
if ! cmp -s "$from/$1/package-lock.json" "$to/installed.json"; then
    cp "$from/$1/package.json" "$from/$1/package-lock.json" "$to"
    (cd "$to" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
    cp "$from/$1/package-lock.json" "$to/installed.json"
fi
cp -ru "$from/node" "$from/$1" "$to"
