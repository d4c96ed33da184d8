//! How few requests were answered rightly, beside a latency that such answers make look fine.

use galo_judge::assertion::RIGHT_SHARE_MIN;
use galo_words::{Figure, Lang, say};

/// A clause, e.g. `only 52.3 % of the requests were answered rightly`.
pub(crate) fn few_right(answers: u64, requests: u64, lang: Lang) -> String {
    if answers == 0 {
        return lang.pick("not one answer was right", "nenhuma resposta foi correta").to_owned();
    }
    // Downwards: 98.97 % are no 99 %.
    let thousandths = u128::from(answers) * 1000 / u128::from(requests.max(1));
    let share = match thousandths {
        0 => format!("<{}", lang.figure(Figure::With(0.1, 1, "%"))),
        some => lang.figure(Figure::With(some as f64 / 10.0, 1, "%")),
    };
    say!(
        lang,
        "only {share} of the requests were answered rightly",
        "só {share} das requisições foram respondidas corretamente"
    )
}

/// The same, where they are so few that it must be told.
pub(crate) fn too_few_right(answers: u64, requests: u64, lang: Lang) -> Option<String> {
    ((answers as f64) < RIGHT_SHARE_MIN * requests as f64).then(|| few_right(answers, requests, lang))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_rounded_down_and_none_is_told_as_none() {
        let told = |answers, requests| few_right(answers, requests, Lang::En);
        assert_eq!(told(0, 9), "not one answer was right");
        assert_eq!(told(9_897, 10_000), "only 98.9 % of the requests were answered rightly");
        assert_eq!(told(1, 9_999), "only <0.1 % of the requests were answered rightly");
        assert_eq!(few_right(1, 2, Lang::Pt), "só 50,0 % das requisições foram respondidas corretamente");
    }

    #[test]
    fn it_is_told_below_99_percent() {
        assert!(too_few_right(989, 1_000, Lang::En).is_some());
        assert_eq!([too_few_right(990, 1_000, Lang::En), too_few_right(0, 0, Lang::En)], [None, None]);
    }
}
