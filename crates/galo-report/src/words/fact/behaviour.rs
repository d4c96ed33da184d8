//! Of how a contender behaved over time.

use galo_judge::fact::{BehaviourFact, HoldCost, ServiceCpu};
use galo_words::Lang;
use galo_words::nouns::{OPERATION, ROW, WRITE};
use galo_words::{ms, say};

use super::{numbers, step};

pub(super) fn sentence(fact: &BehaviourFact, lang: Lang) -> String {
    match fact {
        BehaviourFact::Pauses { pauses, more, period_ns, due } => {
            let each = pauses.iter().map(|pause| {
                let (length, from) = (lang.seconds(pause.length_ns), lang.seconds(pause.from_ns));
                say!(lang, "for {length} at {from}", "por {length} em {from}")
            });
            let each: Vec<String> = each.collect();
            let each = if *more > 0 {
                let (told, more) = (each.join(", "), lang.whole(*more));
                say!(lang, "{told}, and {more} more", "{told}, e mais {more}")
            } else {
                lang.listed(&each)
            };
            let period = period_ns.map_or_else(String::new, |ns| {
                let period = lang.seconds(ns);
                say!(lang, ", every {period}", ", a cada {period}")
            });
            let operations = lang.counted(*due, OPERATION);
            let fell = if *due == 1 { "chegou" } else { "chegaram" };
            say!(
                lang,
                "it answered nothing {each}{period}, while {operations} fell due",
                "ele não respondeu nada {each}{period}, enquanto {fell} {operations}"
            )
        }
        BehaviourFact::SlowsWithRows { step: name, rows, early_ns, late_ns } => {
            let step = step(name, lang);
            let [early, late] = [early_ns, late_ns].map(|ns| lang.decimals(*ns as f64 / 1e6, 1));
            let rows = lang.counted(*rows, ROW);
            say!(
                lang,
                "{step} took {early} ms while the first third of {rows} was stored, and {late} ms while the last third was",
                "{step} levou {early} ms enquanto o primeiro terço de {rows} era gravado, e {late} ms enquanto o último era"
            )
        }
        BehaviourFact::CostGrowsWithStored { earlier, later } => cost_grows(earlier, later, lang),
        BehaviourFact::ResetsConnections { closed, operations, kinds } => {
            let (closed, operations) = (lang.whole(*closed), lang.counted(*operations, OPERATION));
            let kinds = lang.listed(&numbers(kinds, lang));
            say!(
                lang,
                "{closed} of {operations} lost their connection before all of an answer came ({kinds})",
                "{closed} de {operations} perderam a conexão antes de a resposta chegar inteira ({kinds})"
            )
        }
        BehaviourFact::KeptWithoutAnswer { kept, unknown } => {
            let (unknown, number) = (lang.whole(*unknown), lang.whole(*kept));
            match kept {
                1 => say!(
                    lang,
                    "1 creation is kept whose client got no answer, of {unknown} of unknown effect",
                    "1 criação ficou gravada sem que o cliente tivesse resposta, de {unknown} de efeito desconhecido"
                ),
                _ => say!(
                    lang,
                    "{number} creations are kept whose client got no answer, of {unknown} of unknown effect",
                    "{number} criações ficaram gravadas sem que os clientes tivessem resposta, de {unknown} de efeito \
                     desconhecido"
                ),
            }
        }
        BehaviourFact::CountSlow { took_ns, operations, usual_us } => {
            let (took, operations) = (lang.seconds(*took_ns), lang.counted(*operations, OPERATION));
            let usual = lang.decimals(usual_us / 1000.0, 1);
            say!(
                lang,
                "the count took {took} to answer with nothing else asked; half of {operations} took less than {usual} ms",
                "a contagem levou {took} para responder sem mais nada a fazer; metade de {operations} levou menos de {usual} ms"
            )
        }
        BehaviourFact::Unbalanced { idle, operations, others } => {
            let (name, used) = (&idle.service, lang.seconds(idle.cpu_ns));
            let operations = lang.counted(*operations, OPERATION);
            let other = |other: &ServiceCpu| format!("`{}` {}", other.service, lang.seconds(other.cpu_ns));
            let others = others.iter().map(other).collect::<Vec<_>>().join(", ");
            say!(
                lang,
                "`{name}` used {used} of CPU over {operations}, {others}: nearly all of the load went elsewhere",
                "`{name}` usou {used} de CPU em {operations}, {others}: quase toda a carga foi para outro lugar"
            )
        }
    }
}

/// By CPU, or else by latency.
pub(crate) fn cost_grows(earlier: &HoldCost, later: &HoldCost, lang: Lang) -> String {
    let (figures, (what, que)) = match earlier.cpu_us_each.zip(later.cpu_us_each) {
        Some((few, many)) => ([few, many], ("of CPU", "de CPU")),
        None => ([earlier, later].map(|of| of.latency_us_p50), ("at the median", "na mediana")),
    };
    let [few, many] = figures.map(|us| lang.figure(ms(us)));
    let [written, more] = [earlier, later].map(|of| lang.counted(of.written, WRITE));
    let [scale, again] = [earlier, later].map(|of| lang.figure((of.scale_milli as f64 / 1e3).to_string()));
    say!(
        lang,
        "the cost of a request grows with what is stored: {few} {what} at scale {scale} after {written}, {many} at scale {again} after {more}",
        "o custo de uma requisição cresce com o que está gravado: {few} {que} na escala {scale} após {written}, {many} na escala {again} após {more}"
    )
}
