//! The rules that an answer can break, by number: `must` first. A plan holds them as they were when it was made.

use galo_plan::{Rule, Severity};

/// Number of a rule in [`RULES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
#[expect(clippy::enum_variant_names, reason = "each is named as its rule")]
pub(crate) enum Broken {
    ValidPersonRefused,
    InvalidPersonAccepted,
    CreateStatus,
    LocationMissing,
    LocationNoUuid,
    ReadShape,
    ReadDiffers,
    SearchShape,
    SearchPhantom,
    SearchDuplicate,
    BadDateAccepted,
    NullAccepted,
    TooLongAccepted,
    WrongTypeAccepted,
    BrokenJsonAccepted,
    DuplicateAccepted,
    SearchIncomplete,
    SearchCase,
    SearchMetacharacters,
    SearchOtherInstance,
    StackKept,
    UnknownPerson,
    NoTerm,
    ServerError,
    ExactRefusal,
    ImpossibleDateAccepted,
    LocationRelative,
    NullStackKept,
    SearchAcrossFields,
    ContentTypeJson,
    LengthInBytes,
    DateForm,
    JsonRead,
    StrictJson,
    OddText,
    SearchWildcard,
    SearchCaseUnicode,
    EmptyStackKept,
    EmptyElementRefused,
    ExactStatus,
    CountPlainText,
    CountFresh,
    NotFound,
    MethodRefused,
    HeadAnswered,
    KeepAlive,
    Pipelining,
    HttpForms,
    NicknamesByCase,
}

impl From<Broken> for usize {
    fn from(rule: Broken) -> Self {
        rule as Self
    }
}

