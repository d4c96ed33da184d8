//! Scripts that run on other people's machines.

use std::path::Path;
use std::process::Command;

#[test]
fn shellcheck_finds_nothing_in_the_steps_of_the_action() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let scripts = ["common", "get", "duel", "comment"].map(|name| format!("ci/action/{name}"));
    let checked =
        Command::new("shellcheck").arg("--external-sources").args(scripts).current_dir(root).output();
    let checked = checked.expect("shellcheck runs; hint: apt-get install shellcheck");
    let told = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success(), "{told}{}", String::from_utf8_lossy(&checked.stderr));
}
