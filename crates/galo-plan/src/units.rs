//! Amounts as people write them: `0.45` CPUs, `512MB`, `30s`. Compose's units are binary: `1MB` is 1,048,576 bytes.

use std::collections::BTreeSet;
use std::time::Duration;

/// The fastest rate that is: a thousand million users per second, in millionths.
pub const MAX_RATE_MICRO: u64 = 1_000_000_000 * 1_000_000;

const KIB: u128 = 1 << 10;
const MIB: u128 = 1 << 20;
const GIB: u128 = 1 << 30;
const TIB: u128 = 1 << 40;

/// Thousand-millionths of a CPU.
const NANO: u64 = 1_000_000_000;
/// And of a thousandth of one.
pub(crate) const NANO_OF_MILLI: u64 = 1_000_000;

/// As many as Linux can name in a mask of the usual size.
const MAX_CORES: u16 = 1024;

/// A decimal number exactly: `digits / 10^places`.
struct Decimal {
    digits: u128,
    places: u32,
}

impl Decimal {
    /// Digits with at most one point among them; no sign, no exponent.
    fn parse(text: &str) -> Result<Self, String> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let fraction = fraction.trim_end_matches('0');
        let digits = format!("{whole}{fraction}");
        if text.bytes().filter(u8::is_ascii_digit).count() == 0 || !digits.bytes().all(|b| b.is_ascii_digit())
        {
            return Err(format!("`{text}` is not a number"));
        }
        // Callers multiply with checks; this keeps 10^places within 128 bits.
        if digits.len() > 30 {
            return Err(format!("`{text}` has too many digits"));
        }
        let places = fraction.len() as u32;
        digits.parse().map(|digits| Self { digits, places }).map_err(|_| format!("`{text}` is not a number"))
    }

    /// The number times `factor`, if that is a whole number.
    fn times_exactly(&self, factor: u128) -> Option<u64> {
        let scaled = self.digits.checked_mul(factor)?;
        let divisor = 10u128.pow(self.places);
        if scaled % divisor != 0 { None } else { u64::try_from(scaled / divisor).ok() }
    }
}

/// Parses a decimal number with at most six decimals into millionths, exactly.
pub(crate) fn parse_micro(text: &str) -> Result<u64, String> {
    let number = Decimal::parse(text)?;
    if number.places > 6 {
        return Err(format!("`{text}` has more than six decimals"));
    }
    number.times_exactly(1_000_000).ok_or_else(|| format!("`{text}` is too large"))
}

/// Parses an arrival rate as `galo load --rate` takes it: `50000`, `50k`, `1.5M/s`, `600/m`, `36/h`; without a unit it is
/// per second. The result is in millionths of a user per second, rounded to the nearest where minutes or hours do not
/// divide (`100/m`), and never 0.
pub fn parse_rate_micro(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let unreadable =
        || format!("`{text}` is not a rate; write for example `50000`, `50k`, `1000/s` or `600/m`");
    let (amount, unit) = text.split_once('/').unwrap_or((text, "s"));
    let seconds: u128 = match unit.trim() {
        "s" | "sec" => 1,
        "m" | "min" => 60,
        "h" => 3600,
        _ => return Err(unreadable()),
    };
    let amount = amount.trim_end();
    let (number, factor) = match amount.strip_suffix(['k', 'K', 'M']) {
        Some(number) if amount.ends_with('M') => (number, 1_000_000),
        Some(number) => (number, 1_000),
        None => (amount, 1u128),
    };
    let number = Decimal::parse(number).map_err(|_| unreadable())?;
    let divisor = seconds * 10u128.pow(number.places);
    let micro = number.digits.checked_mul(factor * 1_000_000).map(|micro| (micro + divisor / 2) / divisor);
    match micro.and_then(|micro| u64::try_from(micro).ok()) {
        Some(0) => Err(format!("the rate `{text}` is nothing; write at least `0.000001/s`")),
        Some(micro) if micro <= MAX_RATE_MICRO => Ok(micro),
        _ => Err(format!("the rate `{text}` is too fast; write at most `1000M/s`")),
    }
}

