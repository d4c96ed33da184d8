#!/bin/sh
# Builds target/crebitos-cpp/server where a source is newer. Headers that are not there are told by the package of Debian that brings them.
set -eu
cd "$(dirname "$0")"
target=../../../target/crebitos-cpp
mkdir -p "$target"
if [ -e "$target/server" ] && [ -z "$(find . -newer "$target/server" -name '*.[ch]pp' -o -newer "$target/server" -name build.sh)" ]; then
    exit
fi
for header in boost/beast/http.hpp=libboost-dev nlohmann/json.hpp=nlohmann-json3-dev postgresql/libpq-fe.h=libpq-dev; do
    if ! printf '#if !__has_include(<%s>)\n#error\n#endif\n' "${header%%=*}" | c++ -E -x c++ - >/dev/null 2>&1; then
        echo "\`${header%%=*}\` is missing"
        echo "hint: apt-get install ${header#*=}"
        exit 1
    fi >&2
done
# Another build may run at the same time, so it comes to its place as a whole.
c++ -std=c++20 -O2 -Wall -Wextra -pthread -o "$target/server.$$" main.cpp -lpq
mv "$target/server.$$" "$target/server"
