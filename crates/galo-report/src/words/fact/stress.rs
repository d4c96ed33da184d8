//! That a round was near a limit.

use galo_judge::Used;
use galo_judge::fact::{Near, Stress, Stressed};
use galo_plan::units::{format_bytes, format_cpus};
use galo_words::nouns::OPERATION;
use galo_words::{Lang, ms, percent, say};

use super::account::without_answer;

pub(super) fn sentence(Stressed { by }: &Stressed, lang: Lang) -> String {
    let each: Vec<String> = by.iter().map(|stress| clause(stress, lang)).collect();
    let each = each.join("; ");
    say!(lang, "it was near a limit: {each}", "ele esteve perto de um limite: {each}")
}

fn clause(stress: &Stress, lang: Lang) -> String {
    match stress {
        Stress::Service { service, near } => {
            let near: Vec<String> = near.iter().map(|near| near_to(*near, lang)).collect();
            format!("`{service}` {}", near.join(", "))
        }
        Stress::Failed { operations, failed, timed_out, unfinished } => {
            let operations = lang.counted(*operations, OPERATION);
            let without = without_answer([*failed, *timed_out, *unfinished], lang);
            say!(lang, "of {operations}, {without}", "de {operations}, {without}")
        }
        Stress::Slow { latency_us_p99, service_level_ns } => {
            let p99 = lang.decimals(latency_us_p99 / 1e3, 0);
            let level = lang.decimals(*service_level_ns as f64 / 1e6, 0);
            say!(
                lang,
                "p99 is {p99} ms, over the service level of {level} ms",
                "o p99 é de {p99} ms, acima do nível de serviço de {level} ms"
            )
        }
    }
}

/// How much of a limit was used: the share, then both figures.
pub(in crate::words) fn used(used: &Used, lang: Lang) -> String {
    let share = lang.figure(percent(used.share));
    match &used.of {
        Stress::Slow { latency_us_p99, service_level_ns } => {
            let p99 = lang.figure(ms(*latency_us_p99));
            let level = lang.decimals(*service_level_ns as f64 / 1e6, 0);
            say!(
                lang,
                "p99 {share} ({p99} of the service level of {level} ms)",
                "p99 {share} ({p99} do nível de serviço de {level} ms)"
            )
        }
        of => {
            let told = clause(of, lang);
            format!("{told} ({share})")
        }
    }
}

fn near_to(near: Near, lang: Lang) -> String {
    match near {
        Near::Cpu { cpus, limit_milli } => {
            let (cpus, limit) = (lang.decimals(cpus, 2), lang.figure(format_cpus(limit_milli)));
            say!(lang, "CPU {cpus} of {limit}", "CPU {cpus} de {limit}")
        }
        Near::Throttled { share } => {
            let share = lang.decimals(share * 100.0, 0);
            say!(lang, "throttled {share} %", "com a CPU cortada em {share} %")
        }
        Near::Memory { bytes, limit_bytes } => {
            let [bytes, limit] = [bytes, limit_bytes].map(|bytes| lang.figure(format_bytes(bytes)));
            say!(lang, "anonymous memory {bytes} of {limit}", "memória anônima {bytes} de {limit}")
        }
    }
}
