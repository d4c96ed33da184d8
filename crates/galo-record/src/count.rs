//! The count as a contender answered it.

use serde::{Deserialize, Serialize};

/// So many letters of an answer are kept: a text of that length may go on.
const TEXT_KEPT: usize = 200;

/// One reading of the count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountReading {
    /// When the answer was complete.
    pub at_ns: u64,
    /// HTTP status; 0: no answer.
    pub status: u16,
    /// The start of the body, or the error.
    pub text: String,
    /// The integer in it: the only run of digits of a 2xx body, or several that separators part in threes. `None`: there is none, or
    /// several.
    pub value: Option<u64>,
    /// From the question to the complete answer.
    pub took_ns: u64,
}

impl CountReading {
    /// Reads the integer in an answer: plain text by the rules, but it must only be readable.
    pub fn new(at_ns: u64, status: u16, text: String) -> Self {
        let number = number_in(&text);
        let mut reading = Self { at_ns, status, text, value: None, took_ns: 0 };
        reading.value = number.filter(|_| reading.is_answered());
        reading
    }

    /// Whether digits in it do not stand for one number beyond doubt: there are several, or separators among them.
    pub fn is_ambiguous(&self) -> bool {
        self.is_answered() && runs_of_digits(&self.text).count() > 1
    }

    /// The numbers that it may mean: its integer, or else each run of digits, and runs that one letter each parts as one number. Empty
    /// where there is none, or the text may go on.
    pub fn numbers(&self) -> Vec<u64> {
        if let Some(value) = self.value {
            return vec![value];
        }
        if !self.is_answered() || self.text.chars().count() >= TEXT_KEPT {
            return Vec::new();
        }
        let pieces: Vec<&str> = self.text.split(|c: char| !c.is_ascii_digit()).collect();
        // Between runs that more than one letter parts there is an empty piece.
        let rows = pieces.split(|piece| piece.is_empty());
        let begun = rows.flat_map(|runs| (0..runs.len()).map(|from| &runs[from..]));
        let joined = begun.flat_map(|runs| (1..=runs.len()).map(|number| runs[..number].concat()));
        joined.filter_map(|digits| digits.parse().ok()).collect()
    }

    /// Whether the question was answered at all, with a number or without.
    pub fn is_answered(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

fn runs_of_digits(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty())
}

/// The number in a text; `None` where there is none, or more than one.
fn number_in(text: &str) -> Option<u64> {
    let runs: Vec<&str> = runs_of_digits(text).collect();
    let (first, rest) = runs.split_first()?;
    let between = text.find(first)? + first.len()..text.rfind(runs.last()?)?;
    let separators = text.get(between).unwrap_or_default().chars().filter(|c| !c.is_ascii_digit());
    let is_one =
        rest.iter().all(|run| run.len() == 3) && first.len() <= 3 && separators.count() == rest.len();
    (rest.is_empty() || is_one).then(|| runs.concat().parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_the_only_integer_of_a_good_answer() {
        let value = |status, text: &str| CountReading::new(0, status, text.to_owned()).value;
        assert_eq!(value(200, "46506"), Some(46_506));
        assert_eq!(value(206, "{\"count\": 12}\n"), Some(12));
        for (text, number) in [("46,506", 46_506), ("46.506\n", 46_506), ("1 234 567 people", 1_234_567)] {
            assert_eq!(value(200, text), Some(number));
            assert!(CountReading::new(0, 200, text.to_owned()).is_ambiguous());
        }
        for text in ["{\"count\": 12, \"of\": 99}", "12.5", "1,23", "1234,567", "12, 345 of 678"] {
            assert_eq!(value(200, text), None, "{text}");
            assert!(CountReading::new(0, 200, text.to_owned()).is_ambiguous());
        }
        assert!(!CountReading::new(0, 200, "12".to_owned()).is_ambiguous());
        assert_eq!(value(200, "many"), None);
        assert_eq!(value(200, "99999999999999999999"), None);
        assert_eq!(value(500, "12"), None);
    }

    #[test]
    fn an_ambiguous_count_may_mean_each_of_its_numbers_with_separators_or_without() {
        let numbers = |status, text: &str| CountReading::new(0, status, text.to_owned()).numbers();
        assert_eq!(numbers(200, "46,506"), [46_506]);
        assert_eq!(numbers(200, "12 of 99"), [12, 99]);
        assert_eq!(numbers(200, "1.234 of 9"), [1, 1234, 234, 9]);
        let nothing = Vec::<u64>::new();
        assert_eq!(numbers(500, "12 of 99"), nothing);
        assert_eq!(numbers(200, "many"), nothing);
        assert_eq!(numbers(200, &format!("12 of 99{:>200}", "")), nothing, "the rest was not kept");
    }
}
