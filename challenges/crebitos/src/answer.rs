//! What an answer says, read from its JSON whatever the order of its keys.

use serde_json::Value;

/// Floats beyond it may stand for several whole numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Balance and limit, in an answer to a transaction or at the head of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Balance {
    pub(crate) balance: i64,
    pub(crate) limit: i64,
}

/// One entry of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) amount: i64,
    pub(crate) kind: char,
    pub(crate) description: String,
    /// In microseconds since 1970; `None`: not a time of RFC 3339.
    pub(crate) time_us: Option<u64>,
}

/// A whole number, which may be written as a float without a fraction (`1000.0`).
fn whole(value: &Value) -> Option<i64> {
    let of_float = || value.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < EXACT);
    value.as_i64().or_else(|| of_float().map(|float| float as i64))
}

fn member<'v>(value: &'v Value, key: &str) -> Result<&'v Value, String> {
    value.get(key).ok_or_else(|| format!("`{key}` is missing"))
}

fn number(value: &Value, key: &str) -> Result<i64, String> {
    let found = member(value, key)?;
    whole(found).ok_or_else(|| format!("`{key}` is no whole number of 64 bits: {}", shown(found)))
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    text.chars().take(40).collect()
}

fn parsed(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|error| format!("the body is no JSON ({error})"))
}

/// Reads an answer to a transaction.
pub(crate) fn balance(body: &[u8]) -> Result<Balance, String> {
    let value = parsed(body)?;
    Ok(Balance { balance: number(&value, "saldo")?, limit: number(&value, "limite")? })
}

/// Reads a statement: its head, its entries as they stand, and whether all of its dates are times of RFC 3339.
pub(crate) fn statement(body: &[u8]) -> Result<(Balance, Vec<Listed>, bool), String> {
    let value = parsed(body)?;
    let head = member(&value, "saldo")?;
    let balance = Balance { balance: number(head, "total")?, limit: number(head, "limite")? };
    let is_dated = time(head, "data_extrato")?.is_some();
    let list = member(&value, "ultimas_transacoes")?;
    let list = list.as_array().ok_or("`ultimas_transacoes` is no list")?;
    let list: Vec<Listed> = list.iter().map(listed).collect::<Result<_, _>>()?;
    let is_dated = is_dated && list.iter().all(|one| one.time_us.is_some());
    Ok((balance, list, is_dated))
}

fn text<'v>(value: &'v Value, key: &str) -> Result<&'v str, String> {
    member(value, key)?.as_str().ok_or_else(|| format!("`{key}` is no text"))
}

/// In microseconds since 1970; `None`: not a time of RFC 3339.
fn time(value: &Value, key: &str) -> Result<Option<u64>, String> {
    let time = text(value, key)?.parse::<jiff::Timestamp>().ok();
    Ok(time.and_then(|time| u64::try_from(time.as_microsecond()).ok()))
}

fn listed(value: &Value) -> Result<Listed, String> {
    let kind = match text(value, "tipo")? {
        "c" => 'c',
        "d" => 'd',
        other => return Err(format!("`tipo` is `{other}`")),
    };
    Ok(Listed {
        amount: number(value, "valor")?,
        kind,
        description: text(value, "descricao")?.to_owned(),
        time_us: time(value, "realizada_em")?,
    })
}
