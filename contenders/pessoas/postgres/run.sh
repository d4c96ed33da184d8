#!/bin/sh
# Runs PostgreSQL as a plain process, as its image does it in a container: data in $PGDATA (made where there is none),
# its socket in $PGHOST. Usage: run.sh prepare; run.sh serve [OPTION...]
set -eu
# Debian keeps its programs apart, by version; the newest comes first.
for folder in /usr/lib/postgresql/*/bin; do
    PATH="$folder:$PATH"
done
if ! command -v postgres >/dev/null; then
    echo "PostgreSQL is missing"
    echo "hint: apt-get install nginx postgresql"
    exit 1
fi >&2
case "$1" in
prepare)
    # Segments of 4 MB: making a new one holds up the commits that need it, and four times 4 MB hold them up for less at
    # a time than 16 MB. Unsynced: no machine that loses its power goes on with this round.
    initdb --username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 --wal-segsize=4 --no-sync --no-instructions
    cp ../postgres/postgresql.conf "$PGDATA"
    ;;
serve)
    shift
    exec postgres -k "$PGHOST" "$@"
    ;;
esac
