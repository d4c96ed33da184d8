//! Answers to `GET /pessoas/<id>`.

use super::*;

#[track_caller]
fn told_of(person: &Person, body: &serde_json::Value) -> String {
    told(&read(Some(person), Some(ID), &json_answer(&body.to_string()), &mut Vec::new()))
}

#[test]
fn a_person_read_as_created_is_right() {
    for row in 0..500 {
        let person = Person::of_row(crate::draw::Key::numbered(4), row);
        if person.label() == Label::Accept {
            assert_eq!(told_of(&person, &stored(&person, UUID)), "ok", "row {row}");
        }
    }
}

#[test]
fn more_keys_another_order_escapes_and_spaces_do_not_matter() {
    let person = labelled(Label::Accept);
    let mut value = stored(&person, &UUID.to_uppercase());
    value["criado"] = serde_json::json!({"em": [1, null]});
    // serde_json writes keys in alphabetical order, not in the order of the request.
    let body = serde_json::to_string_pretty(&value).unwrap().replace('C', "\\u0043");
    let answer = Answer { content_type: Some(b"Application/JSON; charset=utf-8"), ..json_answer(&body) };
    // The escape also stands in the identity, which is upper case here.
    assert_eq!(told(&read(Some(&person), Some(ID), &answer, &mut Vec::new())), "ok");
}

