#!/bin/sh
# Runs nginx with $CONNECTIONS in its nginx.conf, as a plain process of an ordinary user. Usage: nginx.sh FOLDER
set -eu
PATH="$PATH:/usr/sbin"
sed "s/CONNECTIONS/$CONNECTIONS/" nginx.conf >"$1/nginx.conf"
cd "$1"
exec nginx -p ./ -c nginx.conf -g 'daemon off;'
