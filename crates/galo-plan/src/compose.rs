//! Compose files as written (`RawCompose`). Private to the crate in spirit: [`crate::Contender::load`] is the way in.
