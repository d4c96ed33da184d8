#!/bin/sh
# sh nginx.sh PORT: nginx in the foreground, with nothing outside of a folder of its own.
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
PATH="$PATH:/usr/sbin"
cat > "$folder/nginx.conf" <<CONF
daemon off;
worker_processes 1;
pid $folder/pid;
error_log stderr;
events {}
http {
    types { application/json json; }
    access_log off;
    client_body_temp_path $folder;
    proxy_temp_path $folder;
    fastcgi_temp_path $folder;
    uwsgi_temp_path $folder;
    scgi_temp_path $folder;
    server { listen 127.0.0.1:$1; root $PWD; }
}
CONF
nginx -c "$folder/nginx.conf" -p "$folder" -e stderr
