//! galo as its users meet it: the built binary, real contenders, real control groups.
//!
//! Ports are drawn, so tests run side by side; but contenders of `pessoas` share port 9999 by its policy, so tests that start one
//! take their turn by [`support::turn`].

// Helpers of tests are tests to people, but not to clippy.
#![allow(clippy::unwrap_used)]

#[path = "cli/commands.rs"]
mod commands;
#[path = "cli/runner.rs"]
mod runner;
#[path = "cli/support.rs"]
mod support;

#[path = "cli/action.rs"]
mod action;
#[path = "cli/bad_input.rs"]
mod bad_input;
#[path = "cli/causes.rs"]
mod causes;
#[path = "cli/challenge_file.rs"]
mod challenge_file;
#[path = "cli/crash.rs"]
mod crash;
#[path = "cli/death.rs"]
mod death;
#[path = "cli/docker.rs"]
mod docker;
#[path = "cli/duel.rs"]
mod duel;
#[path = "cli/duel_refused.rs"]
mod duel_refused;
#[path = "cli/duel_resumed.rs"]
mod duel_resumed;
#[path = "cli/faults.rs"]
mod faults;
#[path = "cli/fight.rs"]
mod fight;
#[path = "cli/first_contact.rs"]
mod first_contact;
#[path = "cli/init.rs"]
mod init;
#[path = "cli/installed.rs"]
mod installed;
#[path = "cli/league.rs"]
mod league;
#[path = "cli/limit.rs"]
mod limit;
#[path = "cli/load.rs"]
mod load;
#[path = "cli/load_outputs.rs"]
mod load_outputs;
#[path = "cli/measured.rs"]
mod measured;
#[path = "cli/pages.rs"]
mod pages;
#[path = "cli/policy.rs"]
mod policy;
#[path = "cli/prometheus.rs"]
mod prometheus;
#[path = "cli/proxies.rs"]
mod proxies;
#[path = "cli/report.rs"]
mod report;
#[path = "cli/scenarios.rs"]
mod scenarios;
#[path = "cli/screen.rs"]
mod screen;
#[path = "cli/servers.rs"]
mod servers;
#[path = "cli/shop.rs"]
mod shop;
#[path = "cli/slurm.rs"]
mod slurm;
#[path = "cli/soak.rs"]
mod soak;
#[path = "cli/stall.rs"]
mod stall;
#[path = "cli/strange_servers.rs"]
mod strange_servers;
#[path = "cli/sweep.rs"]
mod sweep;
#[path = "cli/trend.rs"]
mod trend;
#[path = "cli/words.rs"]
mod words;
#[path = "cli/work_tree.rs"]
mod work_tree;
#[path = "cli/workflows.rs"]
mod workflows;
