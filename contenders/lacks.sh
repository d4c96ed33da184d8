#!/bin/sh
# Says which packages of Debian are missing of those that a contender's files name: `lacks.sh FOLDER`, one in a line.
set -eu
grep -ohE 'needs.sh .* -- ' "$1"/*.yaml | sed 's/^needs.sh //; s/ -- .*//' | xargs -rn1 | sort -u | while read -r need; do
    sh "$(dirname "$0")/needs.sh" "$need" -- true 2>/dev/null || echo "${need#*=}"
done
