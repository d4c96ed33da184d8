//! The rows of one plan: which request moves what on which account.

use galo_plan::Seed;
use galo_plan::model::{Account, CheckKind, Entry, Label, Row};

use crate::CHECKS;
use crate::index::{
    CREDITS, DANADA, DEBITS, DEVOLVE, FIRST_CREDITS, FIRST_DEBITS, LARGE_DEBITS, MOVE, REFUSED_AMOUNT,
    REFUSED_DESCRIPTION, REFUSED_KIND, TOMA, VISITS, WIDE_AMOUNTS, WIDE_CREDIT, WIDE_DEBIT,
};

/// What each client may owe.
const LIMITS: [i64; 5] = [100_000, 80_000, 1_000_000, 10_000_000, 500_000];
/// Amounts of the contest's load: from 1 to this.
const USUAL: u64 = 10_000;
/// Amounts of large debits: some dozens empty the richest account.
const LARGE: u64 = 400_000;
/// Beyond 32 bits.
const WIDE: i64 = 3_000_000_000;
/// What descriptions are drawn of.
const ALPHABET: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// Letters of a drawn description, as many as one may have.
const LETTERS: usize = 10;

/// A credit or a debit as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Transaction {
    /// From 0.
    pub(crate) account: u32,
    /// Positive.
    pub(crate) amount: i64,
    /// `c` or `d`.
    pub(crate) kind: char,
    pub(crate) description: String,
}

impl Transaction {
    fn new(account: u32, kind: char, amount: i64, description: &str) -> Self {
        Self { account, amount, kind, description: description.to_owned() }
    }

    pub(crate) fn write_body(&self, out: &mut Vec<u8>) {
        let Self { amount, kind, description, .. } = self;
        let body = format!(r#"{{"valor": {amount}, "tipo": "{kind}", "descricao": "{description}"}}"#);
        out.extend_from_slice(body.as_bytes());
    }

    fn entry(&self) -> Entry {
        let delta = if self.kind == 'c' { self.amount } else { -self.amount };
        let digest = digest(self.amount, self.kind, &self.description);
        // The contest says nothing of the largest amount.
        let label = if self.amount > i64::from(i32::MAX) { Label::Free } else { Label::Accept };
        Entry { account: self.account, delta, digest, label }
    }
}

/// A transaction by meaning, as one number: the first 64 bits of a SHA-256, so that no two texts share one by design.
pub(crate) fn digest(amount: i64, kind: char, description: &str) -> u64 {
    Seed::of_number(0).word(description, &[amount.cast_unsigned(), u64::from(u32::from(kind))])
}

/// Seed, accounts, and how many rows there are.
pub(crate) struct Ledger {
    seed: Seed,
    accounts: Vec<Account>,
    moves: u64,
}

impl Ledger {
    pub(crate) fn new(seed: Seed, rows: &[u64]) -> Self {
        let account = |(number, limit): (usize, &i64)| Account {
            name: format!("client {}", number + 1),
            start: 0,
            least: -limit,
            row: Row { feeder: VISITS, number: number as u64 },
        };
        let rows = |feeder: usize| rows.get(feeder).copied().unwrap_or(0);
        let moves =
            [FIRST_DEBITS, FIRST_CREDITS, DEBITS, CREDITS, LARGE_DEBITS].map(rows).iter().sum::<u64>();
        let accounts = LIMITS.iter().enumerate().map(account).collect();
        Self { seed, accounts, moves: moves + 3 * rows(VISITS) + 2 * rows(WIDE_AMOUNTS) }
    }

    /// The account that a row asks.
    pub(crate) fn account(&self, row: Row) -> u32 {
        match row.feeder {
            FIRST_DEBITS | FIRST_CREDITS => 0,
            VISITS | WIDE_AMOUNTS => (row.number % LIMITS.len() as u64) as u32,
            feeder => {
                let drawn = self.seed.word("account", &[feeder as u64, row.number]);
                (drawn % LIMITS.len() as u64) as u32
            }
        }
    }

    /// The transaction that a check asks of a row.
    pub(crate) fn transaction(&self, check: usize, row: Row) -> Option<Transaction> {
        let account = self.account(row);
        let of = |kind, amount, description: &str| Some(Transaction::new(account, kind, amount, description));
        match (check, row.feeder) {
            (MOVE, FIRST_DEBITS) => of('d', 1, "validacao"),
            (MOVE, FIRST_CREDITS) => of('c', 1, "validacao"),
            (MOVE, DEBITS) => of('d', self.amount(row, USUAL), &self.description(row)),
            (MOVE, CREDITS) => of('c', self.amount(row, USUAL), &self.description(row)),
            (MOVE, LARGE_DEBITS) => of('d', self.amount(row, LARGE), &self.description(row)),
            (TOMA, VISITS) => of('c', 1, "toma"),
            (DEVOLVE, VISITS) => of('d', 1, "devolve"),
            (DANADA, VISITS) => of('c', 1, "danada"),
            (WIDE_CREDIT, WIDE_AMOUNTS) => of('c', WIDE, "larga"),
            (WIDE_DEBIT, WIDE_AMOUNTS) => of('d', WIDE, "larga"),
            _ => None,
        }
    }

    fn amount(&self, row: Row, most: u64) -> i64 {
        (1 + self.seed.word("amount", &[row.feeder as u64, row.number]) % most) as i64
    }

    fn description(&self, row: Row) -> String {
        let mut bits = self.seed.word("description", &[row.feeder as u64, row.number]);
        let mut letter = || {
            let letter = ALPHABET[(bits % ALPHABET.len() as u64) as usize];
            bits /= ALPHABET.len() as u64;
            char::from(letter)
        };
        std::iter::repeat_with(&mut letter).take(LETTERS).collect()
    }

    /// What a check asks of a row, be it a move, a payload that must be refused, or a statement.
    pub(crate) fn asked(&self, check: usize, row: Row) -> Option<Entry> {
        if let Some(transaction) = self.transaction(check, row) {
            return Some(transaction.entry());
        }
        let is_refused = matches!(check, REFUSED_AMOUNT | REFUSED_KIND | REFUSED_DESCRIPTION);
        let is_statement = matches!(CHECKS.get(check)?.kind, CheckKind::Statement { .. });
        let label = if is_refused { Label::Refuse } else { Label::Accept };
        let account = self.account(row);
        // What must be refused is of 1, or of 1.2, which may be rounded either way.
        let delta = if is_refused { 2 } else { 0 };
        (is_refused || is_statement).then_some(Entry { account, delta, digest: 0, label })
    }

    /// All accounts, by number.
    pub(crate) fn all(&self) -> &[Account] {
        &self.accounts
    }

    /// How many moves the plan sends at most.
    pub(crate) const fn moves(&self) -> u64 {
        self.moves
    }
}
