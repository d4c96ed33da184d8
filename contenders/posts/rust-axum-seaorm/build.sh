#!/bin/sh
# Builds the server into target/posts-rust-axum-seaorm. A workspace of its own has a target folder of its own.
set -eu
exec cargo build --quiet --release --locked --target-dir target/posts-rust-axum-seaorm --manifest-path contenders/posts/rust-axum-seaorm/Cargo.toml
