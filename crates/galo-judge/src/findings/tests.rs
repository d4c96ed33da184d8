use std::path::{Path, PathBuf};

use super::*;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn every_finding_has_its_words_in_both_languages() {
    for kind in Kind::ALL {
        let (name, About { headline: Both { en, pt }, means, remedy, .. }) = (kind.name(), kind.about());
        assert!(!en.is_empty() && !pt.is_empty() && en != pt, "{name}: {en}, {pt}");
        assert!(!en.ends_with('.') && !pt.ends_with('.'), "{name}: a headline has no full stop");
        assert_eq!(means.is_empty(), *kind == Kind::BrokenRule, "{name}");
        for told in [means].into_iter().chain(remedy.iter().map(|remedy| &*remedy.pt)) {
            assert!(told.is_empty() || told.ends_with('.'), "{name}: {told}");
        }
        assert!(remedy.is_none_or(|Both { en, .. }| !en.is_empty() && !en.ends_with('.')), "{name}");
    }
}

#[test]
fn a_name_stands_for_its_kind_in_json_as_well() {
    for kind in Kind::ALL {
        assert_eq!(serde_json::to_value(kind).ok(), Some(kind.name().into()));
        assert_eq!(Kind::named(kind.name()), Some(*kind));
    }
    assert_eq!(Kind::named("dirty-strat"), None);
}

#[test]
fn a_cause_is_called_as_its_page_is_and_says_what_to_do() {
    for kind in Kind::ALL.iter().filter(|kind| kind.is_cause()) {
        let (name, About { headline, remedy, .. }) = (kind.name(), kind.about());
        let page = std::fs::read_to_string(docs().join(format!("findings/{name}.md"))).unwrap_or_default();
        assert_eq!(page.lines().next(), Some(format!("# `{name}`: {}", headline.en).as_str()));
        assert!(remedy.is_some(), "{name}");
    }
}

#[test]
fn every_page_about_a_cause_is_of_one() {
    let pages = std::fs::read_dir(docs().join("findings")).unwrap();
    for page in pages.map(|page| page.unwrap().path()).filter(|page| !page.ends_with("README.md")) {
        let name = page.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(Kind::named(&name).is_some_and(Kind::is_cause), "{name}");
    }
}

#[test]
fn every_rule_of_the_judge_is_explained_in_the_docs_and_says_what_to_do() {
    let pages = ["explanation/verdict.md", "explanation/crash.md"]
        .map(|page| std::fs::read_to_string(docs().join(page)).unwrap());
    assert_eq!(
        Kind::ALL.iter().filter(|kind| kind.is_rule()).count(),
        48,
        "a rule became a note, or a new one came"
    );
    for kind in Kind::ALL.iter().filter(|kind| kind.is_rule()) {
        let (name, About { weight, remedy, .. }) = (kind.name(), kind.about());
        let severity = if weight == Weight::Must { "must" } else { "should" };
        assert!(pages.iter().any(|page| page.contains(&format!("| `{name}` | {severity} |"))), "{name}");
        assert!(remedy.is_some(), "{name}");
    }
}

#[test]
fn what_the_host_saw_weighs_and_is_blamed_as_its_kind_says() {
    use Blame::{Contender, Host};
    use Weight::{Must, Note, Should};
    let service = r#""service": "api""#;
    let weighed = [
        (
            r#""kind": "service-died", "ended": {"status": 1}, "log": [], "log_path": "api.log""#,
            Should,
            Contender,
        ),
        (
            r#""kind": "service-out-of-memory", "killed": 1, "limit": {"bytes": 9}, "log": []"#,
            Should,
            Contender,
        ),
        (r#""kind": "service-left-its-group", "pid": 7, "command": "sh", "groups": []"#, Must, Contender),
        (r#""kind": "service-out-of-processes", "limit": 9, "refused": 1"#, Should, Contender),
        (r#""kind": "limits-lost", "written": [], "difference": null"#, Must, Host),
        (r#""kind": "log-flood", "limit_bytes": 9, "log_path": "api.log""#, Note, Contender),
        (r#""kind": "service-late-to-stop", "grace_ns": 9"#, Note, Contender),
        (r#""kind": "service-hard-to-kill", "passes": 1"#, Note, Contender),
        (r#""kind": "second-start-failed", "error": "no""#, Should, Contender),
        (r#""kind": "volumes-in-memory", "place": "/tmp", "file_system": "tmpfs""#, Note, Host),
        (r#""kind": "no-outage-round""#, Note, Contender),
    ];
    for (fact, weight, blame) in weighed {
        let fact: HostFact = serde_json::from_str(&format!("{{{service}, {fact}}}")).unwrap();
        let finding = Finding::from(&fact);
        assert_eq!((finding.weight, finding.blame), (weight, blame), "{}", finding.name());
    }
}
