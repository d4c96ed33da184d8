//! JSON as RFC 8259 has it, and what only resembles it.

use galo_plan::conformance::{Case, CaseRequest, Content};

use super::build::{
    Held, OPEN, Person, Sent, accepted_by, case, discourage, located, nobody, odd_post, read, refuse,
    survived,
};
use crate::rules::Broken;

pub(super) fn cases() -> Vec<Case> {
    [written_otherwise(), further_keys(), broken(), lenient(), media_types()].concat()
}

/// One person in many spellings, and that the same person is read.
fn written_otherwise() -> Vec<Case> {
    let usual = Person::usual();
    let same = |name: &str, body: String| {
        case(name, [accepted_by(Broken::JsonRead, body), read(0).shows(Broken::JsonRead, &usual, 0)])
    };
    let fields = usual.fields();
    let joined = |separator: &str, colon: &str| {
        fields.iter().map(|(key, raw)| format!("\"{key}\"{colon}{raw}")).collect::<Vec<_>>().join(separator)
    };
    let mut backwards: Vec<String> = fields.iter().map(|(key, raw)| format!("\"{key}\":{raw}")).collect();
    backwards.reverse();
    let escaped = Person::usual().nome(r#""\u0041na {mark}""#).stack(r#"["R\u0075st","SQL"]"#);
    vec![
        same(
            "white space around everything is read",
            format!(" \r\n\t{{ {} }}\n\n", joined(" ,\n\t", " : ")),
        ),
        same("keys in another order are read", format!("{{{}}}", backwards.join(","))),
        same("letters written as \\u0041 are read", escaped.body()),
        same(
            "keys written as \\u0061 are read",
            usual.body().replacen("\"apelido\"", r#""\u0061pelido""#, 1),
        ),
        escapes("line breaks, tabs and slashes", r#""a\nb\tc\/d\b\f\r {mark}""#),
        escapes("escaped quotes and backslashes", r#""\"a\" \\ \u0022b\u005c {mark}""#),
        escapes("letters beyond ASCII as \\u00e9", r#""Jos\u00e9 \u4f60 {mark}""#),
    ]
}

fn escapes(what: &str, nome: &str) -> Case {
    let person = Person::usual().nome(nome);
    let name = format!("{what} in a nome are kept");
    case(name, [accepted_by(Broken::JsonRead, person.body()), read(0).shows(Broken::JsonRead, &person, 0)])
}

fn with_key(raw: &str) -> String {
    format!("{{\"mais\":{raw},{}", &Person::usual().body()[1..])
}

fn further_keys() -> Vec<Case> {
    let usual = Person::usual();
    let ignored = |what: &str, raw: &str| {
        let name = format!("a key that nobody asked for is ignored: {what}");
        case(name, [accepted_by(Broken::JsonRead, with_key(raw)), read(0).shows(Broken::JsonRead, &usual, 0)])
    };
    let free = |name: &str, body: Content| {
        case(name, [located(odd_post(Broken::OddText, body).status(Broken::OddText, OPEN))])
    };
    let nested = |open: &str, close: &str, depth: usize| {
        let (start, end) = ("{\"mais\":", format!(",{}", &Person::usual().body()[1..]));
        Content::from(start).repeated(open, depth).text("0").repeated(close, depth).text(&end)
    };
    vec![
        ignored("a text", r#""x""#),
        ignored("an object", r#"{"a":[1,{"b":null}]}"#),
        ignored("a number of 30 digits", &"1".repeat(30)),
        ignored("60 arrays in one another", &format!("{}{}", "[".repeat(60), "]".repeat(60))),
        ignored("an id", r#""6ba7b810-9dad-11d1-80b4-00c04fd430c8""#),
        free("the number 1e999 is survived", with_key("1e999").into()),
        free("the number -1e-999 is survived", with_key("-1e-999").into()),
        free("10,000 arrays in one another are survived", nested("[", "]", 10_000)),
        free("10,000 objects in one another are survived", nested("{\"a\":", "}", 10_000)),
        free("10,000 arrays that never end are survived", Content::default().repeated("[", 10_000)),
        free("a key given twice is survived", with_key("1,\"nome\":\"Outra {mark}\"").into()),
        free("an apelido given twice is survived", with_key("1,\"apelido\":\"{mark}b\"").into()),
        free(
            "1,000 further keys are survived",
            Content::from("{").repeated("\"k\":1,", 1000).text(&usual.body()[1..]),
        ),
    ]
}

fn refused_as(rule: Broken, what: &str, body: impl Into<Content>) -> Case {
    let exact = (rule == Broken::BrokenJsonAccepted).then_some(400);
    case(format!("broken JSON is refused: {what}"), [refuse(rule, exact, body), nobody(rule)])
}

/// What no reader of JSON can make sense of.
fn broken() -> Vec<Case> {
    let whole = Person::usual().body();
    let broken = |what: &str, body: String| refused_as(Broken::BrokenJsonAccepted, what, body);
    let before = |needle: &str| whole.split(needle).next().unwrap_or_default().to_owned();
    vec![
        broken("nothing at all", String::new()),
        broken("white space alone", " \n ".to_owned()),
        broken("an opening brace", "{".to_owned()),
        broken("a word", "pessoa".to_owned()),
        broken("a form", "apelido={mark}&nome={mark}&nascimento=1987-03-14".to_owned()),
        broken("XML", "<pessoa><apelido>{mark}</apelido></pessoa>".to_owned()),
        broken("without its last brace", whole.trim_end_matches('}').to_owned()),
        broken("cut after a key", before(":\"1987")),
        broken("cut within a text", before("-03-14")),
        broken("cut within the stack", before(",\"SQL")),
        broken("without a colon", whole.replacen(':', "", 1)),
        broken("without a comma", whole.replacen("\",\"", "\"\"", 1)),
        broken("a text without its end", whole.replacen("\",\"nome", ",\"nome", 1)),
        broken("a key without a value", whole.replacen("\"1987-03-14\"", "", 1)),
    ]
}

/// What some readers let pass, and the contest does not speak of.
fn lenient() -> Vec<Case> {
    let whole = Person::usual().body();
    let lenient = |what: &str, body: Content| {
        case(format!("what is nearly JSON should be refused: {what}"), [discourage(Broken::StrictJson, body)])
    };
    let of = |text: String| Content::from(text);
    let open = |name: &str, body: Content| {
        case(name, [located(odd_post(Broken::OddText, body).status(Broken::OddText, OPEN))])
    };
    vec![
        lenient("a word behind the person", of(format!("{whole} x"))),
        lenient("a second person behind the first", of(format!("{whole}{whole}"))),
        lenient("a brace too many", of(format!("{whole}}}"))),
        lenient("a comma before the last brace", of(whole.replacen("]}", "],}", 1))),
        lenient("a comma before the last bracket", of(whole.replacen("]}", ",]}", 1))),
        lenient("a comment", of(format!("/* person */{whole}"))),
        lenient("single quotes", of(whole.replace('"', "'"))),
        lenient("keys without quotes", of(whole.replacen("\"apelido\"", "apelido", 1))),
        lenient("NaN", of(with_key("NaN"))),
        lenient("a number with a leading zero", of(with_key("007"))),
        lenient("True", of(with_key("True"))),
        lenient("a line break within a text", of(Person::usual().nome("\"a\nb {mark}\"").body())),
        lenient("an unknown escape", of(Person::usual().nome(r#""a\xb {mark}""#).body())),
        open("a byte order mark is survived", of(format!("\u{feff}{whole}"))),
    ]
}

fn media_types() -> Vec<Case> {
    let body = || Person::usual().body();
    let open =
        |name: &str, request: CaseRequest| case(name, [located(request.status(Broken::JsonRead, OPEN))]);
    let posted = |media_type: &str| {
        let request = survived(Broken::JsonRead, "POST", "/pessoas");
        CaseRequest { body: Some(body().into()), ..request }.with("Content-Type", media_type)
    };
    let read_as = |name: &str, media_type: &str| {
        let request = posted(media_type).status(Broken::JsonRead, &[201]);
        case(name, [located(request), read(0).shows(Broken::JsonRead, &Person::usual(), 0)])
    };
    vec![
        read_as("a charset behind the media type is read", "application/json; charset=utf-8"),
        read_as("a media type in capitals is read", "APPLICATION/JSON;Charset=\"UTF-8\""),
        open(
            "a person without a media type is either created or refused",
            CaseRequest { headers: Vec::new(), ..odd_post(Broken::JsonRead, body()) },
        ),
        open("a person as text/plain is either created or refused", posted("text/plain")),
        open("a person under a media type that is none is either created or refused", posted("j;s/on")),
    ]
}
