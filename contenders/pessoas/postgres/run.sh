#!/bin/sh
# Runs PostgreSQL as a plain process, as its image does it in a container: data in $PGDATA (made where there is none),
# its socket in $PGHOST. Usage: run.sh prepare [FILE]; run.sh serve [OPTION...]. FILE is SQL for the new database, a blank line
# behind each statement.
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
    cp "$(dirname "$0")/postgresql.conf" "$PGDATA"
    if [ $# = 2 ]; then
        # It goes on after an error, so whether the file was right is asked of what it says.
        if postgres --single -j postgres <"$2" 2>&1 >/dev/null | grep -E 'ERROR|FATAL|PANIC'; then exit 1; fi >&2
    fi
    ;;
serve)
    shift
    exec postgres -k "$PGHOST" "$@"
    ;;
esac
