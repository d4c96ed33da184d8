//! What shows a fact, each piece in a few lines: the request in the first, what differs in the second, then the answer. Who has
//! room for little shows the first two.

use super::{
    AccountEvent, CpuUse, Denied, Evidence, Given, KeyEvent, KnownBy, LookedUp, OperationTold, SeenAt,
    Strange, Waits, Who, case,
};
use galo_plan::units::in_binary_unit;
use galo_words::nouns::{ALLOCATION, CONNECTION, FAULT, LOOK, OPERATION};
use galo_words::{Figure, Lang, say};

impl Evidence {
    /// Words for it in a few lines.
    pub fn wording(&self, lang: Lang) -> String {
        match self {
            Evidence::Count { status: 0, text } => say!(lang, "no answer: {text}", "sem resposta: {text}"),
            Evidence::Count { status, text } => format!("status {status}: {text}"),
            Evidence::Exchange { request, difference, answer } => {
                let in_one_line = |text: &str| {
                    text.lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join(" ")
                };
                lines([in_one_line(request), in_one_line(difference), answer.clone()])
            }
            Evidence::Case { case, instances, request, expected, came, answer } => {
                let on = instances.join(lang.pick(" and ", " e "));
                let differs = format!("{} ({case}; {on})", case::difference(expected, came, lang));
                lines([request.clone(), differs, answer.clone()])
            }
            Evidence::NoFlushes => lang
                .pick(
                    "calls of fsync, fdatasync, msync, sync_file_range, syncfs and sync: 0",
                    "chamadas de fsync, fdatasync, msync, sync_file_range, syncfs e sync: 0",
                )
                .to_owned(),
            Evidence::Settings { address, settings } => {
                let settings = settings.iter().map(|(name, value)| format!("{name} = {value}"));
                format!("{address}: {}", settings.collect::<Vec<_>>().join(", "))
            }
            Evidence::Acknowledged { creations } => {
                let line = |Given { row, id, creation }: &Given| {
                    let id = id.as_ref().map_or_else(String::new, |id| format!(", id {id}"));
                    let creation = operation(creation, lang);
                    say!(lang, "acknowledged {row}{id}: {creation}", "confirmou {row}{id}: {creation}")
                };
                lines(creations.iter().map(line))
            }
            Evidence::Shared { creations } => {
                let line = |Given { row, id, creation }: &Given| {
                    let (id, creation) = (id.as_deref().unwrap_or("-"), operation(creation, lang));
                    say!(lang, "gave id {id} to {row}: {creation}", "deu o id {id} a {row}: {creation}")
                };
                lines(creations.iter().map(line))
            }
            Evidence::NotFound { id, read, acknowledged } => {
                let (id, read) = (id.as_deref().unwrap_or("-"), operation(read, lang));
                let acknowledged = acknowledged.as_ref().map_or_else(String::new, |given| {
                    let (row, creation) = (&given.row, operation(&given.creation, lang));
                    say!(lang, "{row} was acknowledged: {creation}", "{row} foi confirmado: {creation}")
                });
                lines([
                    say!(lang, "id {id} was not found: {read}", "o id {id} não foi achado: {read}"),
                    acknowledged,
                ])
            }
            Evidence::Lacks { search, who: whom, known, since, age_ns, later } => {
                let known = match known {
                    KnownBy::Acknowledged => lang.pick("acknowledged", "confirmado"),
                    KnownBy::Found => lang.pick("found", "achado"),
                };
                let (whom, age) = (who(whom, lang), lang.moment(*age_ns));
                let since = since.as_ref().map_or_else(String::new, |since| operation(since, lang));
                let later = match later {
                    Some(later) => {
                        let (after, answer) = (lang.moment(later.after_ns), operation(&later.answer, lang));
                        say!(
                            lang,
                            "in an answer {after} after the last such search: {answer}",
                            "numa resposta {after} depois da última busca assim: {answer}"
                        )
                    }
                    None => lang.pick("in no later answer", "em nenhuma resposta posterior").to_owned(),
                };
                let lacks = say!(
                    lang,
                    "lacks {whom}, {known} {age} earlier: {since}",
                    "não traz {whom}, {known} {age} antes: {since}"
                );
                lines([operation(search, lang), lacks, later])
            }
            Evidence::Showed { answer, id, who: whose, why } => {
                let whose = match whose {
                    SeenAt::Unknown { digest } => {
                        say!(lang, "fields with the digest {digest}", "campos com o digest {digest}")
                    }
                    SeenAt::Of(of) => who(of, lang),
                };
                let showed = say!(lang, "showed id {id} with {whose}", "mostrou o id {id} com {whose}");
                lines([operation(answer, lang), showed, strange(why, lang)])
            }
            Evidence::Kept { found, who: whom, denied, creation } => {
                let (whom, creation) = (who(whom, lang), operation(creation, lang));
                let denied = match denied {
                    Denied::Refused => lang.pick("refused", "recusada"),
                    Denied::Failed => lang.pick("answered with a 5xx", "respondida com um 5xx"),
                };
                lines([
                    operation(found, lang),
                    say!(lang, "found {whom}", "achou {whom}"),
                    say!(
                        lang,
                        "whose creation was {denied}: {creation}",
                        "cuja criação foi {denied}: {creation}"
                    ),
                ])
            }
            Evidence::Refused { who: whom, refusal, next } => {
                let (whom, refusal) = (who(whom, lang), operation(refusal, lang));
                let next = match next {
                    Some(next) => {
                        let next = operation(next, lang);
                        say!(
                            lang,
                            "the first other creation that can have happened: {next}",
                            "a primeira outra criação que pode ter acontecido: {next}"
                        )
                    }
                    None => lang
                        .pick(
                            "no other creation of the key was acknowledged or is of unknown effect",
                            "nenhuma outra criação da chave foi confirmada ou tem efeito desconhecido",
                        )
                        .to_owned(),
                };
                lines([say!(lang, "{whom} was refused: {refusal}", "{whom} foi recusado: {refusal}"), next])
            }
            Evidence::Key { events, more } => {
                let more = (*more > 0).then(|| {
                    let more = lang.counted(*more, OPERATION);
                    say!(lang, "and {more}", "e {more}")
                });
                lines(events.iter().map(|event| key_event(event, lang)).chain(more))
            }
            Evidence::Account { account, balance, events } => {
                let head = match balance {
                    Some(balance) => {
                        say!(lang, "{account}, the balance {balance}: ", "{account}, o saldo {balance}: ")
                    }
                    None => format!("{account}: "),
                };
                let event = |AccountEvent { row, operation: of, told }: &AccountEvent| {
                    let of = operation(of, lang);
                    match told {
                        Some(told) => say!(lang, "{row} told {told}: {of}", "{row} informou {told}: {of}"),
                        None => format!("{row}: {of}"),
                    }
                };
                // The account stands before the first request, so that two of them fit where there is room for two lines.
                head + &lines(events.iter().map(event))
            }
            Evidence::Balance { account, total, expected } => {
                let total =
                    total.map_or_else(|| lang.pick("none", "nenhum").to_owned(), |total| total.to_string());
                say!(
                    lang,
                    "{account}: acknowledged were moves to {expected}, the statement after the restart told {total}",
                    "{account}: foram confirmadas movimentações até {expected}, o extrato depois da volta informou {total}"
                )
            }
            Evidence::Lookup { row, status, answered_ns, target, service, came } => {
                let at = lang.decimals(*answered_ns as f64 / 1e9, 3);
                let place = service
                    .as_ref()
                    .map_or_else(String::new, |service| say!(lang, " at `{service}`", " em `{service}`"));
                let came = match came {
                    LookedUp::Nothing => lang.pick("no answer", "sem resposta").to_owned(),
                    LookedUp::Another => {
                        lang.pick("status 200, but another", "status 200, mas outro").to_owned()
                    }
                    LookedUp::Listed => {
                        lang.pick("status 200, and it is in it", "status 200, e está nele").to_owned()
                    }
                    LookedUp::Status { status } => format!("status {status}"),
                };
                lines([
                    say!(
                        lang,
                        "{row}: answered {status} at {at} s",
                        "{row}: respondido com {status} em {at} s"
                    ),
                    say!(
                        lang,
                        "GET {target}{place} after the restart: {came}",
                        "GET {target}{place} depois da volta: {came}"
                    ),
                ])
            }
            Evidence::AcceptQueue { connections, port } => {
                let connections = lang.counted((*connections).into(), CONNECTION);
                say!(
                    lang,
                    "longest queue seen: {connections} at port {port}",
                    "maior fila vista: {connections} na porta {port}"
                )
            }
            Evidence::Blocker { statement } => {
                say!(lang, "they waited for: {statement}", "esperavam por: {statement}")
            }
            Evidence::Sessions { looks, running, waiting } => sessions(*looks, *running, waiting, lang),
            Evidence::MemoryHits { hits, faults } => memory_hits(*hits, *faults, lang),
            Evidence::MostAnonymous { bytes } => {
                let bytes = lang.figure(in_binary_unit(*bytes));
                say!(lang, "most anonymous memory: {bytes}", "máximo de memória anônima: {bytes}")
            }
            Evidence::CpuWhileWaiting(CpuUse { service, cpus: used, limit_cpus }) => {
                let used = lang.decimals(*used, 2);
                let limit = match limit_cpus {
                    Some(limit) => {
                        let limit = in_cpus(*limit, lang);
                        say!(lang, "of {limit}", "de {limit}")
                    }
                    None => lang.pick("no limit", "sem limite").to_owned(),
                };
                say!(
                    lang,
                    "`{service}`: {used} CPU {limit} while users waited",
                    "`{service}`: {used} CPU {limit} enquanto usuários esperavam"
                )
            }
            Evidence::LogLine { service, line } => format!("{service}.log: {line}"),
            Evidence::Neighbour { name, pid, cpu_ns } => {
                let used = lang.seconds(*cpu_ns);
                say!(
                    lang,
                    "`{name}` (process {pid}) used {used} of CPU",
                    "`{name}` (processo {pid}) usou {used} de CPU"
                )
            }
            Evidence::StallBegan { at_ns } => {
                let at = lang.seconds(*at_ns);
                say!(lang, "a stall began at {at}", "uma parada começou em {at}")
            }
        }
    }
}

