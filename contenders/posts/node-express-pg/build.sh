#!/bin/sh
# Lays the program and the packages of package-lock.json into target/posts-node-express-pg. Run from the repository's root.
set -eu
from=contenders/posts/node-express-pg
to=target/posts-node-express-pg
mkdir -p $to
cp $from/server.js $from/package.json $to
# The lock is copied last, so one that is there was installed whole.
if ! cmp -s $from/package-lock.json $to/installed-lock.json; then
    cp $from/package-lock.json $to
    (cd $to && npm ci --omit=dev --no-audit --no-fund)
    cp $from/package-lock.json $to/installed-lock.json
fi
