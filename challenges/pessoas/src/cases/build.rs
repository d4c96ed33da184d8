//! What cases are made of: requests with what their answers are held to, and people as raw JSON.

use galo_plan::conformance::{Case, CaseRequest, Content, Expect, Expectation, Form, Way};

use crate::rules::Broken;

/// Statuses of a refusal.
pub(super) const REFUSED: &[u16] = &[400, 422];
/// Statuses of a creation.
pub(super) const CREATION: &[u16] = &[201, 400, 422];
/// Statuses of a request that the contest leaves open.
pub(super) const OPEN: &[u16] = &[201, 400, 413, 415, 422];
/// Statuses of what is no business of a person.
pub(super) const OK: &[u16] = &[200];

/// A case.
pub(super) fn case(name: impl Into<String>, requests: impl Into<Vec<CaseRequest>>) -> Case {
    Case { name: name.into(), requests: requests.into(), front: false }
}

/// Cases about HTTP itself, whatever of it reaches the instances: the contest speaks of its one port alone.
pub(super) fn in_front(cases: Vec<Case>) -> Vec<Case> {
    cases.into_iter().map(|case| Case { front: true, ..case }).collect()
}

/// What a request's answer is held to.
pub(super) trait Held: Sized {
    /// By a rule.
    fn held(self, rule: Broken, that: Expect) -> Self;
    /// To be one of these statuses.
    fn status(self, rule: Broken, statuses: &[u16]) -> Self {
        self.held(rule, Expect::Status(statuses.to_vec()))
    }
    /// To list exactly those whom these requests created.
    fn lists(self, rule: Broken, created: &[usize]) -> Self {
        let of: Vec<String> = created.iter().map(|request| format!("{{{request}.id}}")).collect();
        let at_least = of.len();
        let nobody_else = Expect::Lists { of: of.clone(), at_least: 0, others: false };
        self.held(rule, Expect::Lists { of, at_least, others: true }).held(Broken::SearchPhantom, nobody_else)
    }
    /// To list nobody.
    fn lists_nobody(self, rule: Broken) -> Self {
        self.held(rule, Expect::Lists { of: Vec::new(), at_least: 0, others: false })
    }
    /// To show this person, null and no stack told apart only by the `should` rule.
    fn shows(self, must: Broken, person: &Person, created: usize) -> Self {
        self.held(must, Expect::Shows(person.shown(created)))
    }
    /// To be JSON by its header.
    fn json(self) -> Self {
        self.held(Broken::ContentTypeJson, Expect::MediaType("application/json".to_owned()))
    }
}

impl Held for CaseRequest {
    fn held(mut self, rule: Broken, that: Expect) -> Self {
        self.expect.push(Expectation { rule: rule as usize, that });
        self
    }
}

/// How a request is put and sent.
pub(super) trait Sent: Sized {
    /// With this header.
    fn with(self, name: &str, value: impl Into<Content>) -> Self;
    /// In this form.
    fn put(self, form: Form) -> Self;
    /// On this connection.
    fn by(self, way: Way) -> Self;
    /// To another instance.
    fn elsewhere(self) -> Self;
}

