//! What was judged, as JSON: floats are rounded where they are written.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

use galo_words::significant;

/// Digits of a float; the whole part of a number is always written in full.
const DIGITS: usize = 6;

/// Pretty JSON with a newline at the end. Floats have six significant digits, or more where their whole part has.
pub fn pretty<T: Serialize + ?Sized>(value: &T) -> String {
    let mut text = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut text, Rounding(PrettyFormatter::new()));
    // It fails only for maps whose keys are no strings; a test of each kind writes one.
    let _written = value.serialize(&mut serializer);
    text.push(b'\n');
    String::from_utf8_lossy(&text).into_owned()
}

fn rounded(value: f64) -> f64 {
    if value.abs() >= 10_f64.powi(DIGITS as i32) { value.round() } else { significant(value, DIGITS) }
}

/// Pretty JSON, but for its floats.
struct Rounding(PrettyFormatter<'static>);

impl Formatter for Rounding {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        self.0.write_f64(writer, rounded(value))
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_float_is_rounded_where_it_is_written_and_reads_back_the_same() {
        let written = |value: f64| pretty(&value).trim_end().to_owned();
        let cases = [0.071_449_12, 12_345.678, 123_456_789.4, -1.0 / 3.0, 1e-9, 0.0, -0.0];
        let told = ["0.0714491", "12345.7", "123456789.0", "-0.333333", "1e-9", "0.0", "0.0"];
        assert_eq!(cases.map(written), told);
        for text in told {
            assert_eq!(written(text.parse().unwrap()), text);
        }
    }

    #[test]
    fn everything_else_is_pretty_json_as_serde_writes_it() {
        let value = serde_json::json!({"a": [1, {"b": []}, null], "c": {}, "d": "\u{7f}é\n", "e": true});
        assert_eq!(pretty(&value), serde_json::to_string_pretty(&value).unwrap() + "\n");
    }
}