fn sessions(looks: u64, running: f64, waiting: &[Waits], lang: Lang) -> String {
    let (looks, running) = (lang.counted(looks, LOOK), lang.decimals(running, 1));
    let waits = waiting.iter().map(|waits| format!("{} {}", waits.event, lang.decimals(waits.sessions, 1)));
    let waits = waits.collect::<Vec<_>>().join(", ");
    let waits =
        if waits.is_empty() { waits } else { say!(lang, ", waiting for {waits}", ", à espera de {waits}") };
    say!(
        lang,
        "sessions on average over {looks}: running {running}{waits}",
        "sessões em média em {looks}: rodando {running}{waits}"
    )
}

/// `12 allocations at the limit, 3 major page faults`; without the former where the kernel counts none.
pub fn memory_hits(hits: u64, faults: u64, lang: Lang) -> String {
    let faults = lang.counted(faults, FAULT);
    if hits == 0 {
        return faults;
    }
    let hits = lang.counted(hits, ALLOCATION);
    say!(lang, "{hits} at the limit, {faults}", "{hits} no limite, {faults}")
}

fn lines(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Which operation it was, and for a search what it asked for and how many it listed.
fn operation(told: &OperationTold, lang: Lang) -> String {
    let OperationTold { user, connection, .. } = told;
    let step = told.step.sentence(lang);
    let (due, done) = (lang.moment(told.due_ns), lang.moment(told.done_ns));
    let sent = match told.sent_ns {
        Some(sent_ns) => {
            let sent = lang.moment(sent_ns);
            say!(lang, "sent {sent}", "enviada em {sent}")
        }
        None => lang.pick("never sent", "nunca enviada").to_owned(),
    };
    let status = match told.status {
        0 => lang.pick("no answer", "sem resposta").to_owned(),
        status => format!("status {status}"),
    };
    let asked =
        told.asked.as_ref().map_or_else(String::new, |words| say!(lang, " for {words}", " por {words}"));
    let listed =
        told.listed.map_or_else(String::new, |number| say!(lang, ", {number} listed", ", {number} na lista"));
    say!(
        lang,
        "{step}{asked} by user {user} (connection {connection}): due {due}, {sent}, done {done}, {status}{listed}",
        "{step}{asked} do usuário {user} (conexão {connection}): prevista para {due}, {sent}, terminada em {done}, \
         {status}{listed}"
    )
}

/// Who it is: the row in words, and the identity that it was given.
fn who(who: &Who, lang: Lang) -> String {
    let row = who.row.as_deref().unwrap_or_else(|| lang.pick("nobody", "ninguém"));
    match &who.id {
        Some(id) => format!("{row} (id {id})"),
        None => row.to_owned(),
    }
}

fn strange(why: &Strange, lang: Lang) -> String {
    match why {
        Strange::NeverSent => lang
            .pick("nobody with these fields was ever sent", "ninguém com estes campos foi enviado")
            .to_owned(),
        Strange::SentLater { sent_ns: Some(sent_ns) } => {
            let sent = lang.moment(*sent_ns);
            say!(lang, "they were only sent at {sent}", "só foram enviados em {sent}")
        }
        Strange::SentLater { sent_ns: None } => {
            lang.pick("their creation was never sent", "a sua criação nunca foi enviada").to_owned()
        }
        Strange::OtherIdentity { creation: Some(creation) } => {
            let creation = operation(creation, lang);
            say!(lang, "they were acknowledged: {creation}", "a sua criação foi confirmada: {creation}")
        }
        Strange::OtherIdentity { creation: None } => {
            lang.pick("this identity was given to another one", "esta identidade foi dada a outro").to_owned()
        }
        Strange::OtherFields { before } => {
            let before = operation(before, lang);
            say!(
                lang,
                "the identity had other fields before: {before}",
                "a identidade tinha outros campos antes: {before}"
            )
        }
        Strange::TwoIdentities { before } => {
            let before = operation(before, lang);
            say!(lang, "they had another identity before: {before}", "antes tinha outra identidade: {before}")
        }
    }
}

fn key_event(event: &KeyEvent, lang: Lang) -> String {
    let (what, told) = match event {
        KeyEvent::Acknowledged { who: whom, operation } => {
            let whom = who(whom, lang);
            (say!(lang, "acknowledged {whom}", "confirmou {whom}"), operation)
        }
        KeyEvent::LeftOpen { who: whom, operation } => {
            let whom = who(whom, lang);
            (say!(lang, "left open whether it created {whom}", "deixou em aberto se criou {whom}"), operation)
        }
        KeyEvent::Refused { operation } => {
            (lang.pick("refused a duplicate", "recusou como duplicado").to_owned(), operation)
        }
        KeyEvent::Found { who: whom, operation } => {
            let whom = who(whom, lang);
            (say!(lang, "found {whom}", "achou {whom}"), operation)
        }
        KeyEvent::Lacks { who: whom, operation } => {
            let whom = who(whom, lang);
            (say!(lang, "lacks {whom}", "não traz {whom}"), operation)
        }
    };
    format!("{what}: {}", operation(told, lang))
}

/// With two decimals at most: `0.5`, `1`.
pub(crate) fn in_cpus(cpus: f64, lang: Lang) -> String {
    lang.figure(Figure::Plain((cpus * 100.0).round() / 100.0))
}
