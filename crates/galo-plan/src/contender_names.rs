//! Names that are unique in a plan, whatever contenders it joins.

use std::collections::BTreeSet;

use crate::contender::Contender;

/// Renames contenders of equal names. Different files are told apart by the folder above theirs, where that differs:
/// `queued (faulty)`, and one file that is started in two ways by these: `queued-docker`. What is still equal (a contender that fights itself on purpose) is numbered: `queued (2)`.
pub fn make_unique(contenders: &mut [Contender]) {
    let by_parent: Vec<Option<String>> =
        (0..contenders.len()).map(|i| parent_if_it_tells(contenders, i)).collect();
    let by_runner: Vec<bool> = (0..contenders.len()).map(|i| is_started_in_two_ways(contenders, i)).collect();
    let mut taken = BTreeSet::new();
    for ((contender, parent), by_runner) in contenders.iter_mut().zip(by_parent).zip(by_runner) {
        let base = match parent {
            Some(parent) => format!("{} ({parent})", contender.name),
            None => contender.name.clone(),
        };
        let base = if by_runner { format!("{base}-{}", contender.runner.word()) } else { base };
        let numbered = (2..).map(|n| format!("{base} ({n})"));
        let free = std::iter::once(base.clone()).chain(numbered).find(|name| !taken.contains(name));
        contender.name = free.unwrap_or(base);
        taken.insert(contender.name.clone());
    }
}

/// Whether the contender's file fights in another way too.
fn is_started_in_two_ways(contenders: &[Contender], index: usize) -> bool {
    let mine = &contenders[index];
    contenders
        .iter()
        .any(|other| other.name == mine.name && other.file == mine.file && other.runner != mine.runner)
}

/// The folder above the contender's own, if another file has the same name and lies below another folder.
fn parent_if_it_tells(contenders: &[Contender], index: usize) -> Option<String> {
    let mine = &contenders[index];
    let parent = |contender: &Contender| {
        let folder = contender.file.parent()?.parent()?;
        Some(folder.file_name()?.to_string_lossy().into_owned())
    };
    let rivals = contenders.iter().filter(|other| other.name == mine.name && other.file != mine.file);
    let my_parent = parent(mine);
    let told = rivals.map(parent).any(|other| other != my_parent);
    if told { my_parent } else { None }
}
