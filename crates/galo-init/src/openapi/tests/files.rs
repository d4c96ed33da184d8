//! Descriptions of several files.

use std::path::Path;

use tempfile::TempDir;

use super::{lines, plain};
use crate::openapi::read;

/// A folder `api` with these files, beside which others may stand.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

/// What becomes of `api/main.yaml`: requests and what is left out; or the error.
fn told(folder: &Path) -> String {
    let told = match read(&folder.join("api/main.yaml"), &plain()) {
        Ok(traffic) => lines(&traffic) + &traffic.told.join("\n"),
        Err(error) => error.to_string(),
    };
    told.replace(folder.to_str().unwrap(), "FOLDER")
}

/// `POST /lamps` with this body, beside `GET /b`.
fn main_of(body: &str) -> String {
    format!(
        "openapi: 3.1.0\npaths:\n  /b: {{ get: {{}} }}\n  /lamps:\n    post:\n      requestBody:\n        required: true\n        \
         content:\n          application/json:\n            schema: {{ $ref: '{body}' }}\n"
    )
}

#[test]
fn references_are_followed_from_the_file_in_which_they_stand() {
    let folder = folder(&[
        (
            "api/main.yaml",
            "openapi: 3.1.0\npaths:\n  /lamps: { $ref: 'paths/lamps.yaml' }\n\
             components: { schemas: { Colour: { type: string, enum: [NO] } } }\n",
        ),
        (
            "api/paths/lamps.yaml",
            "get:\n  parameters: [{ $ref: '../shared/parameters.json#/Page' }]\n  responses: { 200: {} }\n\
             post:\n  requestBody: { $ref: '#/x-bodies/lamp' }\n\
             x-bodies:\n  lamp: { required: true, content: { application/json: { schema: { $ref: '../schemas/lamp%20s.yaml#/Lamp' } } } }\n",
        ),
        (
            "api/shared/parameters.json",
            r#"{ "Page": { "name": "page", "in": "query", "required": true, "schema": { "type": "integer" } } }"#,
        ),
        (
            "api/schemas/lamp s.yaml",
            "Lamp:\n  type: object\n  required: [on, colour, next]\n  properties:\n    on: { $ref: '#/On' }\n    \
             colour: { $ref: '../main.yaml#/components/schemas/Colour' }\n    next: { type: array, items: { $ref: '#/On' } }\n\
             On: { enum: [on, off] }\n",
        ),
    ]);
    insta::assert_snapshot!(told(folder.path()), @r#"
GET /lamps | /lamps?page=1 | - | [200]
POST /lamps | /lamps | {"colour":"NO","next":["on"],"on":"on"} | 200 to 299
GET /lamps: as described | /lamps?page=1 | - | [200]
GET /lamps: without ?page | /lamps | - | 400 to 499
POST /lamps: as described | /lamps | {"colour":"NO","next":["on"],"on":"on"} | 200 to 299
POST /lamps: without on | /lamps | {"colour":"NO","next":["on"]} | 400 to 499
POST /lamps: without colour | /lamps | {"next":["on"],"on":"on"} | 400 to 499
POST /lamps: without next | /lamps | {"colour":"NO","on":"on"} | 400 to 499
POST /lamps: colour of another type | /lamps | {"colour":{},"next":["on"],"on":"on"} | 400 to 499
POST /lamps: next of another type | /lamps | {"colour":"NO","next":"galo","on":"on"} | 400 to 499
left out: on of another type in POST /lamps, because its schema does not say of which it is
"#);
}

#[test]
fn a_discriminator_may_name_files() {
    let folder = folder(&[
        ("api/main.yaml", &main_of("./all.yaml")),
        (
            "api/all.yaml",
            "oneOf: [{ $ref: 'schemas/Dog.yaml' }]\ndiscriminator: { propertyName: kind, mapping: { dog: ./schemas/Dog.yaml } }\n",
        ),
        (
            "api/schemas/Dog.yaml",
            "{ type: object, required: [kind], properties: { kind: { type: string } } }",
        ),
    ]);
    assert!(told(folder.path()).contains(r#"| {"kind":"dog"} |"#), "{}", told(folder.path()));
}

#[test]
fn what_lies_outside_or_at_an_address_is_not_read() {
    let outside = |body: &str| {
        let folder = folder(&[("api/main.yaml", &main_of(body)), ("secret.yaml", "A: { type: string }\n")]);
        std::os::unix::fs::symlink("../secret.yaml", folder.path().join("api/link.yaml")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("api/lost.yaml")).unwrap();
        let told = told(folder.path());
        let last = told.lines().last().unwrap().to_owned();
        assert!(told.contains("GET /b"), "{told}");
        last.strip_prefix("left out: POST /lamps, because its body cannot be made: ").unwrap().to_owned()
    };
    insta::assert_snapshot!(outside("../secret.yaml#/A"), @"`../secret.yaml#/A` lies outside of the description's folder (FOLDER/api/main.yaml:10)");
    insta::assert_snapshot!(outside("./a/../../secret.yaml#/A"), @"`./a/../../secret.yaml#/A` lies outside of the description's folder (FOLDER/api/main.yaml:10)");
    insta::assert_snapshot!(outside("%2e%2e/secret.yaml#/A"), @"`%2e%2e/secret.yaml#/A` lies outside of the description's folder (FOLDER/api/main.yaml:10)");
    insta::assert_snapshot!(outside("link.yaml#/A"), @"`link.yaml#/A` lies outside of the description's folder (FOLDER/api/main.yaml:10)");
    insta::assert_snapshot!(outside("lost.yaml#/A"), @"`lost.yaml#/A` is a link that leads nowhere (FOLDER/api/main.yaml:10)");
    insta::assert_snapshot!(outside("/etc/passwd"), @"`/etc/passwd` lies outside of the description's folder (FOLDER/api/main.yaml:10)");
    insta::assert_snapshot!(outside("https://example.org/a.yaml#/A"), @"`https://example.org/a.yaml#/A` is at an address, and only files are read (FOLDER/api/main.yaml:10)");
    insta::assert_snapshot!(outside("file:///etc/passwd"), @"`file:///etc/passwd` is at an address, and only files are read (FOLDER/api/main.yaml:10)");
    insta::assert_snapshot!(outside("none.yaml#/A"), @"`FOLDER/api/none.yaml` cannot be read: it is no file (FOLDER/api/main.yaml:10)");
    insta::assert_snapshot!(outside("."), @"`.` is no file that can be read (FOLDER/api/main.yaml:10)");
}

#[test]
fn a_way_out_of_the_folder_and_back_stays_inside() {
    let folder =
        folder(&[("api/main.yaml", &main_of("../api/a.yaml#/A")), ("api/a.yaml", "A: { const: 7 }\n")]);
    assert!(told(folder.path()).contains("POST /lamps | /lamps | 7 |"), "{}", told(folder.path()));
}

#[test]
fn a_file_that_cannot_be_read_says_line_and_reason() {
    let of = |other: &[u8]| {
        let folder = folder(&[("api/main.yaml", &main_of("a.yaml#/A"))]);
        std::fs::write(folder.path().join("api/a.yaml"), other).unwrap();
        let told = told(folder.path());
        told.lines().last().unwrap().rsplit_once("made: ").unwrap().1.to_owned()
    };
    insta::assert_snapshot!(of(b"A: 1\nB: [\n"), @"FOLDER/api/a.yaml:2: unclosed bracket '['");
    insta::assert_snapshot!(of(b"A: 1\nA: 2\n"), @"FOLDER/api/a.yaml:2: duplicate mapping key: A not allowed here");
    insta::assert_snapshot!(of(b"A: 1\n\xff\n"), @"FOLDER/api/a.yaml:2: the file is not UTF-8 text");
    insta::assert_snapshot!(of(b"{ \"A\": 1,\n \"B\" }\n\"\""), @"FOLDER/api/a.yaml:2: expected `:`");
    insta::assert_snapshot!(of(b"B: 1\n"), @"`a.yaml#/A` leads nowhere");
    let folder = folder(&[("api/main.yaml", "openapi: 3.1.0\npaths:\n\t/a: 1\n")]);
    insta::assert_snapshot!(told(folder.path()), @r"
FOLDER/api/main.yaml:3: tabs disallowed within this context (block indentation)
hint: name an OpenAPI description, as JSON or YAML
");
    std::fs::write(
        folder.path().join("api/main.yaml"),
        "\u{feff}openapi: 3.1.0\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>(),
    )
    .unwrap();
    insta::assert_snapshot!(told(folder.path()), @r"
FOLDER/api/main.yaml:1: the file is not UTF-8 text
hint: name an OpenAPI description, as JSON or YAML
");
}

#[test]
fn files_that_lead_round_in_a_circle_end() {
    let folder = folder(&[
        ("api/main.yaml", &main_of("a.yaml#/A")),
        ("api/a.yaml", "A: { $ref: 'b.yaml#/B' }\n"),
        ("api/b.yaml", "B: { $ref: 'a.yaml#/A' }\n"),
    ]);
    insta::assert_snapshot!(told(folder.path()), @r"
GET /b | /b | - | 200 to 299
GET /b: as described | /b | - | 200 to 299
left out: POST /lamps, because its body cannot be made: its references go round in a circle
");
}

#[test]
fn files_without_number_are_not_read() {
    let many: Vec<String> = (0..1_000).map(|n| format!("{{ $ref: '{n}.yaml' }}")).collect();
    let main = format!("a: [{}]\n", many.join(", ")) + &main_of("last.yaml#/A");
    let folder = folder(&[("api/main.yaml", &main), ("api/last.yaml", "A: { type: string }\n")]);
    insta::assert_snapshot!(told(folder.path()).lines().last().unwrap(), @"left out: POST /lamps, because its body cannot be made: `last.yaml#/A` is one file too many (FOLDER/api/main.yaml)");
}

#[test]
fn aliases_of_many_files_are_bounded_together() {
    let text = "x0: &x0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    let text = (0..4).fold(text, |text, n| {
        let aliases = vec![format!("*x{n}"); 10].join(", ");
        text + &format!("x{}: &x{} [{aliases}]\n", n + 1, n + 1)
    });
    let names: Vec<String> = (0..9).map(|n| format!("api/{n}.yaml")).collect();
    let mut all: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), text.as_str())).collect();
    all.push(("api/last.yaml", &text));
    let many: Vec<String> = (0..9).map(|n| format!("{{ $ref: '{n}.yaml' }}")).collect();
    let main = format!("a: [{}]\n", many.join(", ")) + &main_of("last.yaml#/x0");
    all.push(("api/main.yaml", &main));
    insta::assert_snapshot!(told(folder(&all).path()).lines().last().unwrap(), @"left out: POST /lamps, because its body cannot be made: `FOLDER/api/last.yaml` cannot be read: it holds too much (FOLDER/api/main.yaml:11)");
}
