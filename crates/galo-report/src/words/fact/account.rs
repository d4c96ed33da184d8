//! Of the count, the ledger and the limits.

use galo_judge::fact::{AccountFact, CountDifference, FirstErrors, When};
use galo_words::nouns::{ACKNOWLEDGED, CREATION, OPERATION};
use galo_words::{Lang, say};

use super::numbers;

pub(super) fn sentence(fact: &AccountFact, lang: Lang) -> String {
    match fact {
        AccountFact::DirtyStart { counted } => {
            let counted = lang.whole(*counted);
            say!(
                lang,
                "the count was {counted} before the first request",
                "a contagem era {counted} antes da primeira requisição"
            )
        }
        AccountFact::CountUnreadable { when } => {
            let when = match when {
                When::BeforeTheLoad => lang.pick("before the first request", "antes da primeira requisição"),
                When::AfterTheLoad => lang.pick("after the load", "depois da carga"),
            };
            say!(
                lang,
                "no integer could be read in the count {when}",
                "não deu para ler um inteiro na contagem {when}"
            )
        }
        AccountFact::CountAmbiguous => lang
            .pick(
                "the count does not stand for one number beyond doubt",
                "a contagem não representa um só número sem dúvida",
            )
            .to_owned(),
        AccountFact::CountUnanswered => unanswered(lang).to_owned(),
        AccountFact::CountUnjudged => {
            let unanswered = unanswered(lang);
            say!(
                lang,
                "could not be judged: `count-differs`: {unanswered}",
                "não pôde ser julgado: `count-differs`: {unanswered}"
            )
        }
        AccountFact::CountDiffers(difference) => count_difference(*difference, lang),
        AccountFact::SettledLate { after_ns, lacked } => {
            let took = lang.seconds(*after_ns);
            if *lacked == 0 {
                return say!(
                    lang,
                    "the count had its last value only {took} after the end of the load, but lacked nothing acknowledged before",
                    "a contagem só teve o seu último valor {took} depois do fim da carga, mas antes disso não faltava nada \
                     confirmado"
                );
            }
            let was = if *lacked == 1 { "faltava" } else { "faltavam" };
            let lacked = lang.counted(*lacked, ACKNOWLEDGED);
            say!(
                lang,
                "the count lacked {lacked} until {took} after the end of the load",
                "até {took} depois do fim da carga {was} na contagem {lacked}"
            )
        }
        AccountFact::AboveCeiling { created, ceiling_min, ceiling_max } => {
            let over = lang.whole(created.saturating_sub(*ceiling_max));
            let (created, ceiling) =
                (lang.counted(*created, CREATION), ceiling(*ceiling_min, *ceiling_max, lang));
            say!(
                lang,
                "it acknowledged {created}, {over} too many (the ceiling is {ceiling})",
                "ele confirmou {created}, {over} a mais (o teto é {ceiling})"
            )
        }
        AccountFact::BelowCeiling { created, unanswered, ceiling_min, ceiling_max } => {
            let under = lang.whole(ceiling_min.saturating_sub(created + unanswered));
            let (created, unanswered) = (lang.counted(*created, CREATION), lang.whole(*unanswered));
            let ceiling = ceiling(*ceiling_min, *ceiling_max, lang);
            say!(
                lang,
                "it acknowledged {created} and left {unanswered} without an answer, {under} too few (the ceiling is {ceiling})",
                "ele confirmou {created} e deixou {unanswered} sem resposta, {under} a menos (o teto é {ceiling})"
            )
        }
        AccountFact::OperationsFailed { operations, failed, timed_out, unfinished, kinds, first } => {
            let operations = lang.counted(*operations, OPERATION);
            let without = without_answer([*failed, *timed_out, *unfinished], lang);
            let kinds = numbers(kinds, lang).join(", ");
            let mostly = if kinds.is_empty() {
                String::new()
            } else {
                say!(lang, "; mostly {kinds}", "; principalmente {kinds}")
            };
            let began = first.map(|first| first_errors(first, lang)).unwrap_or_default();
            say!(
                lang,
                "of {operations}, {without}{mostly}{began}",
                "de {operations}, {without}{mostly}{began}"
            )
        }
        AccountFact::Unlimited => lang
            .pick(
                "limits were switched off, so this says nothing about the budget",
                "os limites foram desligados, então isto não diz nada sobre o orçamento",
            )
            .to_owned(),
        AccountFact::StartedByOthers => lang
            .pick(
                "galo did not start it, so nothing is limited, and this says nothing about the budget",
                "o galo não o iniciou, então nada é limitado, e isto não diz nada sobre o orçamento",
            )
            .to_owned(),
        AccountFact::LimitsNotEnforced { why } => {
            let why = why
                .as_deref()
                .unwrap_or_else(|| lang.pick("the machine gives no reason", "a máquina não diz por quê"));
            say!(lang, "limits are not enforced: {why}", "os limites não foram impostos: {why}")
        }
        AccountFact::GaloLag { lag_us_p99, goal_us } => {
            let lag = lang.decimals(lag_us_p99 / 1000.0, 1);
            let goal = lang.decimals(goal_us / 1000.0, 0);
            say!(
                lang,
                "galo's own lag is {lag} ms at p99, above its goal of {goal} ms; latencies hold it",
                "o atraso do próprio galo é de {lag} ms em p99, acima da sua meta de {goal} ms; as latências o contêm"
            )
        }
    }
}

