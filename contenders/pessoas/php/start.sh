#!/bin/sh
# Waits for the database, then becomes php-fpm, which listens on $SOCKET with $POOL workers.
set -eu
cd "$(dirname "$0")"
# A worker answers one request at a time on a connection of its own, so this is the size of the pool as well.
export POOL="${POOL:-8}"
# One that is left from a crash would say that this instance is ready.
rm -f "$SOCKET"
php8.2 wait.php
PATH="$PATH:/usr/sbin"
exec php-fpm8.2 --nodaemonize --force-stderr --fpm-config php-fpm.conf
