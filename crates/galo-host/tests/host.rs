//! galo-host against the real kernel: groups, limits, processes, users, ports. Without control groups (an ordinary
//! user, a container) the tests of limits prove nothing, and say so; all others hold there as well.

#![allow(
    clippy::unwrap_used,
    reason = "in a test, also in what tests share, a panic is the failure's report"
)]

mod host {
    pub(crate) mod bench;
    mod crash;
    mod doctor;
    mod end;
    mod limits;
    mod start;
    mod stop;
    mod walls;
}
