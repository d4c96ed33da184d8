#!/bin/sh
# Compiles the modules to target/pessoas-elixir, if one is newer than what is there.
set -eu
sources=contenders/pessoas/elixir
built=target/pessoas-elixir
mkdir -p "$built"
if [ -e "$built/done" ] && [ -z "$(find "$sources" -newer "$built/done")" ]; then exit 0; fi
ERL_FLAGS=+fnu elixirc --warnings-as-errors -o "$built" "$sources"/*.ex
touch "$built/done"
