//! Answers to `POST /pessoas`.

use super::*;

fn told_of(person: &Person, same: bool, status: u16) -> String {
    told(&create(person, Rivals { same, by_case: false }, &create_answer(status, Some(LOCATION))))
}

#[test]
fn an_uncontested_valid_person_must_be_created() {
    let person = labelled(Label::Accept);
    assert_eq!(told_of(&person, false, 201), "ok");
    insta::assert_snapshot!(told_of(&person, false, 422), @"valid-person-refused: expected 201, got 422");
    insta::assert_snapshot!(told_of(&person, false, 400), @"valid-person-refused: expected 201, got 400");
}

#[test]
fn a_nickname_that_others_have_in_another_letter_case_may_be_refused_and_that_is_told() {
    let person = labelled(Label::Accept);
    let told_of = |same, status| {
        told(&create(&person, Rivals { same, by_case: true }, &create_answer(status, Some(LOCATION))))
    };
    assert_eq!(told_of(false, 201), "ok");
    assert_eq!(
        told_of(false, 422),
        "nicknames-by-case: expected 201: nobody has this apelido but in another letter case, got 422"
    );
    assert_eq!(told_of(true, 422), "ok");
    assert_eq!(told_of(false, 400), "valid-person-refused: expected 201, got 400");
}

#[test]
fn a_name_of_blanks_may_be_created_or_refused_and_nothing_is_told() {
    let blank = first(|person| person.label() == Label::Free && person.date_label() == Label::Accept);
    for status in [201, 400, 422] {
        assert_eq!(told_of(&blank, false, status), "ok");
    }
}

#[test]
fn a_contested_valid_person_may_be_refused_as_a_duplicate_with_422_only() {
    let person = labelled(Label::Accept);
    assert_eq!(told_of(&person, true, 201), "ok");
    assert_eq!(told_of(&person, true, 422), "ok");
    insta::assert_snapshot!(told_of(&person, true, 400), @"valid-person-refused: expected 201, or 422 if the apelido is taken, got 400");
}

#[test]
fn an_invalid_person_must_not_be_created_and_is_stored_if_it_is() {
    for odd in [
        Odd::LongApelido,
        Odd::LongNome,
        Odd::EncodedTwice,
        Odd::LongSkill,
        Odd::TextAsStack,
        Odd::NumberAsStack,
    ] {
        let person = first(|person| person.odd == Some(odd));
        let accepted = create(&person, Rivals::default(), &create_answer(201, Some(LOCATION)));
        assert!(told(&accepted).starts_with("invalid-person-accepted: expected 400 or 422 for "), "{odd:?}");
        assert_eq!((accepted.effect, accepted.created), (Effect::Yes, Some(ID)));
        let refused = create(&person, Rivals::default(), &create_answer(400, None));
        assert_eq!(told(&refused), "ok");
        assert_eq!((refused.effect, refused.created), (Effect::No, None));
    }
    let month_13 = first(|person| person.label() == Label::Refuse && person.odd.is_none());
    insta::assert_snapshot!(told_of(&month_13, false, 201), @"invalid-person-accepted: expected 400 or 422 for a nascimento in month 13, got 201");
    assert_eq!(told_of(&month_13, false, 400), "ok");
    assert_eq!(told_of(&month_13, false, 422), "ok");
}

#[test]
fn the_refusal_that_the_rules_name_is_advised_where_they_name_one() {
    let text = first(|person| person.odd == Some(Odd::TextAsStack) && person.exact_refusal().is_some());
    insta::assert_snapshot!(told_of(&text, false, 422), @"exact-refusal: expected 400 for a text as stack, got 422");
    assert_eq!(told_of(&text, true, 422), "ok");
    let number = first(|person| person.odd == Some(Odd::NumberAsStack) && person.exact_refusal().is_some());
    insta::assert_snapshot!(told_of(&number, false, 422), @"exact-refusal: expected 400 for a number as stack, got 422");
    let too_long = first(|person| person.odd == Some(Odd::LongNome));
    assert_eq!(told_of(&too_long, false, 422), "ok");
}

