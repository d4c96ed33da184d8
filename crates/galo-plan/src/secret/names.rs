//! Which names are of secrets: of options, variables and what stands in a query.

use crate::words::has;

/// Parts of a name that say so wherever they stand in it, alone or joined to others (`PGPASSWORD`, `requirepass`).
const ANYWHERE: &str = "
    apikey credential masterauth passphrase passwd password requirepass secret
";

/// Parts that say so alone, wherever they stand.
const ALONE: &str = "authorization bearer cookie jwt pwd signature token";

/// Parts that say so at the end of a name.
const LAST: &str = "auth pass sig";

/// What a key is of that is a secret.
const KEYS: &str = "access account api app auth client encryption master private signing";

/// Beginnings and ends of names that speak about a secret and hold none.
const ABOUT: [&str; 2] =
    ["no without", "age algorithm dir env expiry file id length name path size timeout ttl type"];

/// Whether what bears this name is a secret.
pub fn is_secret(name: &str) -> bool {
    let parts = parts(name);
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    if has(ABOUT[0], first) || has(ABOUT[1], last) {
        return false;
    }
    let says_so =
        |part: &String| has(ALONE, part) || ANYWHERE.split_whitespace().any(|word| part.contains(word));
    let before_last = parts.len().checked_sub(2).map(|at| parts[at].as_str());
    let is_key = last == "key" && before_last.is_none_or(|before| has(KEYS, before));
    is_key || has(LAST, last) || parts.iter().any(says_so)
}

/// `Db-AccessToken` is `db`, `access`, `token`.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        let is_new = !letter.is_alphanumeric() || (letter.is_uppercase() && was_small);
        if is_new {
            parts.push(String::new());
        }
        was_small = letter.is_lowercase() || letter.is_numeric();
        if let Some(part) = parts.last_mut().filter(|_| letter.is_alphanumeric()) {
            part.extend(letter.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whether_it_is_of_a_secret() {
        for name in [
            "--password",
            "-password",
            "PGPASSWORD",
            "MYSQL_PWD",
            "--token",
            "auth-token",
            "accessToken",
            "api_key",
            "X-Api-Key",
            "key",
            "--requirepass",
            "clientSecret",
            "-Djavax.net.ssl.keyStorePassword",
            "--pass",
            "sig",
            "--db-pass",
            "X-Amz-Signature",
            "SECRET_KEY_BASE",
            "jwt",
            "password%5B%5D",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "--port",
            "--password-file",
            "--no-password",
            "--tokenizer",
            "--max-tokens",
            "--bypass",
            "--pass-through",
            "sort_key",
            "keyspace",
            "--key-size",
            "author",
            "TOKEN_TTL",
            "api_key_id",
            "user",
            "",
            "--",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
