#!/bin/sh
# Runs nginx as a plain process of an ordinary user. Usage: run.sh FOLDER
# Everything of it (configuration, process id, sockets of the instances) is in FOLDER.
set -eu
PATH="$PATH:/usr/sbin"
if ! command -v nginx >/dev/null; then
    echo "nginx is missing"
    echo "hint: apt-get install nginx postgresql"
    exit 1
fi >&2
cp ../nginx/nginx.conf upstream.conf "$1"
cd "$1"
exec nginx -p ./ -c nginx.conf -g 'daemon off;'