#[test]
fn the_29th_of_february_of_a_common_year_may_be_created_but_should_not() {
    let person = labelled(Label::Free);
    assert_eq!(told_of(&person, false, 400), "ok");
    assert_eq!(told_of(&person, false, 422), "ok");
    insta::assert_snapshot!(told_of(&person, false, 201), @"impossible-date-accepted: expected 400 or 422 for 29 February of a common year, got 201");
    let without_location = create(&person, Rivals::default(), &create_answer(201, None));
    assert!(told(&without_location).starts_with("location-missing"));
}

#[test]
fn a_location_must_name_the_created_person() {
    let person = labelled(Label::Accept);
    let told_of =
        |location: Option<&str>| told(&create(&person, Rivals::default(), &create_answer(201, location)));
    for right in [LOCATION, "/pessoas/6BA7B810-9DAD-11D1-80B4-00C04FD430C8"] {
        assert_eq!(told_of(Some(right)), "ok");
    }
    insta::assert_snapshot!(told_of(None), @"location-missing: expected a Location, got none");
    insta::assert_snapshot!(told_of(Some("/pessoas/17")), @r#"location-no-uuid: expected Location /pessoas/<UUID>, got "/pessoas/17""#);
    for wrong in
        ["", "/pessoas/", "/pessoa/6ba7b810-9dad-11d1-80b4-00c04fd430c8", UUID, "http://", "http:///pessoas/"]
    {
        assert!(told_of(Some(wrong)).starts_with("location-no-uuid: "), "{wrong}");
    }
    for behind in ["/", "?", "?a=b", "/.", "/x", "%20"] {
        assert!(told_of(Some(&format!("{LOCATION}{behind}"))).starts_with("location-no-uuid: "), "{behind}");
    }
    for path in ["http://", "http:/", "/", "//", "ftp://localhost", "https://localhost:9999/x"] {
        assert!(told_of(Some(&format!("{path}{LOCATION}"))).starts_with("location-no-uuid: "), "{path}");
    }
}

#[test]
fn a_location_is_resolved_against_the_target_of_the_creation() {
    let person = labelled(Label::Accept);
    for before in ["", ".", "./pessoas/..", "/api/..", "/./a/b/../.."] {
        let location = match before {
            "" => LOCATION[1..].to_owned(),
            _ => format!("{before}{LOCATION}"),
        };
        let examination = create(&person, Rivals::default(), &create_answer(201, Some(&location)));
        assert_eq!(told(&examination), "ok", "{location}");
        assert_eq!((examination.effect, examination.created), (Effect::Yes, Some(ID)), "{location}");
    }
}

#[test]
fn a_location_with_a_host_is_right_but_should_be_relative() {
    let person = labelled(Label::Accept);
    for host in ["http://localhost:9999", "https://api1", "HTTP://127.0.0.1", "//host:9999", "//host/api/.."]
    {
        let location = format!("{host}{LOCATION}");
        let examination = create(&person, Rivals::default(), &create_answer(201, Some(&location)));
        assert_eq!(
            told(&examination),
            format!("location-relative: expected a relative Location, got {location:?}")
        );
        assert_eq!((examination.effect, examination.created), (Effect::Yes, Some(ID)));
    }
}

#[test]
fn a_person_is_stored_also_where_the_answer_is_otherwise_wrong() {
    let person = labelled(Label::Accept);
    let nameless = create(&person, Rivals::default(), &create_answer(201, None));
    assert_eq!((nameless.effect, nameless.created), (Effect::Yes, None));
    let odd_status = create(&person, Rivals::default(), &create_answer(200, Some(LOCATION)));
    insta::assert_snapshot!(told(&odd_status), @"create-status: expected 201, 400 or 422, got 200");
    assert_eq!((odd_status.effect, odd_status.created), (Effect::Yes, Some(ID)));
    assert_eq!(create(&person, Rivals::default(), &create_answer(504, None)).effect, Effect::Unknown);
    assert_eq!(create(&person, Rivals::default(), &create_answer(404, None)).effect, Effect::No);
}

#[test]
fn a_creation_of_which_no_row_is_known_needs_a_status_and_a_location() {
    let told_of = |status, location| told(&create_of_unknown(&create_answer(status, location)));
    assert_eq!(told_of(201, Some(LOCATION)), "ok");
    assert_eq!(told_of(422, None), "ok");
    assert!(told_of(201, None).starts_with("location-missing: "));
    assert!(told_of(204, None).starts_with("create-status: "));
}
