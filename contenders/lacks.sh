#!/bin/sh
# Says which packages of Debian are missing of those that a contender's files name: `lacks.sh FOLDER`, one in a line.
set -eu
grep -ohE 'needs.sh .* -- ' "$1"/*.yaml | sed 's/^needs.sh //; s/ -- .*//' | xargs -n1 | sort -u | while read -r need; do
    command -v "${need%%=*}" >/dev/null || echo "${need#*=}"
done