/// Parses a memory size as Compose does: a number and `b`, `k`, `kb`, `m`, `mb`, `g`, `gb` (any case), and also `KiB`,
/// `MiB`, `GiB`; all binary. A bare number is bytes.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => KIB,
        "m" | "mb" | "mib" => MIB,
        "g" | "gb" | "gib" => GIB,
        _ => return Err(format!("`{text}` is not a memory size; write for example `512MB` or `1.5GB`")),
    };
    let number = Decimal::parse(number)
        .map_err(|_| format!("`{text}` is not a memory size; write for example `512MB` or `1.5GB`"))?;
    // A fraction of a byte is dropped, as Compose does.
    let bytes = number.digits.checked_mul(factor).map(|bytes| bytes / 10u128.pow(number.places));
    bytes.and_then(|bytes| u64::try_from(bytes).ok()).ok_or_else(|| format!("`{text}` is too large"))
}

/// Parses a CPU share such as `0.45` or `1` into thousandths of a CPU, exactly. More than three decimals are refused.
pub fn parse_cpus_milli(text: &str) -> Result<u32, String> {
    let text = text.trim();
    let number = Decimal::parse(text)
        .map_err(|_| format!("`{text}` is not a number of CPUs; write for example `0.45`"))?;
    if number.places > 3 {
        return Err(format!("`{text}` has more than three decimals"));
    }
    let milli = number.times_exactly(1000).and_then(|milli| u32::try_from(milli).ok());
    milli.ok_or_else(|| format!("`{text}` is too large"))
}

/// Parses a CPU share into thousand-millionths of a CPU, as engines count them, exactly. More than nine decimals are refused.
pub(crate) fn parse_cpus_nano(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let number = Decimal::parse(text)
        .map_err(|_| format!("`{text}` is not a number of CPUs; write for example `0.45`"))?;
    if number.places > 9 {
        return Err(format!("`{text}` has more than nine decimals"));
    }
    let nano = number.times_exactly(NANO.into()).filter(|nano| nano / NANO_OF_MILLI < u64::from(u32::MAX));
    nano.ok_or_else(|| format!("`{text}` is too large"))
}

/// Thousand-millionths of a CPU in thousandths, half of one rounded up.
pub(crate) fn rounded_milli(cpus_nano: u64) -> u32 {
    u32::try_from((cpus_nano + NANO_OF_MILLI / 2) / NANO_OF_MILLI).unwrap_or(u32::MAX)
}

/// Parses the cores of a `cpuset` such as `0`, `0-2` or `0,3` (`cpuset(7)`, list format) into their numbers, ascending.
pub(crate) fn parse_cpuset(text: &str) -> Result<Vec<u16>, String> {
    let ends = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        (first <= last && last < MAX_CORES).then_some(first..=last)
    };
    let ranges: Option<Vec<_>> = text.split(',').map(ends).collect();
    let ranges = ranges
        .ok_or_else(|| format!("`{text}` is no list of cores; write for example `0`, `0-2` or `0,3`"))?;
    let cores: BTreeSet<u16> = ranges.into_iter().flatten().collect();
    Ok(cores.into_iter().collect())
}

/// Parses a duration such as `30s`, `1m30s`, `100ms`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text.trim())
        .map_err(|_| format!("`{text}` is not a duration; write for example `30s`, `1m30s` or `100ms`"))
}

/// [`parse_duration`] in nanoseconds.
pub(crate) fn parse_duration_ns(text: &str) -> Result<u64, String> {
    u64::try_from(parse_duration(text)?.as_nanos()).map_err(|_| format!("`{text}` is too long"))
}

