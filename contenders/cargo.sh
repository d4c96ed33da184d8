#!/bin/sh
# Builds a contender that is a workspace of its own: `cargo.sh FOLDER`, from the root of the repository. They share a target folder,
# so what several of them use is compiled once.
set -eu
exec cargo build --quiet --release --locked --target-dir target/own --manifest-path "contenders/$1/Cargo.toml"
