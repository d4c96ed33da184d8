//! Tables of words: one text each, with white space between the words.

/// Whether a word stands in a table.
pub fn has(table: &str, word: &str) -> bool {
    table.split_whitespace().any(|known| known == word)
}
