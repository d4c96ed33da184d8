#!/bin/sh
# Builds target/crebitos-cpp/server where a source is newer.
set -eu
cd "$(dirname "$0")"
target=../../../target/crebitos-cpp
mkdir -p "$target"
if [ -e "$target/server" ] && [ -z "$(find . -newer "$target/server" -name '*.[ch]pp' -o -newer "$target/server" -name build.sh)" ]; then
    exit
fi
# Another build may run at the same time, so it comes to its place as a whole.
c++ -std=c++20 -O2 -Wall -Wextra -pthread -o "$target/server.$$" main.cpp -lpq
mv "$target/server.$$" "$target/server"
