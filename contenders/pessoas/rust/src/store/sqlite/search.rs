//! Containment, whatever the letter case: candidates from the trigram index, each held against the whole
//! term.

use rusqlite::{Connection, params};

use super::{haystack, schema};
use crate::person::Person;
use crate::store::SEARCH_RESULTS_MAX;
use crate::store::text::lower;

/// Characters in one entry of the index.
const GRAM: usize = 3;

/// How many trigrams of a term the index is asked for. Each costs a walk through the index's segments, and
/// three already leave few candidates: with 15,000 of the contest's rows a search takes 0.2 ms with 3, 0.4 ms
/// with 6 and 1.6 ms with all.
const GRAMS_MAX: usize = 3;

/// The index's query for a lower-cased term; `None` where it is too short for the index.
fn match_expression(term: &str) -> Option<String> {
    let chars: Vec<char> = haystack::indexable(term).chars().collect();
    let grams: Vec<&[char]> = chars.windows(GRAM).collect();
    let last = grams.len().checked_sub(1)?;
    let asked = grams.len().min(GRAMS_MAX);
    let phrases: Vec<String> = (0..asked)
        .map(|n| {
            // Spread evenly from the first to the last.
            let gram: String = grams[n * last / (asked - 1).max(1)].iter().collect();
            format!("\"{}\"", gram.replace('"', "\"\""))
        })
        .collect();
    Some(phrases.join(" AND "))
}

/// See [`crate::store::Store::search`]. The comparison with the haystack is inside of the query, on bytes, so
/// the limit counts only people who really match.
pub(super) fn search(connection: &Connection, term: &str) -> rusqlite::Result<Vec<Person>> {
    let term = lower(term);
    let needle = term.as_bytes();
    match match_expression(&term) {
        Some(expression) => connection
            .prepare_cached(
                "SELECT id, apelido, nome, nascimento, stack
                 FROM search CROSS JOIN people ON people.number = search.rowid
                 WHERE search MATCH ?1 AND instr(haystack, ?2) > 0 LIMIT ?3",
            )?
            .query_map(params![expression, needle, SEARCH_RESULTS_MAX], schema::person)?
            .collect(),
        None => connection
            .prepare_cached(
                "SELECT id, apelido, nome, nascimento, stack FROM people WHERE instr(haystack, ?1) > 0 LIMIT ?2",
            )?
            .query_map(params![needle, SEARCH_RESULTS_MAX], schema::person)?
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::match_expression;

    #[test]
    fn a_term_shorter_than_a_trigram_does_not_ask_the_index() {
        assert_eq!(match_expression("ab"), None);
        assert_eq!(match_expression("éé"), None);
        assert_eq!(match_expression("abc"), Some("\"abc\"".to_owned()));
    }

    #[test]
    fn a_long_term_asks_for_its_first_middle_and_last_trigram() {
        assert_eq!(match_expression("abcdefg"), Some("\"abc\" AND \"cde\" AND \"efg\"".to_owned()));
        assert_eq!(match_expression("abcd"), Some("\"abc\" AND \"bcd\"".to_owned()));
    }

    #[test]
    fn quotes_are_doubled_and_nul_is_a_space() {
        assert_eq!(match_expression("a\"b"), Some("\"a\"\"b\"".to_owned()));
        assert_eq!(match_expression("a\0b"), Some("\"a b\"".to_owned()));
    }
}