#[test]
fn each_differing_field_is_told() {
    let person = labelled(Label::Accept);
    let good = stored(&person, UUID);
    for field in ["apelido", "nome"] {
        let mut value = good.clone();
        value[field] = format!("{} ", good[field].as_str().unwrap()).into();
        assert!(told_of(&person, &value).starts_with(&format!("read-differs: expected {field} \"")));
    }
    let mut value = good.clone();
    value["nascimento"] = "2000-01-01T00:00:00".into();
    let date = good["nascimento"].as_str().unwrap();
    assert_eq!(
        told_of(&person, &value),
        format!(r#"read-differs: expected nascimento "{date}", got "2000-01-01T00:00:00""#)
    );
    let mut value = good.clone();
    value["id"] = OTHER_UUID.into();
    assert_eq!(told_of(&person, &value), format!("read-differs: expected id {UUID}, got {OTHER_UUID}"));
    value["nome"] = "x".repeat(100_000).into();
    let both = told_of(&person, &value);
    assert!(both.contains("expected id") && both.contains("; expected nome"), "{both}");
}

#[test]
fn a_stack_keeps_its_order_its_duplicates_and_its_spelling() {
    let person = labelled(Label::Accept);
    let good: Vec<&str> = person.stack.skills().unwrap().collect();
    let told_of_stack = |stack: serde_json::Value| {
        let mut value = stored(&person, UUID);
        value["stack"] = stack;
        told_of(&person, &value)
    };
    let mut reversed = good.clone();
    reversed.reverse();
    assert_ne!(reversed, good);
    assert!(told_of_stack(reversed.into()).starts_with("read-differs: expected stack["));
    assert!(told_of_stack(good[1..].to_vec().into()).starts_with("read-differs: expected stack"));
    let (count, shorter) = (good.len(), good[..good.len() - 1].to_vec());
    let less = count - 1;
    assert_eq!(
        told_of_stack(shorter.into()),
        format!("read-differs: expected stack of {count} elements, got {less}")
    );
    let small: Vec<String> = good.iter().map(|skill| skill.to_lowercase()).collect();
    assert!(told_of_stack(small.into()).starts_with("read-differs: expected stack[0] "));
    assert!(told_of_stack(serde_json::Value::Null).ends_with("elements, got null"));
    assert!(told_of_stack(serde_json::json!([])).ends_with("elements, got 0"));
}

#[test]
fn a_stack_of_null_should_stay_null() {
    let person = first(|person| person.label() == Label::Accept && matches!(person.stack, Stack::Null));
    let good = stored(&person, UUID);
    assert!(good["stack"].is_null());
    assert_eq!(told_of(&person, &good), "ok");
    let mut value = good.clone();
    value["stack"] = serde_json::json!([]);
    insta::assert_snapshot!(told_of(&person, &value), @"null-stack-kept: expected stack null, got []");
    value.as_object_mut().unwrap().remove("stack");
    insta::assert_snapshot!(told_of(&person, &value), @"null-stack-kept: expected stack null, got no stack");
    value["stack"] = serde_json::json!(["Go"]);
    insta::assert_snapshot!(told_of(&person, &value), @"read-differs: expected stack null, got 1 elements");
}

#[test]
fn what_is_no_person_has_the_wrong_shape() {
    let person = labelled(Label::Accept);
    let good = stored(&person, UUID);
    for field in ["id", "apelido", "nome", "nascimento"] {
        let mut value = good.clone();
        value[field] = 1.into();
        assert!(
            told_of(&person, &value).starts_with("read-shape: expected a person: invalid type"),
            "{field}"
        );
        value.as_object_mut().unwrap().remove(field);
        assert!(told_of(&person, &value).contains(&format!("missing field `{field}`")));
    }
    let mut value = good.clone();
    value["id"] = "17".into();
    assert!(told_of(&person, &value).starts_with("read-shape: "));
    for wrong in [serde_json::json!([good]), "x".repeat(100_000).into(), serde_json::json!({})] {
        assert!(told_of(&person, &wrong).starts_with("read-shape: "));
    }
    let cut = good.to_string();
    let told_of_cut =
        told(&read(Some(&person), Some(ID), &json_answer(&cut[..cut.len() - 1]), &mut Vec::new()));
    assert!(told_of_cut.starts_with("read-shape: "), "{told_of_cut}");
    let lost = Answer { status: 404, ..json_answer("") };
    assert_eq!(
        told(&read(Some(&person), Some(ID), &lost, &mut Vec::new())),
        "read-shape: expected 200, got 404"
    );
}

#[test]
fn json_should_be_called_json() {
    let person = labelled(Label::Accept);
    let body = stored(&person, UUID).to_string();
    let told_of_type = |content_type| {
        told(&read(Some(&person), Some(ID), &Answer { content_type, ..json_answer(&body) }, &mut Vec::new()))
    };
    insta::assert_snapshot!(told_of_type(None), @"content-type-json: expected Content-Type application/json, got none");
    insta::assert_snapshot!(told_of_type(Some(b"text/plain")), @r#"content-type-json: expected Content-Type application/json, got "text/plain""#);
    assert_eq!(told_of_type(Some(b"application/json ;charset=UTF-8")), "ok");
}

#[test]
fn an_impossible_date_that_was_accepted_may_have_become_the_day_before_or_after() {
    let person = labelled(Label::Free);
    let mut value = stored(&person, UUID);
    let sent = value["nascimento"].as_str().unwrap().to_owned();
    let mut told_as = |date: &str| {
        value["nascimento"] = sent.replace("-02-29", date).into();
        let mut seen = Vec::new();
        let body = value.to_string();
        let _ = read(Some(&person), Some(ID), &json_answer(&body), &mut seen);
        (told_of(&person, &value), seen[0].digest == person.digest())
    };
    for date in ["-02-29", "-02-28", "-03-01"] {
        assert_eq!(told_as(date), ("ok".to_owned(), true), "{date}");
    }
    for date in ["-02-27", "-03-02", "-02-28 ", "-3-1"] {
        let (told, is_same) = told_as(date);
        assert!(told.starts_with("read-differs: ") && !is_same, "{date}");
    }
}

#[test]
fn the_last_days_of_february_are_told_apart_where_somebody_was_sent_with_them() {
    let of_date = |wanted: &str| {
        first(|person| {
            let date = stored(person, UUID)["nascimento"].as_str().is_some_and(|date| date.ends_with(wanted));
            person.label() == Label::Accept && date
        })
    };
    for (sent, shown) in [("-02-28", "-03-01"), ("-03-01", "-02-28"), ("-02-29", "-02-28")] {
        let person = of_date(sent);
        let mut value = stored(&person, UUID);
        assert_eq!(told_of(&person, &value), "ok");
        value["nascimento"] = value["nascimento"].as_str().unwrap().replace(sent, shown).into();
        assert!(told_of(&person, &value).starts_with("read-differs: "), "{sent} {shown}");
    }
}

#[test]
fn of_a_person_wrongly_accepted_only_form_and_identity_are_examined() {
    let invalid = first(|person| person.odd == Some(Odd::LongNome));
    let valid = labelled(Label::Accept);
    assert_eq!(told_of(&invalid, &stored(&valid, UUID)), "ok");
    assert!(told_of(&invalid, &stored(&valid, OTHER_UUID)).starts_with("read-differs: "));
}
