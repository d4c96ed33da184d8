#!/bin/sh
# Compiles to target/pessoas-nim/pessoas, if a source is newer than what is there.
set -eu
sources=contenders/pessoas/nim
built=target/pessoas-nim
mkdir -p "$built"
if [ -e "$built/pessoas" ] && [ -z "$(find "$sources" -newer "$built/pessoas")" ]; then exit 0; fi
nim compile --hints:off --mm:orc --define:release --nimcache:"$built/cache" --out:"$built/pessoas" "$sources/pessoas.nim"