fn unanswered(lang: Lang) -> &'static str {
    lang.pick(
        "the count was never answered by a 2xx after the load",
        "depois da carga a contagem nunca foi respondida com um 2xx",
    )
}

/// The operations without a complete answer: `300 failed and 12 timed out`; empty where there are none.
pub(in crate::words) fn without_answer([failed, timed_out, unfinished]: [u64; 3], lang: Lang) -> String {
    let kinds = [
        (failed, lang.pick("failed", if failed == 1 { "falhou" } else { "falharam" })),
        (timed_out, lang.pick("timed out", if timed_out == 1 { "expirou" } else { "expiraram" })),
        (
            unfinished,
            lang.pick("never ended", if unfinished == 1 { "não terminou" } else { "não terminaram" }),
        ),
    ];
    let kinds = kinds.iter().filter(|(number, _)| *number > 0);
    let kinds: Vec<String> = kinds.map(|(number, what)| format!("{} {what}", lang.whole(*number))).collect();
    lang.listed(&kinds)
}

/// That 502 and 504 are a balancer's words for an instance that is gone or too slow is what RFC 9110 (section 15.6) says of a
/// gateway.
fn first_errors(FirstErrors { at_ns, status }: FirstErrors, lang: Lang) -> String {
    let at = lang.seconds(at_ns);
    let meaning = match status {
        502 => lang.pick(
            "by which a balancer says that an instance was gone or broke off",
            "com que um balanceador diz que uma instância sumiu ou interrompeu",
        ),
        504 => lang.pick(
            "by which a balancer says that an instance was too slow",
            "com que um balanceador diz que uma instância demorou demais",
        ),
        503 => lang.pick(
            "by which a balancer or an instance says that it is full",
            "com que um balanceador ou uma instância diz que está cheio",
        ),
        _ => lang.pick("an instance's own failure", "uma falha da própria instância"),
    };
    say!(
        lang,
        "; errors began at {at} with status {status}, {meaning}",
        "; os erros começaram em {at} com o status {status}, {meaning}"
    )
}

fn ceiling(min: u64, max: u64, lang: Lang) -> String {
    let (low, high) = (lang.whole(min), lang.whole(max));
    if min == max { high } else { say!(lang, "{low} to {high}", "{low} a {high}") }
}

pub(super) fn count_difference(difference: CountDifference, lang: Lang) -> String {
    let [counted, acknowledged, created, probes, unknown] = [
        difference.counted,
        difference.acknowledged(),
        difference.created,
        difference.probes,
        difference.unknown,
    ]
    .map(|number| lang.whole(number));
    let numbers = say!(
        lang,
        "{counted} counted, {acknowledged} acknowledged ({created} and {probes} by probes), {unknown} of unknown effect",
        "{counted} contadas, {acknowledged} confirmadas ({created} e {probes} das sondagens), {unknown} de efeito \
         desconhecido"
    );
    if difference.lost() > 0 {
        let lost = lang.counted(difference.lost(), ACKNOWLEDGED);
        return say!(lang, "it lost {lost}: {numbers}", "ele perdeu {lost}: {numbers}");
    }
    let left = match difference.started_with {
        0 => String::new(),
        left => {
            let left = lang.whole(left);
            say!(
                lang,
                " ({left} were there before the first request)",
                " ({left} já estavam lá antes da primeira requisição)"
            )
        }
    };
    let extra = lang.whole(difference.extra());
    say!(
        lang,
        "it counts {extra} more than it acknowledged{left}: {numbers}",
        "ele conta {extra} a mais do que confirmou{left}: {numbers}"
    )
}
