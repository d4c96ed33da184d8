#!/bin/sh
# Runs nginx as a plain process of an ordinary user. Usage: run.sh FOLDER FILE...
# Everything of it (the files of its configuration, one of them nginx.conf, process id, sockets of the instances) is in FOLDER.
set -eu
PATH="$PATH:/usr/sbin"
if ! command -v nginx >/dev/null; then
    echo "nginx is missing"
    echo "hint: apt-get install nginx postgresql"
    exit 1
fi >&2
folder=$1
shift
cp "$@" "$folder"
cd "$folder"
exec nginx -p ./ -c nginx.conf -g 'daemon off;'