/// All rules, in the order of [`Broken`].
pub(crate) const RULES: &[Rule] = &[
    Rule::worded(
        Severity::Must,
        "valid-person-refused",
        "a valid person is created with status 201; if another row has the same apelido, 422 is right as well",
        ["a valid person was refused", "uma pessoa válida foi recusada"],
        "uma pessoa válida é criada com status 201; se outra linha tem o mesmo apelido, 422 \
        também está certo",
    ),
    Rule::worded(
        Severity::Must,
        "invalid-person-accepted",
        "a person with a field that is too long, of the wrong type or no date is refused with 400 or 422",
        ["an invalid person was accepted", "uma pessoa inválida foi aceita"],
        "uma pessoa com um campo longo demais, do tipo errado ou que não é data é recusada com \
        400 ou 422",
    ),
    Rule::worded(
        Severity::Must,
        "create-status",
        "a creation is answered with 201, 400 or 422",
        ["a creation was answered by another status", "uma criação foi respondida com outro status"],
        "uma criação é respondida com 201, 400 ou 422",
    ),
    Rule::worded(
        Severity::Must,
        "location-missing",
        "a creation's 201 has a Location",
        ["a creation's 201 had no Location", "o 201 de uma criação veio sem Location"],
        "o 201 de uma criação traz um Location",
    ),
    Rule::worded(
        Severity::Must,
        "location-no-uuid",
        "a creation's Location leads to /pessoas/<id>, where the id is a UUID",
        ["a Location led to no UUID", "um Location não levava a um UUID"],
        "o Location de uma criação leva a /pessoas/<id>, e o id é um UUID",
    ),
    Rule::worded(
        Severity::Must,
        "read-shape",
        "a read answers 200 and one JSON object with id, apelido, nome, nascimento and stack of the right types",
        ["a read had another form", "uma leitura veio em outra forma"],
        "uma leitura responde 200 e um objeto JSON com id, apelido, nome, nascimento e stack \
        dos tipos certos",
    ),
    Rule::worded(
        Severity::Must,
        "read-differs",
        "a read gives the person as created, stack in the same order with its duplicates",
        ["a read did not give the person as created", "uma leitura não trouxe a pessoa como foi criada"],
        "uma leitura traz a pessoa como foi criada, com a stack na mesma ordem e com as \
        repetições",
    ),
    Rule::worded(
        Severity::Must,
        "search-shape",
        "a search answers 200 and a JSON array of people with id, apelido, nome, nascimento and stack of the right types",
        ["a search had another form", "uma busca veio em outra forma"],
        "uma busca responde 200 e um array JSON de pessoas com id, apelido, nome, nascimento e \
        stack dos tipos certos",
    ),
    Rule::worded(
        Severity::Must,
        "search-phantom",
        "a search finds only people whose apelido, nome or stack contains the term, whatever the letter case",
        ["a search found somebody without the term", "uma busca trouxe alguém sem o termo"],
        "uma busca só traz pessoas cujo apelido, nome ou stack contém o termo, em maiúsculas ou \
        minúsculas",
    ),
    Rule::worded(
        Severity::Must,
        "search-duplicate",
        "a search lists nobody twice",
        ["a search listed somebody twice", "uma busca listou alguém duas vezes"],
        "uma busca não lista ninguém duas vezes",
    ),
    Rule::worded(
        Severity::Must,
        "bad-date-accepted",
        "a nascimento in month 13 or on day 32, in another order, or that is no date is refused with 400 or 422, and nothing is stored",
        ["a wrong date was accepted", "uma data errada foi aceita"],
        "um nascimento no mês 13 ou no dia 32, em outra ordem, ou que não é data é recusado com \
        400 ou 422, e nada é gravado",
    ),
    Rule::worded(
        Severity::Must,
        "null-accepted",
        "a person without apelido, nome, nascimento or an element of stack, or with null there, is refused with 400 or 422, and nothing is stored",
        ["a value that is missing was accepted", "um valor que falta foi aceito"],
        "uma pessoa sem apelido, nome ou nascimento, ou com null em um deles ou num elemento da \
        stack, é recusada com 400 ou 422, e nada é gravado",
    ),
    Rule::worded(
        Severity::Must,
        "too-long-accepted",
        "an apelido or element of stack of over 32 characters, or a nome of over 100, is refused, and nothing is stored",
        ["a text that is too long was accepted", "um texto longo demais foi aceito"],
        "um apelido ou elemento da stack com mais de 32 caracteres, ou um nome com mais de 100, \
        é recusado, e nada é gravado",
    ),
    Rule::worded(
        Severity::Must,
        "wrong-type-accepted",
        "a body or a field of another JSON type is refused with 400 or 422, and nothing is stored",
        ["a value of the wrong type was accepted", "um valor do tipo errado foi aceito"],
        "um corpo ou um campo de outro tipo JSON é recusado com 400 ou 422, e nada é gravado",
    ),
    Rule::worded(
        Severity::Must,
        "broken-json-accepted",
        "broken JSON is refused with 400 or 422, and nothing is stored",
        ["broken JSON was accepted", "JSON quebrado foi aceito"],
        "JSON quebrado é recusado com 400 ou 422, e nada é gravado",
    ),
    Rule::worded(
        Severity::Must,
        "duplicate-accepted",
        "of several creations of one apelido, also at once and on several instances, one is answered 201, and only that person is stored",
        ["one apelido was accepted several times", "o mesmo apelido foi aceito mais de uma vez"],
        "de várias criações do mesmo apelido, mesmo ao mesmo tempo e em várias instâncias, uma \
        é respondida com 201, e só essa pessoa é gravada",
    ),
    Rule::worded(
        Severity::Must,
        "search-incomplete",
        "a search finds everybody whose apelido, nome or stack contains the term, or 50 of them",
        ["a search left somebody out", "uma busca deixou alguém de fora"],
        "uma busca traz todo mundo cujo apelido, nome ou stack contém o termo, ou 50 deles",
    ),
    Rule::worded(
        Severity::Must,
        "search-case",
        "a search finds a term whatever its letter case: node finds Node",
        ["a search depended on letter case", "uma busca diferenciou maiúsculas de minúsculas"],
        "uma busca acha o termo em maiúsculas ou minúsculas: node acha Node",
    ),
    Rule::worded(
        Severity::Must,
        "search-metacharacters",
        "C++, C# and quotes are letters of a term: no 5xx, and found",
        ["a search failed at special characters", "uma busca falhou com caracteres especiais"],
        "C++, C# e aspas são letras de um termo: são achados, e sem 5xx",
    ),
    Rule::worded(
        Severity::Must,
        "search-other-instance",
        "who was created on one instance is at once read and found on the other",
        ["the other instance did not know a person yet", "a outra instância ainda não conhecia uma pessoa"],
        "quem foi criado numa instância é lido e achado na outra na mesma hora",
    ),
    Rule::worded(
        Severity::Must,
        "stack-kept",
        "a stack keeps its order, its duplicates and the spelling of its elements",
        ["a stack was not kept as it came", "uma stack não foi guardada como veio"],
        "uma stack mantém a ordem, as repetições e a grafia dos seus elementos",
    ),
    Rule::worded(
        Severity::Must,
        "unknown-person",
        "a read of nobody is answered 404, one by an id that is no UUID 400 or 404",
        ["a read of nobody was answered otherwise", "ler quem não existe teve outra resposta"],
        "ler quem não existe responde 404; com um id que não é UUID, 400 ou 404",
    ),
    Rule::worded(
        Severity::Must,
        "no-term",
        "a search without t is answered 400, one with an empty t 200 or 400",
        ["a search without a term was answered otherwise", "uma busca sem termo teve outra resposta"],
        "uma busca sem t responde 400; com t vazio, 200 ou 400",
    ),
    Rule::worded(
        Severity::Must,
        "server-error",
        "no request that the rules speak of is answered by a 5xx or left without an answer, and none ends the server",
        ["a request got a 5xx or no answer", "uma requisição recebeu um 5xx ou ficou sem resposta"],
        "nenhuma requisição de que as regras falam é respondida com um 5xx ou fica sem \
        resposta, e nenhuma derruba o servidor",
    ),
    Rule::worded(
        Severity::Should,
        "exact-refusal",
        "a stack that is no array is refused with 400",
        [
            "a stack that is no array was refused by another status",
            "uma stack que não é array foi recusada com outro status",
        ],
        "uma stack que não é array é recusada com 400",
    ),
    Rule::worded(
        Severity::Should,
        "impossible-date-accepted",
        "29 February of a common year is refused",
        [
            "29 February of a common year was accepted",
            "29 de fevereiro foi aceito num ano que não é bissexto",
        ],
        "o dia 29 de fevereiro de um ano que não é bissexto é recusado",
    ),
    Rule::worded(
        Severity::Should,
        "location-relative",
        "a creation's Location is relative: it names no host",
        ["a Location named a host", "um Location citou um host"],
        "o Location de uma criação é relativo: não cita host nenhum",
    ),
    Rule::worded(
        Severity::Should,
        "null-stack-kept",
        "a stack of null is answered as null, neither as [] nor left out",
        ["a stack of null came back as another", "uma stack null voltou diferente"],
        "uma stack null volta como null, nem como [] nem omitida",
    ),
    Rule::worded(
        Severity::Should,
        "search-across-fields",
        "a term that spans the end of one field and the start of the next finds nobody",
        ["a search found a term across two fields", "uma busca achou um termo entre dois campos"],
        "um termo que junta o fim de um campo ao começo do seguinte não acha ninguém",
    ),
    Rule::worded(
        Severity::Should,
        "content-type-json",
        "an answer in JSON has the Content-Type application/json",
        ["an answer in JSON had another Content-Type", "uma resposta em JSON veio com outro Content-Type"],
        "uma resposta em JSON tem o Content-Type application/json",
    ),
    Rule::worded(
        Severity::Should,
        "length-in-bytes",
        "lengths are counted in characters: 32 times é is not too long",
        ["lengths were counted in bytes", "tamanhos foram contados em bytes"],
        "tamanhos são contados em caracteres: trinta e duas letras com acento não são demais",
    ),
    Rule::worded(
        Severity::Should,
        "date-form",
        "a nascimento in another form than AAAA-MM-DD is refused",
        ["a date in another form was accepted", "uma data em outro formato foi aceita"],
        "um nascimento em formato diferente de AAAA-MM-DD é recusado",
    ),
    Rule::worded(
        Severity::Should,
        "json-read",
        "a valid person is created however JSON lets her be written: escapes, white space, order of keys, further keys",
        ["a valid person in unusual JSON was refused", "uma pessoa válida em JSON incomum foi recusada"],
        "uma pessoa válida é criada como quer que o JSON permita escrevê-la: escapes, espaços, \
        ordem das chaves, chaves a mais",
    ),
    Rule::worded(
        Severity::Should,
        "strict-json",
        "what only a lenient reader takes for JSON is refused",
        ["JSON of a lenient kind was accepted", "JSON fora do padrão foi aceito"],
        "o que só um leitor tolerante toma por JSON é recusado",
    ),
    Rule::worded(
        Severity::Should,
        "odd-text",
        "text that cannot be stored or read, as a NUL or half of a surrogate pair, is refused or replaced, without a 5xx",
        ["text that cannot be stored was not dealt with", "um texto que não dá para gravar não foi tratado"],
        "texto que não dá para gravar ou ler, como um NUL ou metade de um par surrogate, é \
        recusado ou substituído, sem 5xx",
    ),
    Rule::worded(
        Severity::Should,
        "search-wildcard",
        "a backslash, %, _, ., *, ?, [ and | in a term are letters, not wildcards",
        ["letters were taken for wildcards", "letras valeram como curingas"],
        "barra invertida, %, _, ., *, ?, [ e | num termo são letras, não curingas",
    ),
    Rule::worded(
        Severity::Should,
        "search-case-unicode",
        "a search ignores letter case also beyond ASCII: JOSÉ finds josé",
        [
            "a search depended on letter case beyond ASCII",
            "uma busca diferenciou maiúsculas de minúsculas fora do ASCII",
        ],
        "uma busca ignora maiúsculas e minúsculas também fora do ASCII: JOSÉ acha josé",
    ),
    Rule::worded(
        Severity::Should,
        "empty-stack-kept",
        "a stack of [] is answered as [], neither as null nor left out",
        ["an empty stack came back as another", "uma stack vazia voltou diferente"],
        "uma stack [] volta como [], nem como null nem omitida",
    ),
    Rule::worded(
        Severity::Should,
        "empty-element-refused",
        "an empty text as an element of stack is refused",
        ["an empty element of a stack was accepted", "um elemento vazio da stack foi aceito"],
        "um texto vazio como elemento da stack é recusado",
    ),
    Rule::worded(
        Severity::Should,
        "exact-status",
        "a refusal has the status that the rules name: 422 for a duplicate and for null, 400 for a wrong type and broken JSON",
        [
            "a refusal had another status than the rules name",
            "uma recusa veio com outro status que o das regras",
        ],
        "uma recusa tem o status que as regras dão: 422 para duplicado e para null, 400 para \
        tipo errado e JSON quebrado",
    ),
    Rule::worded(
        Severity::Should,
        "count-plain-text",
        "the count is an integer alone, as text/plain",
        ["the count was not an integer in plain text", "a contagem não veio como inteiro em texto puro"],
        "a contagem é só um inteiro, como text/plain",
    ),
    Rule::worded(
        Severity::Should,
        "count-fresh",
        "the count holds everybody whose creation was acknowledged before it was asked for",
        [
            "the count lacked what was acknowledged before",
            "faltou na contagem o que já tinha sido confirmado",
        ],
        "a contagem inclui todos cuja criação foi confirmada antes de ela ser pedida",
    ),
    Rule::worded(
        Severity::Should,
        "not-found",
        "a path that does not exist is answered 404",
        [
            "a path that does not exist was answered otherwise",
            "um caminho que não existe teve outra resposta",
        ],
        "um caminho que não existe responde 404",
    ),
    Rule::worded(
        Severity::Should,
        "method-refused",
        "a method that a path does not have is answered 404, 405 or 501",
        [
            "a method that a path does not have was answered otherwise",
            "um método que o caminho não tem teve outra resposta",
        ],
        "um método que o caminho não tem responde 404, 405 ou 501",
    ),
    Rule::worded(
        Severity::Should,
        "head-answered",
        "HEAD is answered as GET is, without a body",
        ["HEAD was not answered as GET is", "HEAD não foi respondido como GET"],
        "HEAD é respondido como GET, sem corpo",
    ),
    Rule::worded(
        Severity::Should,
        "keep-alive",
        "a connection carries one request after the other",
        ["a connection did not carry several requests", "uma conexão não levou várias requisições"],
        "uma conexão leva uma requisição depois da outra",
    ),
    Rule::worded(
        Severity::Should,
        "pipelining",
        "requests sent without waiting are answered in their order",
        [
            "requests sent without waiting were not answered in their order",
            "requisições enviadas sem esperar não foram respondidas em ordem",
        ],
        "requisições enviadas sem esperar são respondidas na sua ordem",
    ),
    Rule::worded(
        Severity::Should,
        "http-forms",
        "a request is understood in every form that HTTP/1.1 gives it, as chunks, absolute form, names of headers in any case, or refused without a 5xx",
        ["a form of HTTP/1.1 was not understood", "uma forma do HTTP/1.1 não foi entendida"],
        "uma requisição é entendida em toda forma que o HTTP/1.1 lhe dá (em chunks, em forma \
        absoluta, com nomes de cabeçalhos em qualquer caixa), ou recusada sem 5xx",
    ),
    Rule::worded(
        Severity::Should,
        "nicknames-by-case",
        "a nickname that differs from a taken one in letter case alone is not a duplicate",
        [
            "a nickname was taken for another in another letter case",
            "um apelido foi tomado por outro em outra caixa",
        ],
        "um apelido que só difere na caixa de um que já existe não é uma duplicata",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const ALL: [Broken; 49] = [
        Broken::ValidPersonRefused,
        Broken::InvalidPersonAccepted,
        Broken::CreateStatus,
        Broken::LocationMissing,
        Broken::LocationNoUuid,
        Broken::ReadShape,
        Broken::ReadDiffers,
        Broken::SearchShape,
        Broken::SearchPhantom,
        Broken::SearchDuplicate,
        Broken::BadDateAccepted,
        Broken::NullAccepted,
        Broken::TooLongAccepted,
        Broken::WrongTypeAccepted,
        Broken::BrokenJsonAccepted,
        Broken::DuplicateAccepted,
        Broken::SearchIncomplete,
        Broken::SearchCase,
        Broken::SearchMetacharacters,
        Broken::SearchOtherInstance,
        Broken::StackKept,
        Broken::UnknownPerson,
        Broken::NoTerm,
        Broken::ServerError,
        Broken::ExactRefusal,
        Broken::ImpossibleDateAccepted,
        Broken::LocationRelative,
        Broken::NullStackKept,
        Broken::SearchAcrossFields,
        Broken::ContentTypeJson,
        Broken::LengthInBytes,
        Broken::DateForm,
        Broken::JsonRead,
        Broken::StrictJson,
        Broken::OddText,
        Broken::SearchWildcard,
        Broken::SearchCaseUnicode,
        Broken::EmptyStackKept,
        Broken::EmptyElementRefused,
        Broken::ExactStatus,
        Broken::CountPlainText,
        Broken::CountFresh,
        Broken::NotFound,
        Broken::MethodRefused,
        Broken::HeadAnswered,
        Broken::KeepAlive,
        Broken::Pipelining,
        Broken::HttpForms,
        Broken::NicknamesByCase,
    ];

    #[test]
    fn every_number_stands_for_the_rule_of_its_name() {
        let kebab = |rule: Broken| {
            let name = format!("{rule:?}");
            let parts = name.char_indices().map(|(i, c)| match (i, c.is_uppercase()) {
                (0, _) | (_, false) => c.to_lowercase().to_string(),
                _ => format!("-{}", c.to_lowercase()),
            });
            parts.collect::<String>()
        };
        for rule in ALL {
            assert_eq!(RULES[rule as usize].name, kebab(rule));
        }
        assert_eq!(RULES.len(), ALL.len());
    }

    #[test]
    fn names_are_unique_and_the_should_rules_come_last() {
        assert_eq!(RULES.iter().map(|rule| &rule.name).collect::<HashSet<_>>().len(), RULES.len());
        let first_should = Broken::ExactRefusal as usize;
        assert!(RULES[..first_should].iter().all(|rule| rule.severity == Severity::Must));
        assert!(RULES[first_should..].iter().all(|rule| rule.severity == Severity::Should));
    }

    #[test]
    fn every_rule_has_its_words_in_both_languages() {
        for rule in RULES {
            let words = rule.words.as_ref().expect(&rule.name);
            let [en, pt] = &words.headline;
            let all = [en, pt, &words.text_pt, &rule.text];
            assert!(all.iter().all(|text| !text.is_empty() && !text.ends_with('.')), "{}", rule.name);
            assert!(en != pt && words.text_pt != rule.text, "{}", rule.name);
        }
    }
}
