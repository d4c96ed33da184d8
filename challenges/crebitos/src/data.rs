//! The data of one plan, as the engine and the judge ask for it.

use galo_plan::model::{
    Account, Answer, Ceiling, ChallengeData, Entry, Examination, Question, Row, Seen, Wanted,
};

use crate::examine;
use crate::index::{
    BODY, BODY_DANADA, BODY_DEVOLVE, CLIENT, DANADA, DEVOLVE, MOVE, TOMA, VISITS, WIDE_AMOUNTS, WIDE_CREDIT,
    WIDE_DEBIT,
};
use crate::rows::{Ledger, Transaction};

/// Where the statement of each account is.
const STATEMENTS: [&str; 5] = [
    "/clientes/1/extrato",
    "/clientes/2/extrato",
    "/clientes/3/extrato",
    "/clientes/4/extrato",
    "/clientes/5/extrato",
];

impl ChallengeData for Ledger {
    fn write_field(&self, feeder: usize, row: u64, field: usize, out: &mut Vec<u8>) {
        let row = Row { feeder, number: row };
        let check = match (feeder, field) {
            (_, CLIENT) => return out.extend_from_slice((self.account(row) + 1).to_string().as_bytes()),
            (VISITS, BODY) => TOMA,
            (VISITS, BODY_DEVOLVE) => DEVOLVE,
            (VISITS, BODY_DANADA) => DANADA,
            (WIDE_AMOUNTS, BODY) => WIDE_CREDIT,
            (WIDE_AMOUNTS, BODY_DEVOLVE) => WIDE_DEBIT,
            _ => MOVE,
        };
        if let Some(transaction) = self.transaction(check, row) {
            transaction.write_body(out);
        }
    }

    fn ceiling(&self) -> Ceiling {
        // How many debits find enough depends on the order of all.
        Ceiling { min: 0, max: self.moves() }
    }

    fn examine(&self, question: &Question, answer: &Answer<'_>, seen: &mut Vec<Seen>) -> Examination {
        examine::examine(self, question, answer, seen)
    }

    fn accounts(&self) -> &[Account] {
        self.all()
    }

    fn entry(&self, check: usize, row: Row) -> Option<Entry> {
        self.asked(check, row)
    }

    fn lookup(&self, wanted: Wanted) -> Option<(&'static str, String)> {
        match wanted {
            Wanted::Account(account) => Some((STATEMENTS.get(account as usize)?, String::new())),
            Wanted::Id(_) | Wanted::KeyOf(_) => None,
        }
    }

    fn words(&self, row: Row) -> String {
        let client = self.account(row) + 1;
        match self.transaction(MOVE, row) {
            Some(Transaction { amount, kind, description, .. }) => {
                let what = if kind == 'c' { "credit" } else { "debit" };
                format!("{what} of {amount}, client {client}, \"{description}\"")
            }
            None => format!("client {client}"),
        }
    }
}
