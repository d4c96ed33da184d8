//! The command line of a fight that says more than this one.

use galo_judge::fight::JudgedFight;
use galo_judge::{Raised, Verdict};
use galo_words::{Both, Figure, Lang, say};

use crate::document::Next;

/// With a heavier load, where this one was too light and it is known which would do.
pub(super) fn of(report: &JudgedFight) -> Option<Next> {
    let Verdict::NeitherWasStressed { raised: Some(raised), .. } = &report.verdict else {
        return None;
    };
    let words = at_scale(&report.header.command, raised.scale)?;
    Some(Next { why: Both::each(|lang| why(raised, lang)), command: shell_words::join(words) })
}

fn why(raised: &Raised, lang: Lang) -> String {
    let scale = lang.figure(Figure::Plain(raised.scale));
    let share = lang.figure(Figure::Share(raised.cpu_share));
    let held = match raised.held_by_client {
        true => lang
            .pick("; galo itself could hardly drive more", "; o próprio galo mal conseguiria mais que isso"),
        false => "",
    };
    say!(
        lang,
        "next: at scale {scale} the busier one uses {share} of its CPU limit at most, by its CPU for each answer so far{held}",
        "a seguir: na escala {scale} o mais ocupado usa no máximo {share} do seu limite de CPU, pela CPU de cada resposta até agora{held}"
    )
}

/// The command line of a fight with another scale, and without a folder of its own, which is taken. `None`: it is none that could be
/// given again.
fn at_scale(command: &[String], scale: f64) -> Option<Vec<String>> {
    let [galo, fight, options @ ..] = command else { return None };
    if fight != "fight" || options.iter().any(|word| word == "--resume" || word.starts_with("--resume=")) {
        return None;
    }
    let mut words = vec![galo.clone(), fight.clone()];
    let mut options = options.iter();
    while let Some(word) = options.next() {
        match word.as_str() {
            "--scale" | "--out" => {
                options.next();
            }
            "--" => return None,
            _ if word.starts_with("--scale=") || word.starts_with("--out=") => {}
            _ => words.push(word.clone()),
        }
    }
    words.extend(["--scale".to_owned(), scale.to_string()]);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(command: &str) -> Option<String> {
        at_scale(&shell_words::split(command).unwrap(), 6.5).map(shell_words::join)
    }

    #[test]
    fn the_line_is_the_one_that_was_given_with_another_scale_and_no_folder() {
        let told = |command: &str| told(command).unwrap();
        assert_eq!(told("galo fight 'a b' c --seed 7"), "galo fight 'a b' c --seed 7 --scale 6.5");
        assert_eq!(
            told("./galo fight --scale 2 a --out=run --rounds 9"),
            "./galo fight a --rounds 9 --scale 6.5"
        );
        assert_eq!(told("galo fight --out run --scale=2"), "galo fight --scale 6.5");
    }

    #[test]
    fn what_cannot_be_given_again_has_no_line() {
        for command in
            ["galo", "galo check a", "galo fight --resume run", "galo fight --resume=run", "galo fight -- a"]
        {
            assert_eq!(told(command), None, "{command}");
        }
    }
}