impl Sent for CaseRequest {
    fn with(mut self, name: &str, value: impl Into<Content>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    fn put(self, form: Form) -> Self {
        Self { form, ..self }
    }

    fn by(self, way: Way) -> Self {
        Self { way, ..self }
    }

    fn elsewhere(self) -> Self {
        Self { elsewhere: true, ..self }
    }
}

/// A request that must have an answer, and no 5xx.
pub(super) fn request(method: &str, target: impl Into<Content>) -> CaseRequest {
    answered(CaseRequest::new(method, target), Broken::ServerError, &[], false)
}

/// One that must be survived; by this rule it must, or should, have an answer, and no 5xx.
pub(super) fn survived(rule: Broken, method: &str, target: impl Into<Content>) -> CaseRequest {
    answered(alive(method, target), rule, &[], false)
}

/// One that must be survived, and nothing else.
pub(super) fn alive(method: &str, target: impl Into<Content>) -> CaseRequest {
    CaseRequest::new(method, target).held(Broken::ServerError, Expect::Alive)
}

/// Held to an answer by a rule, except that these statuses, or a connection that the server closes, will do.
pub(super) fn answered(request: CaseRequest, rule: Broken, server_errors: &[u16], cut: bool) -> CaseRequest {
    request.held(rule, Expect::Answer { server_errors: server_errors.to_vec(), cut })
}

/// A GET.
pub(super) fn get(target: impl Into<Content>) -> CaseRequest {
    request("GET", target)
}

/// The creation of what may be a person, held to nothing but an answer.
pub(super) fn post(body: impl Into<Content>) -> CaseRequest {
    with_body(request("POST", "/pessoas"), body)
}

/// The same, where an answer only should come, and no 5xx, by a rule.
pub(super) fn odd_post(rule: Broken, body: impl Into<Content>) -> CaseRequest {
    with_body(survived(rule, "POST", "/pessoas"), body)
}

/// With a body that is called JSON.
pub(super) fn with_body(request: CaseRequest, body: impl Into<Content>) -> CaseRequest {
    CaseRequest { body: Some(body.into()), ..request }.with("Content-Type", "application/json")
}

/// A creation that must succeed.
pub(super) fn create(body: impl Into<Content>) -> CaseRequest {
    located(post(body).status(Broken::ValidPersonRefused, &[201]).status(Broken::CreateStatus, CREATION))
}

/// A creation that by a rule should succeed.
pub(super) fn accepted_by(rule: Broken, body: impl Into<Content>) -> CaseRequest {
    located(odd_post(rule, body).status(rule, &[201]))
}

/// Whose `Location`, if it is a creation's, leads to a person.
pub(super) fn located(request: CaseRequest) -> CaseRequest {
    request
        .held(Broken::LocationMissing, Expect::CreatedWith("Location".to_owned()))
        .held(Broken::LocationNoUuid, Expect::Location("/pessoas/".to_owned()))
        .held(Broken::LocationRelative, Expect::LocationRelative)
}

/// A creation that must be refused, with this status if the rules name one.
pub(super) fn refuse(rule: Broken, exact: Option<u16>, body: impl Into<Content>) -> CaseRequest {
    let request = post(body).status(rule, REFUSED);
    match exact {
        Some(status) => request.status(Broken::ExactStatus, &[status]),
        None => request,
    }
}

/// A creation that should be refused.
pub(super) fn discourage(rule: Broken, body: impl Into<Content>) -> CaseRequest {
    odd_post(rule, body).status(rule, REFUSED)
}

/// A read of whom request `created` created.
pub(super) fn read(created: usize) -> CaseRequest {
    get(format!("{{{created}.location}}").as_str()).status(Broken::ReadShape, OK).json()
}

/// A search for a term that is percent-encoded already.
pub(super) fn search(term: &str) -> CaseRequest {
    get(format!("/pessoas?t={term}").as_str()).status(Broken::SearchShape, OK).json()
}

/// The same, where by a rule of its own an answer must, or should, come.
pub(super) fn search_by(rule: Broken, term: &str) -> CaseRequest {
    survived(rule, "GET", format!("/pessoas?t={term}").as_str()).status(rule, OK).json()
}

/// A search for the run's mark that must find nobody, since by this rule nothing may be stored.
pub(super) fn nobody(rule: Broken) -> CaseRequest {
    search("{mark}").lists_nobody(rule)
}

/// A refused creation, and that nothing is stored.
pub(super) fn refused(
    name: impl Into<String>,
    rule: Broken,
    exact: Option<u16>,
    body: impl Into<Content>,
) -> Case {
    case(name, [refuse(rule, exact, body), nobody(rule)])
}

/// A created person, and that she is read and found as she was sent.
pub(super) fn kept(name: impl Into<String>, person: &Person) -> Case {
    case(name, [create(person.body()), read(0).shows(Broken::ReadDiffers, person, 0), found(person)])
}

/// A search for the run's mark that must find the person of the first request, and show her as she was sent.
pub(super) fn found(person: &Person) -> CaseRequest {
    search("{mark}")
        .lists(Broken::SearchIncomplete, &[0])
        .held(Broken::SearchShape, Expect::ListShows(person.shown(0)))
}

/// Percent-encodes all but unreserved letters (RFC 3986, section 2.3).
pub(super) fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// A text as JSON.
pub(super) fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A person by her fields as raw JSON; one that is `None` is left out. The mark stands in nickname and name, so that a
/// search finds her by either, whichever of them a case spoils.
#[derive(Debug, Clone)]
pub(super) struct Person {
    pub(super) apelido: Option<String>,
    pub(super) nome: Option<String>,
    pub(super) nascimento: Option<String>,
    pub(super) stack: Option<String>,
}

impl Person {
    /// One whom nobody could refuse.
    pub(super) fn usual() -> Self {
        Self {
            apelido: Some(r#""{mark}""#.to_owned()),
            nome: Some(r#""Ana {mark}""#.to_owned()),
            nascimento: Some(r#""1987-03-14""#.to_owned()),
            stack: Some(r#"["Rust","SQL"]"#.to_owned()),
        }
    }

    pub(super) fn apelido(self, raw: impl Into<String>) -> Self {
        Self { apelido: Some(raw.into()), ..self }
    }

    pub(super) fn nome(self, raw: impl Into<String>) -> Self {
        Self { nome: Some(raw.into()), ..self }
    }

    pub(super) fn nascimento(self, raw: impl Into<String>) -> Self {
        Self { nascimento: Some(raw.into()), ..self }
    }

    pub(super) fn stack(self, raw: impl Into<String>) -> Self {
        Self { stack: Some(raw.into()), ..self }
    }

    /// Key and raw value of each field that is there.
    pub(super) fn fields(&self) -> Vec<(&'static str, &str)> {
        let fields = [
            ("apelido", &self.apelido),
            ("nome", &self.nome),
            ("nascimento", &self.nascimento),
            ("stack", &self.stack),
        ];
        fields.into_iter().filter_map(|(key, raw)| Some((key, raw.as_deref()?))).collect()
    }

    /// As she is sent.
    pub(super) fn body(&self) -> String {
        let fields: Vec<String> = self.fields().iter().map(|(key, raw)| format!("\"{key}\":{raw}")).collect();
        format!("{{{}}}", fields.join(","))
    }

    /// As she is answered, once request `created` has created her.
    pub(super) fn shown(&self, created: usize) -> String {
        self.body().replacen('{', &format!("{{\"id\":\"{{{created}.id}}\","), 1)
    }
}
