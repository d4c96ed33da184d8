//! Whether two servers answer the same request alike: status, kind of content, and the body by what it means.

use galo_record::duel::AnswerDifference;
use serde_json::Value;

/// How much of a value is shown, in characters.
const SHOWN: usize = 60;

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// HTTP status.
    pub status: u16,
    /// Value of `Content-Type`, if any.
    pub content_type: Option<String>,
    /// The decoded body.
    pub body: Vec<u8>,
}

/// The first way in which two answers differ. JSON is compared by meaning (keys in any order, numbers by value) without
/// what `ignored` points to (JSON pointers, RFC 6901, of which a `*` stands for any one name or number); everything else byte
/// for byte.
pub fn first_difference(answers: [&Answered; 2], ignored: &[String]) -> Option<AnswerDifference> {
    let differ = |at: &str, values: [String; 2]| {
        (values[0] != values[1]).then(|| AnswerDifference { at: at.to_owned(), values })
    };
    if let Some(difference) = differ("status", answers.map(|answer| answer.status.to_string())) {
        return Some(difference);
    }
    if let Some(difference) = differ("content-type", answers.map(media_type)) {
        return Some(difference);
    }
    let parsed = answers.map(|answer| serde_json::from_slice::<Value>(&answer.body).ok());
    match parsed {
        [Some(first), Some(second)] => first_in_json([Some(&first), Some(&second)], &mut Vec::new(), ignored),
        _ if answers[0].body == answers[1].body => None,
        _ => Some(AnswerDifference { at: "body".to_owned(), values: bodies(answers) }),
    }
}

/// `application/json` of `Application/JSON; charset=utf-8`.
fn media_type(answer: &Answered) -> String {
    let text = answer.content_type.as_deref().unwrap_or("none");
    text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn first_in_json(
    values: [Option<&Value>; 2],
    path: &mut Vec<String>,
    ignored: &[String],
) -> Option<AnswerDifference> {
    if values[0] == values[1] || ignored.iter().any(|pointer| points_to(pointer, path)) {
        return None;
    }
    let keys: Vec<String> = match values {
        [Some(Value::Object(first)), Some(Value::Object(second))] => {
            let missing = second.keys().filter(|key| !first.contains_key(*key));
            first.keys().chain(missing).cloned().collect()
        }
        [Some(Value::Array(first)), Some(Value::Array(second))] => {
            (0..first.len().max(second.len())).map(|index| index.to_string()).collect()
        }
        [Some(Value::Number(first)), Some(Value::Number(second))] if first.as_f64() == second.as_f64() => {
            return None;
        }
        _ => {
            let at = path
                .iter()
                .fold(String::new(), |at, part| at + "/" + &part.replace('~', "~0").replace('/', "~1"));
            let at = if at.is_empty() { "body".to_owned() } else { at };
            let values =
                values.map(|value| value.map_or_else(|| "nothing".to_owned(), |v| cut(&v.to_string())));
            return Some(AnswerDifference { at, values });
        }
    };
    keys.into_iter().find_map(|key| {
        let below = values.map(|value| child(value?, &key));
        path.push(key);
        let found = first_in_json(below, path, ignored);
        path.pop();
        found
    })
}

fn child<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    match value {
        Value::Object(map) => map.get(key),
        Value::Array(list) => list.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}

fn points_to(pointer: &str, path: &[String]) -> bool {
    let Some(rest) = pointer.strip_prefix('/') else { return false };
    let parts: Vec<String> = rest.split('/').map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
    parts.len() == path.len() && parts.iter().zip(path).all(|(part, own)| part == "*" || part == own)
}

/// Both bodies from a little before the first byte that differs.
fn bodies(answers: [&Answered; 2]) -> [String; 2] {
    const BEFORE: usize = 12;
    let [first, second] = answers.map(|answer| answer.body.as_slice());
    let same = first.iter().zip(second).take_while(|(a, b)| a == b).count();
    [first, second].map(|body| {
        let from = same.saturating_sub(BEFORE).min(body.len());
        let start = if from > 0 { "..." } else { "" };
        format!(
            "{start}{} ({} bytes)",
            cut(&format!("{:?}", String::from_utf8_lossy(&body[from..]))),
            body.len()
        )
    })
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(body: &str) -> Answered {
        Answered {
            status: 200,
            content_type: Some("application/json".to_owned()),
            body: body.as_bytes().to_vec(),
        }
    }

    fn at(first: &str, second: &str, ignored: &[&str]) -> Option<String> {
        let ignored: Vec<String> = ignored.iter().map(|&pointer| pointer.to_owned()).collect();
        first_difference([&json(first), &json(second)], &ignored).map(|difference| difference.at)
    }

    #[test]
    fn json_is_compared_by_what_it_means() {
        assert_eq!(at(r#"{"a":1,"b":[1,2]}"#, r#"{ "b": [1, 2.0], "a": 1 }"#, &[]), None);
        assert_eq!(at(r#"{"a":{"b/c":1}}"#, r#"{"a":{"b/c":2}}"#, &[]).as_deref(), Some("/a/b~1c"));
        assert_eq!(at(r#"[1,2]"#, r#"[1,2,3]"#, &[]).as_deref(), Some("/2"));
        assert_eq!(at("1", "\"1\"", &[]).as_deref(), Some("body"));
    }

    #[test]
    fn what_is_pointed_to_does_not_count() {
        let (first, second) = (r#"{"t":1,"l":[{"id":1,"n":2}]}"#, r#"{"t":2,"l":[{"id":3,"n":2}]}"#);
        assert_eq!(at(first, second, &[]).as_deref(), Some("/l/0/id"));
        assert_eq!(at(first, second, &["/l/*/id"]).as_deref(), Some("/t"));
        assert_eq!(at(first, second, &["/l/*/id", "/t"]), None);
    }

    #[test]
    fn status_and_kind_of_content_come_first() {
        let plain = Answered { content_type: Some("text/plain; charset=utf-8".to_owned()), ..json("{}") };
        let upper = Answered { content_type: Some("Text/Plain".to_owned()), ..json("{}") };
        assert_eq!(first_difference([&plain, &upper], &[]), None);
        assert_eq!(first_difference([&plain, &json("{}")], &[]).unwrap().at, "content-type");
        let missing = Answered { status: 404, ..json("") };
        let difference = first_difference([&json(""), &missing], &[]).unwrap();
        assert_eq!(
            (difference.at.as_str(), difference.values),
            ("status", ["200".to_owned(), "404".to_owned()])
        );
    }

    #[test]
    fn of_other_bodies_the_place_is_shown_where_they_part() {
        let text = |body: &str| Answered { content_type: None, ..json(body) };
        let long = "x".repeat(100);
        let difference =
            first_difference([&text(&format!("{long} one")), &text(&format!("{long} two"))], &[]).unwrap();
        assert_eq!(difference.values[0], "...\"xxxxxxxxxxx one\" (104 bytes)");
    }
}