/// Writes thousandths of a CPU as people do: `0.45`.
pub fn format_cpus(milli: u32) -> String {
    let text = format!("{}.{:03}", milli / 1000, milli % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Writes thousand-millionths of a CPU as people do: `0.3333`.
pub fn format_cpus_nano(nano: u128) -> String {
    let text = format!("{}.{:09}", nano / u128::from(NANO), nano % u128::from(NANO));
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Two amounts of memory with their units, which look different where the amounts are.
pub fn in_units_apart(one: u128, other: u64) -> [(f64, &'static str); 2] {
    let amounts = [in_binary_unit(u64::try_from(one).unwrap_or(u64::MAX)), in_binary_unit(other)];
    let look_alike = amounts[0] == amounts[1] && one != u128::from(other);
    if look_alike { [one, other.into()].map(|bytes| (bytes as f64, "bytes")) } else { amounts }
}

/// Bytes in the binary unit that suits them, to a tenth of it: `1.5` and `GiB`.
pub fn in_binary_unit(bytes: u64) -> (f64, &'static str) {
    let tenths = |size: u128| (u128::from(bytes) * 10 + size / 2) / size;
    let mut units = [(TIB, "TiB"), (GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")].into_iter();
    let suits = units.find(|(size, _)| tenths(*size) >= 10);
    suits.map_or((bytes as f64, "B"), |(size, unit)| (tenths(size) as f64 / 10.0, unit))
}

/// Writes two amounts of memory so that they differ where the amounts do.
pub fn format_bytes_apart(one: u128, other: u64) -> (String, String) {
    let [one, other] = in_units_apart(one, other).map(|(amount, unit)| format!("{amount} {unit}"));
    (one, other)
}

/// Reads a factor on rates, in thousandths.
///
/// # Errors
/// What to write instead.
pub fn parse_scale_milli(text: &str) -> Result<u32, String> {
    match parse_cpus_milli(text) {
        Ok(milli @ 1..=1_000_000) => Ok(milli),
        _ => Err("write a number from 0.001 to 1000 with at most three decimals".to_owned()),
    }
}

/// Writes bytes in binary units with at most one decimal: `512 MiB`, `1.5 GiB`.
pub fn format_bytes(bytes: u64) -> String {
    let (amount, unit) = in_binary_unit(bytes);
    format!("{amount} {unit}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn memory_units_are_binary_whatever_their_spelling() {
        for text in [
            "1536m",
            "1536MB",
            "1536 MiB",
            "1.5g",
            "1.5GB",
            "1.50gib",
            "1572864k",
            "1610612736",
            "1610612736b",
        ] {
            assert_eq!(parse_bytes(text), Ok(1_610_612_736), "{text}");
        }
    }

    #[test]
    fn rates_may_have_a_unit_and_a_suffix() {
        for (text, micro) in [
            ("50000", 50_000_000_000),
            ("50k", 50_000_000_000),
            ("1.5M/s", 1_500_000_000_000),
            ("1000/s", 1_000_000_000),
            ("600/m", 10_000_000),
            ("100/m", 1_666_667),
            ("36 / h", 10_000),
            ("0.5", 500_000),
            ("1000M", MAX_RATE_MICRO),
        ] {
            assert_eq!(parse_rate_micro(text), Ok(micro), "{text}");
        }
    }

    #[test]
    fn what_is_no_rate_is_refused() {
        insta::assert_snapshot!(parse_rate_micro("fast").unwrap_err(), @"`fast` is not a rate; write for example `50000`, `50k`, `1000/s` or `600/m`");
        insta::assert_snapshot!(parse_rate_micro("5/day").unwrap_err(), @"`5/day` is not a rate; write for example `50000`, `50k`, `1000/s` or `600/m`");
        insta::assert_snapshot!(parse_rate_micro("0").unwrap_err(), @"the rate `0` is nothing; write at least `0.000001/s`");
        insta::assert_snapshot!(parse_rate_micro("1001M").unwrap_err(), @"the rate `1001M` is too fast; write at most `1000M/s`");
        for text in ["", "k", "/s", "-5", "5k/", "5kk", "1e3", "5 5"] {
            assert!(parse_rate_micro(text).is_err(), "{text}");
        }
    }

    #[test]
    fn cores_are_numbers_and_ranges() {
        for (text, cores) in
            [("0", vec![0]), ("0-2", vec![0, 1, 2]), (" 3, 0 -1,1", vec![0, 1, 3]), ("1023", vec![1023])]
        {
            assert_eq!(parse_cpuset(text), Ok(cores), "{text}");
        }
        insta::assert_snapshot!(parse_cpuset("2-1").unwrap_err(), @"`2-1` is no list of cores; write for example `0`, `0-2` or `0,3`");
        for text in ["", ",", "0,", "-1", "0-", "0.5", "1024", "0-99999", "0-1-2", "all"] {
            assert!(parse_cpuset(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_memory_size_is_refused() {
        for text in ["", "MB", "1.2.3g", "-1m", "1tb", "1e3", "99999999999999999999g", "."] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
        insta::assert_snapshot!(parse_bytes("many").unwrap_err(), @"`many` is not a memory size; write for example `512MB` or `1.5GB`");
    }

    #[test]
    fn cpu_shares_are_exact_thousandths() {
        assert_eq!(parse_cpus_milli("0.45"), Ok(450));
        assert_eq!(parse_cpus_milli("1"), Ok(1000));
        assert_eq!(parse_cpus_milli("1.5000"), Ok(1500));
        assert_eq!(parse_cpus_milli(".5"), Ok(500));
        insta::assert_snapshot!(parse_cpus_milli("0.3333").unwrap_err(), @"`0.3333` has more than three decimals");
        insta::assert_snapshot!(parse_cpus_milli("half").unwrap_err(), @"`half` is not a number of CPUs; write for example `0.45`");
        insta::assert_snapshot!(parse_cpus_milli("5000000").unwrap_err(), @"`5000000` is too large");
    }

    #[test]
    fn durations_may_have_several_units() {
        assert_eq!(parse_duration("1m30s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("1500ms"), Ok(Duration::from_millis(1500)));
        insta::assert_snapshot!(parse_duration("soon").unwrap_err(), @"`soon` is not a duration; write for example `30s`, `1m30s` or `100ms`");
    }

    #[test]
    fn bytes_are_written_with_at_most_one_decimal() {
        let written = |bytes: u64| format_bytes(bytes);
        assert_eq!(written(0), "0 B");
        assert_eq!(written(1023), "1 KiB");
        assert_eq!(written(512 << 20), "512 MiB");
        assert_eq!(written(1536 << 20), "1.5 GiB");
        assert_eq!(written(3072 << 20), "3 GiB");
        assert_eq!(written((1 << 30) - 1), "1 GiB");
        assert_eq!(written(u64::MAX), "16777216 TiB");
    }

    proptest! {
        #[test]
        fn a_written_cpu_share_reads_back_as_itself(milli in any::<u32>()) {
            prop_assert_eq!(parse_cpus_milli(&format_cpus(milli)), Ok(milli));
        }

        #[test]
        fn a_written_rate_reads_back_as_itself(micro in 1..=MAX_RATE_MICRO) {
            let text = format!("{}.{:06}/s", micro / 1_000_000, micro % 1_000_000);
            prop_assert_eq!(parse_rate_micro(&text), Ok(micro));
        }

        #[test]
        fn arbitrary_text_never_panics(text in ".*") {
            let _ = (parse_bytes(&text), parse_cpus_milli(&text), parse_duration(&text), parse_micro(&text));
            let _ = parse_rate_micro(&text);
        }

        #[test]
        fn arbitrary_numbers_with_units_never_panic(text in "[0-9.]{0,40}[kmgbiKMGB]{0,3}(/[smh])?") {
            let _ = parse_rate_micro(&text);
            let _ = (parse_bytes(&text), parse_cpus_milli(&text), parse_duration(&text), parse_micro(&text));
        }
    }
}
