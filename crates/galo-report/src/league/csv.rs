//! A league as a table for a spreadsheet or a script: a line for each entry, also for those that are not ranked.

use csv::{Terminator, WriterBuilder};
use galo_judge::league::{Entry, JudgedLeague, Out, Ranked};
use galo_judge::{Measure, Standing};
use galo_plan::league::Refused;

/// Comma-separated values as of RFC 4180, with a line of names first. Figures are in the units of their names, as in JSON; what is not
/// known is empty. Names and reasons come from entries: what a spreadsheet would take for a formula begins with an apostrophe.
pub fn csv(league: &JudgedLeague) -> String {
    let measures: Vec<Measure> = Measure::of_rounds().collect();
    let before =
        ["entry", "title", "language", "standing", "cause", "reason", "rounds", "first_place", "last_place"];
    let after = ["counted", "highest_scale", "ratio", "ratio_low", "ratio_high"];
    let ids = measures.iter().map(|measure| measure.id());
    let names: Vec<String> = before.into_iter().chain(ids).chain(after).map(str::to_owned).collect();
    let ranked = league.ranking.iter().map(|one| ranked(one, &measures));
    let outs = league.out.iter().chain(&league.not_started).map(out);
    let lines = ranked.chain(outs).chain(league.refused.iter().map(refused));
    let filled = lines.map(|mut line| {
        line.resize(names.len(), String::new());
        line
    });
    let mut writer = WriterBuilder::new().terminator(Terminator::CRLF).from_writer(Vec::new());
    for line in std::iter::once(names.clone()).chain(filled) {
        // Into memory, in lines of one length, nothing can fail.
        let _ = writer.write_record(line);
    }
    String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()
}

fn ranked(one: &Ranked, measures: &[Measure]) -> Vec<String> {
    let number = |figure: Option<f64>| figure.map_or_else(String::new, |figure| figure.to_string());
    let mut line = of_entry(&one.entry, ["in", "", ""]);
    line.extend(one.places.map(|place| place.to_string()));
    line.extend(measures.iter().map(|measure| number(one.measures.get(*measure))));
    line.extend([one.counted, one.highest_scale].map(number));
    let ratio = one.by_first.map(|by| [by.ratio, by.interval[0], by.interval[1]]);
    line.extend(ratio.into_iter().flatten().map(|figure| figure.to_string()));
    line
}

fn out(out: &Out) -> Vec<String> {
    let cause = serde_json::to_value(out.cause).unwrap_or_default();
    match &out.standing {
        Standing::Disqualified { rules } => of_entry(&out.entry, ["disqualified", "", &rules.join(" ")]),
        Standing::NotReady { reason } => {
            of_entry(&out.entry, ["not_started", cause.as_str().unwrap_or_default(), reason])
        }
        Standing::Valid | Standing::Void { .. } => of_entry(&out.entry, [""; 3]),
    }
}

fn refused(one: &Refused) -> Vec<String> {
    let file = text(&one.file.display().to_string());
    let nothing = String::new;
    [file, nothing(), nothing(), "refused".to_owned(), nothing(), text(&one.reason)].into()
}

fn of_entry(entry: &Entry, [standing, cause, reason]: [&str; 3]) -> Vec<String> {
    let language = text(entry.language.as_deref().unwrap_or_default());
    let rounds = entry.rounds.to_string();
    let (name, title, reason) = (text(&entry.name), text(&entry.title), text(reason));
    [name, title, language, standing.to_owned(), cause.to_owned(), reason, rounds].into()
}

/// Text of unknown origin: OWASP, "CSV Injection".
fn text(raw: &str) -> String {
    let clean = crate::text::clean_lines(raw);
    if clean.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{clean}") } else { clean }
}
