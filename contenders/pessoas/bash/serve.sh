#!/bin/bash
# An instance: $POOL pairs of a psql and a jq, and a socat that gives each connection a bash (connection.sh). They meet at pipes with
# names in $FOLDER.
set -u
export LC_ALL=C # lengths in HTTP are those of bytes
export HTTP_PORT=${HTTP_PORT:-8081} DATABASE_URL=${DATABASE_URL:-postgres://postgres@127.0.0.1:15432/postgres}
export FOLDER=${FOLDER:-/tmp/pessoas-$HTTP_PORT} PGCONNECT_TIMEOUT=5 PGCLIENTENCODING=UTF8
pool=${POOL:-4}
here=${0%/*}

if [[ ! $pool =~ ^([1-9]|10)$ ]]; then
    echo "POOL: \`$pool\` is none of 1 to 10 (a pair's number is one digit)" >&2
    echo "hint: set it to fewer" >&2
    exit 1
fi

patience=30
while ! reason=$(psql -X -q -d "$DATABASE_URL" -c 'SELECT' 2>&1 >/dev/null); do
    if ((SECONDS >= patience)); then
        at=${DATABASE_URL##*@}
        echo "database: nobody answers at ${at%%/*} for $patience s (${reason%%$'\n'*})" >&2
        echo "hint: start PostgreSQL there, or set DATABASE_URL to where it is" >&2
        exit 1
    fi
    sleep 0.2
done

rm -rf "$FOLDER"
mkdir -p "$FOLDER/connections"
mkfifo "$FOLDER/free"
# Open as long as this runs, so that what is in it stays.
exec {free}<>"$FOLDER/free"

# Runs a command again when it ends.
keep() {
    while :; do
        "$@"
        sleep 0.2
    done
}

# Runs the psql of a slot again when it ends, as it does when it loses the database. Each has a new pipe, since of what the last one left in
# its own nobody knows where a statement begins and whether somebody still waits for it; who does asks again.
keep_psql() {
    local next
    while :; do
        mkfifo "$FOLDER/next.$1"
        exec {next}<>"$FOLDER/next.$1"
        mv "$FOLDER/next.$1" "$FOLDER/ask.$1"
        # The old one ends here, after it has lost its name: nobody can find it without a reader and wait for one.
        exec 0<&"$next"
        exec {next}<&-
        # It may follow half a line.
        printf '\nagain %s\n' "${EPOCHREALTIME/./}"
        (
            echo "$BASHPID" >"$FOLDER/psql.$1"
            exec psql -X -q -A -t -d "$DATABASE_URL" -f "$here/statements.sql" -f -
        )
        : >"$FOLDER/psql.$1"
        sleep 0.2
    done
}

# Each job is a group of processes of its own, which can be ended as a whole.
set -m
for ((slot = 0; slot < pool; slot++)); do
    for pipe in ask told body verdict; do
        mkfifo "$FOLDER/$pipe.$slot"
    done
    # Opened for both directions, a pipe never ends.
    keep_psql "$slot" 0<>"$FOLDER/ask.$slot" 1<>"$FOLDER/told.$slot" &
    keep jq -R -r --unbuffered -f "$here/person.jq" 0<>"$FOLDER/body.$slot" 1<>"$FOLDER/verdict.$slot" &
    printf %s "$slot" >&"$free"
done
# bash writes line by line, and without `nodelay` the second line waits until the first one is acknowledged.
socat "TCP-LISTEN:$HTTP_PORT,bind=127.0.0.1,reuseaddr,nodelay,fork,backlog=1024,max-children=256" \
    "EXEC:bash $here/connection.sh,nofork" &
socat=$!

stop() {
    trap '' TERM
    kill "$socat"
    for connection in "$FOLDER"/connections/*; do
        kill "${connection##*/}"
    done
    for ((round = 0; round < 50; round++)); do
        compgen -G "$FOLDER/connections/*" >/dev/null || break
        sleep 0.1
    done
    for job in $(jobs -p); do
        kill -- "-$job"
    done
    rm -rf "$FOLDER"
    exit 0
} 2>/dev/null
trap stop TERM
wait "$socat"
echo "port $HTTP_PORT: socat has ended" >&2
for job in $(jobs -p); do
    kill -- "-$job"
done
exit 1
