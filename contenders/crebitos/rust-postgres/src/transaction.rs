//! What a valid transaction is.

use serde::Deserialize;

const DESCRICAO_CHARS_MAX: usize = 10;

/// A credit or a debit as sent. Field names are the contest's.
#[derive(Deserialize)]
pub(crate) struct Transaction {
    /// Cents, 1 or more.
    valor: i64,
    /// `c` for a credit, `d` for a debit.
    tipo: char,
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

    #[test]
    fn a_debit_is_a_negative_change() {
        let change = |body: &str| Transaction::from_json(body.as_bytes()).map(|read| read.change());
        assert_eq!(change(r#"{"valor": 7, "tipo": "d", "descricao": "a"}"#), Some(-7));
        assert_eq!(change(r#"{"valor": 7, "tipo": "c", "descricao": "áéíóúãõçêô", "more": 1}"#), Some(7));
    }

    #[test]
    fn a_body_that_breaks_a_rule_is_no_transaction() {
        for body in [
            "",
            "null",
            r#"[1, "c", "a"]"#,
            r#"{"valor": 1, "tipo": "c"}"#,
            r#"{"valor": 0, "tipo": "c", "descricao": "a"}"#,
            r#"{"valor": 1.2, "tipo": "c", "descricao": "a"}"#,
            r#"{"valor": 9223372036854775808, "tipo": "c", "descricao": "a"}"#,
            r#"{"valor": 1, "tipo": "C", "descricao": "a"}"#,
            r#"{"valor": 1, "tipo": "c", "descricao": ""}"#,
            r#"{"valor": 1, "tipo": "c", "descricao": "12345678901"}"#,
            r#"{"valor": 1, "tipo": "c", "descricao": "\u0000"}"#,
        ] {
            assert!(Transaction::from_json(body.as_bytes()).is_none(), "{body}");
        }
    }
}
