//! Sets of statuses as people write them: `200,201,300-399,2xx`.

use crate::http;

/// Statuses that a right answer may have, ascending and each once.
pub(crate) fn parse_expected(text: &str) -> Result<Vec<u16>, String> {
    parse(text, http::check_status)
}

/// Statuses that end the load, ascending and each once.
pub(crate) fn parse_stop(text: &str) -> Result<Vec<u16>, String> {
    parse(text, http::check_any_status)
}

/// Statuses of which each passes a check, ascending and each once.
pub(crate) fn parse(text: &str, check: impl Fn(u16) -> Result<(), String>) -> Result<Vec<u16>, String> {
    let mut statuses = Vec::new();
    for part in text.split(',') {
        let (first, last) = bounds(part.trim()).ok_or_else(|| {
            format!("`{part}` is no status; write for example `200`, `300-399` or `2xx`, with commas between several")
        })?;
        // The bounds first, so that what is out of range is named by the bound that was written.
        check(first)?;
        check(last)?;
        statuses.extend(first..=last);
    }
    statuses.sort_unstable();
    statuses.dedup();
    Ok(statuses)
}

/// First and last of `200`, `300-399` or `2xx`; `None` where it is none of them, or the first is above the last.
fn bounds(part: &str) -> Option<(u16, u16)> {
    let status = |text: &str| {
        let digits = text.len() == 3 && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse::<u16>().ok()).flatten()
    };
    let lower = part.to_ascii_lowercase();
    if let Some(hundred) = lower.strip_suffix("xx") {
        let first = status(&format!("{hundred}00"))?;
        return Some((first, first + 99));
    }
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    let (first, last) = (status(first.trim())?, status(last.trim())?);
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_set_may_have_single_statuses_ranges_and_hundreds() {
        assert_eq!(parse_expected("201, 200,200").unwrap(), [200, 201]);
        assert_eq!(
            parse_expected("2xx,301-303,404").unwrap(),
            (200..300).chain(301..=303).chain([404]).collect::<Vec<_>>()
        );
        assert_eq!(parse_expected("4XX").unwrap().len(), 100);
        assert_eq!(parse_stop("429,500-599").unwrap().len(), 101);
    }

    #[test]
    fn what_is_no_set_is_told() {
        insta::assert_snapshot!(parse_expected("200,ok").unwrap_err(), @"`ok` is no status; write for example `200`, `300-399` or `2xx`, with commas between several");
        insta::assert_snapshot!(parse_expected("5xx").unwrap_err(), @"status 500 cannot be right, since every 5xx counts as failed");
        insta::assert_snapshot!(parse_expected("200-999").unwrap_err(), @"status 999 is not the status of a whole answer; write one from 200 to 499");
        insta::assert_snapshot!(parse_stop("1xx").unwrap_err(), @"status 100 is not the status of a whole answer; write one from 200 to 599");
        for text in
            ["", ",", "200,", "399-300", "20", "2000", "+20", "2x", "xx", "200-", "é00", "9xx", "99xx"]
        {
            assert!(parse_expected(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_written_set_reads_back_as_itself(statuses in prop::collection::btree_set(200..500u16, 1..20)) {
            let text: Vec<String> = statuses.iter().map(u16::to_string).collect();
            prop_assert_eq!(parse_expected(&text.join(",")), Ok(statuses.into_iter().collect()));
        }

        #[test]
        fn arbitrary_text_never_panics(text in ".*", near in "[0-9x,-]{0,12}") {
            let _ = (parse_expected(&text), parse_stop(&near));
        }
    }
}
