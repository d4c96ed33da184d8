//! The champion as a whole: nginx, two instances and PostgreSQL, with the very files of `rust-postgres`, in a
//! folder of their own. Honest clients are at work all the time, and every one of their answers must be right and
//! come within a bound, while others misuse the doors, the database fails, or an instance is killed.

#![allow(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

mod abuse;
#[path = "../it/http.rs"]
mod http;
#[path = "../common/instance.rs"]
mod instance;
mod instances;
#[path = "../common/machine.rs"]
mod machine;
mod outage;
#[path = "../common/postgres.rs"]
mod postgres;
mod support;
