//! Words that many people have in common: elements of `stack` mostly come from a short list, so most of the work for
//! one was done for somebody before.

use hashbrown::HashMap;

use crate::store::text::lower;

/// Words that are remembered. When they are more, all are forgotten: that costs time, nothing else.
const WORDS_MAX: usize = 1024;

/// Words by how people write them. The hash is a fast one: who makes it collide gains little from so few words.
#[derive(Default)]
pub(super) struct Words(HashMap<String, Word>);

struct Word {
    lowered: String,
    /// Who had it last, and in which block.
    turn: u64,
    block: usize,
}

/// A word as searches see it.
pub(super) struct News<'a> {
    /// Lower-cased.
    pub(super) lowered: &'a str,
    /// Whether nobody in this block is known to have it.
    pub(super) in_block: bool,
}

impl Words {
    /// Says that somebody in a block has a word; `None` if that was said before. Each person has a turn of its own, from
    /// 1 on, even one who is not added in the end.
    pub(super) fn add(&mut self, word: &str, turn: u64, block: usize) -> Option<News<'_>> {
        if self.0.len() == WORDS_MAX && !self.0.contains_key(word) {
            self.0.clear();
        }
        let nobody = || Word { lowered: lower(word), turn: 0, block: usize::MAX };
        let known = self.0.entry_ref(word).or_insert_with(nobody);
        if std::mem::replace(&mut known.turn, turn) == turn {
            return None;
        }
        let in_block = std::mem::replace(&mut known.block, block) != block;
        Some(News { lowered: &known.lowered, in_block })
    }
}

#[cfg(test)]
mod tests {
    use super::{WORDS_MAX, Words};

    fn add(words: &mut Words, word: &str, person: u64) -> Option<(String, bool)> {
        words
            .add(word, person, usize::from(person >= 64))
            .map(|news| (news.lowered.to_owned(), news.in_block))
    }

    #[test]
    fn a_word_is_news_once_for_each_person_and_once_for_each_block() {
        let mut words = Words::default();
        assert_eq!(add(&mut words, "Go", 1), Some(("go".to_owned(), true)));
        assert_eq!(add(&mut words, "Go", 1), None);
        assert_eq!(add(&mut words, "GO", 1), Some(("go".to_owned(), true)));
        assert_eq!(add(&mut words, "Go", 2), Some(("go".to_owned(), false)));
        assert_eq!(add(&mut words, "Go", 64), Some(("go".to_owned(), true)));
    }

    #[test]
    fn whoever_invents_words_takes_no_more_memory() {
        let mut words = Words::default();
        for n in 1..=3 * WORDS_MAX {
            assert!(add(&mut words, &format!("w{n}"), n as u64).is_some());
        }
        assert!(words.0.len() <= WORDS_MAX);
    }
}
