//! On which machine and terms the runs of a line were, in words.

use galo_judge::trend::{Hardware, TrendLine, TrendTerms};
use galo_plan::Runner;
use galo_words::nouns::{CONNECTION, CORE};
use galo_words::{Figure, Lang, say};

use crate::words::{cpu_limit, memory_limit};

pub(super) fn in_words(TrendLine { hardware, terms, .. }: &TrendLine, lang: Lang) -> String {
    format!("{}; {}", machine_in_words(hardware, lang), terms_in_words(terms, lang))
}

pub(super) fn machine_in_words(hardware: &Hardware, lang: Lang) -> String {
    let Hardware { cpu, cores, memory_bytes, virtual_machine } = hardware;
    let kind = if *virtual_machine { lang.pick(", virtual", ", virtual") } else { "" };
    let memory = memory_limit(Some(*memory_bytes), lang);
    format!("{cpu}, {}, {memory}{kind}", lang.counted((*cores).into(), CORE))
}

pub(super) fn terms_in_words(terms: &TrendTerms, lang: Lang) -> String {
    let enforced =
        |enforced: bool| if enforced { "" } else { lang.pick(", not enforced", ", não impostos") };
    match terms {
        TrendTerms::Duel { cpus_milli, memory_bytes, limits_enforced, levels, asked, connections } => {
            let limits = match cpus_milli.map(|milli| f64::from(milli) / 1e3) {
                None => lang.pick("no limits", "sem limites").to_owned(),
                cpus => {
                    let memory = memory_bytes.map(|bytes| format!(", {}", memory_limit(Some(bytes), lang)));
                    let memory = memory.unwrap_or_default();
                    format!("{}{memory}{}", cpu_limit(cpus, lang), enforced(*limits_enforced))
                }
            };
            let mut loads: Vec<String> = levels.iter().map(|level| level.name().to_owned()).collect();
            loads.extend(asked.as_ref().map(|asked| format!("{}/s", lang.decimals(asked.mean_per_s(), 1))));
            let (loads, connections) = (loads.join(", "), lang.counted((*connections).into(), CONNECTION));
            say!(lang, "{limits}; loads: {loads}; {connections}", "{limits}; cargas: {loads}; {connections}")
        }
        TrendTerms::Fight { profile, scale, runners, budget, limits_enforced, service_level_ms } => {
            let (scale, level) =
                (lang.figure(Figure::Plain(*scale)), lang.figure(Figure::Number(*service_level_ms, 0)));
            let (cpus, memory) =
                (cpu_limit(Some(budget.cpus), lang), memory_limit(Some(budget.memory_bytes), lang));
            let enforced = enforced(*limits_enforced);
            let containers = match runners.contains(&Runner::Docker) {
                true => lang.pick(", in containers", ", em contêineres"),
                false => "",
            };
            say!(
                lang,
                "profile {profile}, scale {scale}, {level} ms; {cpus}, {memory}{enforced}{containers}",
                "perfil {profile}, escala {scale}, {level} ms; {cpus}, {memory}{enforced}{containers}"
            )
        }
    }
}
