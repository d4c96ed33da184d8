#!/bin/sh
# Compiles to target/pessoas-crystal/pessoas, if a source is newer than what is there.
set -eu
sources=contenders/pessoas/crystal
built=target/pessoas-crystal
mkdir -p "$built"
if [ -e "$built/pessoas" ] && [ -z "$(find "$sources" -newer "$built/pessoas")" ]; then exit 0; fi
# Nobody here speaks TLS or compresses, so the libraries for that need not be there.
CRYSTAL_CACHE_DIR="$built/cache" crystal build --release --no-debug -Dwithout_openssl -Dwithout_zlib \
    -o "$built/pessoas" "$sources/pessoas.cr"
