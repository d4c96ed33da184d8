//! What a valid transaction is.

use serde::{Deserialize, Serialize};

const DESCRICAO_CHARS_MAX: usize = 10;

/// A credit or a debit as sent. Field names are the contest's.
#[derive(Deserialize, Serialize)]
pub(crate) struct Transaction {
    /// Cents, 1 or more.
    pub(crate) valor: i64,
    /// `c` for a credit, `d` for a debit.
    pub(crate) tipo: char,
    /// 1 to 10 characters.
    pub(crate) descricao: String,
}

impl Transaction {
    /// Reads a body; `None` where it breaks a rule. A derived `Deserialize` would also take a list of the fields in
    /// order, so this looks for an object first.
    pub(crate) fn from_json(body: &[u8]) -> Option<Self> {
        let is_object = body.trim_ascii_start().first() == Some(&b'{');
        let read: Self = is_object.then(|| serde_json::from_slice(body).ok())??;
        read.is_valid().then_some(read)
    }

    /// What the transaction adds to the balance.
    pub(crate) fn change(&self) -> i64 {
        if self.tipo == 'd' { -self.valor } else { self.valor }
    }

    /// PostgreSQL keeps no NUL in a text, so a description that has one is refused.
    fn is_valid(&self) -> bool {
        self.valor > 0
            && matches!(self.tipo, 'c' | 'd')
            && !self.descricao.contains('\0')
            && (1..=DESCRICAO_CHARS_MAX).contains(&self.descricao.chars().count())
    }
}

#[cfg(test)]
mod tests {
    use super::Transaction;

    fn is_accepted(body: &str) -> bool {
        Transaction::from_json(body.as_bytes()).is_some()
    }

    #[test]
    fn a_description_has_at_most_ten_characters_of_any_size() {
        for (descricao, is_valid) in [
            ("a", true),
            ("áéíóúãõçêô", true),
            ("😀😀😀😀😀😀😀😀😀😀", true),
            ("", false),
            ("12345678901", false),
            ("\\u0000", false),
        ] {
            let body = format!(r#"{{"valor": 1, "tipo": "c", "descricao": "{descricao}"}}"#);
            assert_eq!(is_accepted(&body), is_valid, "{body}");
        }
    }

    #[test]
    fn a_value_is_a_positive_integer_of_64_bits() {
        for (valor, is_valid) in [
            ("1", true),
            ("2147483648", true),
            ("9223372036854775807", true),
            ("9223372036854775808", false),
            ("1e30", false),
            ("1.2", false),
            ("0", false),
            ("-1", false),
            ("\"1\"", false),
            ("null", false),
        ] {
            let body = format!(r#"{{"valor": {valor}, "tipo": "d", "descricao": "a", "more": []}}"#);
            assert_eq!(is_accepted(&body), is_valid, "{body}");
        }
    }

    #[test]
    fn a_type_is_one_of_two_letters() {
        for (tipo, is_valid) in [
            (r#""c""#, true),
            (r#""d""#, true),
            (r#""C""#, false),
            (r#""""#, false),
            (r#"{"c": null}"#, false),
        ] {
            let body = format!(r#"{{"valor": 1, "tipo": {tipo}, "descricao": "a"}}"#);
            assert_eq!(is_accepted(&body), is_valid, "{body}");
        }
    }

    #[test]
    fn a_body_is_an_object_with_every_field() {
        for body in ["", "null", r#"[1, "c", "a"]"#, r#"{"valor": 1, "tipo": "c"}"#, r#"{"valor": 1, "tipo""#]
        {
            assert!(!is_accepted(body), "{body}");
        }
    }
}
