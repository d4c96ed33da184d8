use proptest::prelude::*;

use super::*;
use DataFormat::{Csv, JsonLines, Tsv};

fn parse(text: &[u8], format: DataFormat) -> Result<Table, String> {
    Table::parse("people", text, format).map_err(|error| error.to_string())
}

/// Columns, then rows.
fn rows(text: &str, format: DataFormat) -> Vec<Vec<String>> {
    let table = parse(text.as_bytes(), format).unwrap();
    let cell = |row, column| String::from_utf8(table.cell(row, column).to_vec()).unwrap();
    let rows =
        (0..table.rows()).map(|row| (0..table.columns().len()).map(|column| cell(row, column)).collect());
    std::iter::once(table.columns().into_iter().map(str::to_owned).collect()).chain(rows).collect()
}

#[test]
fn csv_may_have_quoted_cells_and_any_line_ends() {
    let expected = [vec!["name", "age"], vec!["Ana, \"A\"", "3"], vec!["B\nC", ""]];
    assert_eq!(rows("name,age\n\"Ana, \"\"A\"\"\",3\n\n\"B\nC\",\n", Csv), expected);
    assert_eq!(rows("\u{feff}name, age\r\n\"Ana, \"\"A\"\"\",3\r\n\"B\nC\",", Csv), expected);
}

#[test]
fn quotation_marks_are_text_in_tsv() {
    let text = "body\tn\n{\"a\": \"b, c\"}\t1\n\"open\t2\n";
    assert_eq!(rows(text, Tsv), [["body", "n"], ["{\"a\": \"b, c\"}", "1"], ["\"open", "2"]]);
}

#[test]
fn json_lines_give_strings_and_the_text_of_other_values() {
    let text = "{\"s\":\"a\\u00e9\\n\",\"v\":1.50}\n\n {\"v\": {\"x\": [1, 2]}, \"s\": \"\", \"more\": 1}\r\n{\"s\":null,\"v\":123456789012345678901234567890}";
    let expected =
        [["s", "v"], ["aé\n", "1.50"], ["", "{\"x\": [1, 2]}"], ["null", "123456789012345678901234567890"]];
    assert_eq!(rows(text, JsonLines), expected);
    assert_eq!(rows("\u{feff}{\"a\":1}", JsonLines), [["a"], ["1"]]);
}

#[test]
fn the_format_follows_from_the_extension() {
    let of = |name: &str| DataFormat::by_extension(Path::new(name));
    assert_eq!([of("a.csv"), of("a.TSV"), of("a.tab")], [Some(Csv), Some(Tsv), Some(Tsv)]);
    assert_eq!(
        [of("a.jsonl"), of("b.c.ndjson"), of("a.json"), of("csv")],
        [Some(JsonLines), Some(JsonLines), None, None]
    );
}

#[test]
fn a_cell_that_is_not_there_is_empty() {
    let table = parse(b"a,b\n1,2\n", Csv).unwrap();
    assert_eq!(
        (table.cell(0, 1), table.cell(1, 0), table.cell(u64::MAX / 4, 1)),
        (&b"2"[..], &b""[..], &b""[..])
    );
    assert_eq!(Table::default().cell(0, 0), b"");
}

#[test]
fn what_is_wrong_in_a_file_is_told_with_its_line() {
    let error = |text: &str, format| parse(text.as_bytes(), format).unwrap_err();
    insta::assert_snapshot!(error("a,b\r\n1,2\r\n\r\n1,2,3\r\n", Csv), @"people:4: this row has another number of cells (3) than the first (2)");
    insta::assert_snapshot!(error("a,b\n\"1\n1\",2\n1\n", Csv), @"people:4: this row has another number of cells (1) than the first (2)");
    insta::assert_snapshot!(error("a\tb\n1 2\n", Tsv), @"people:2: this row has another number of cells (1) than the first (2)");
    insta::assert_snapshot!(error("\n\na,a\n1,2\n", Csv), @"
    people:3: there are two columns `a`
    hint: rename one of them
    ");
    insta::assert_snapshot!(error("a,\n1,2\n", Csv), @"
    people:1: column 2 has no name
    hint: the first row names the columns
    ");
    insta::assert_snapshot!(error("a,b\n", Csv), @"
    the data file `people` has no rows
    hint: a row is needed for every request to have data
    ");
    insta::assert_snapshot!(parse(b"a\xff\n1\n", Csv).unwrap_err(), @"people:1: the columns' names are not UTF-8");
    insta::assert_snapshot!(error("{\"a\":1}\n\n[1]\n", JsonLines), @"people:3: not a JSON object: invalid type: sequence, expected a map");
    insta::assert_snapshot!(error("{\"a\":1}\n{\"a\":}\n", JsonLines), @"people:2: not a JSON object: expected value in column 6");
    insta::assert_snapshot!(error("{\"a\":1}\n{\"b\":1}\n", JsonLines), @"people:2: the key `a` is missing, which the first line has");
    insta::assert_snapshot!(error("{\"a\":\"\\ud800\"}\n", JsonLines), @"people:1: the value of `a` is not a JSON string");
    insta::assert_snapshot!(error("{}\n", JsonLines), @"
    people:1: an object without keys
    hint: the keys of the first line are the columns
    ");
    for format in [Csv, Tsv, JsonLines] {
        assert!(error("", format).contains("has no rows"));
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let error = |path: &str| Table::read(Path::new(path), None).unwrap_err().to_string();
    insta::assert_snapshot!(error("/no/such.csv"), @"cannot read `/no/such.csv`: No such file or directory (os error 2)");
    insta::assert_snapshot!(error("people.txt"), @"
    the data file `people.txt` has no known extension
    hint: name it .csv, .tsv or .jsonl
    ");
}

fn table(cell: &'static str) -> impl Strategy<Value = Vec<Vec<String>>> {
    (1..4usize).prop_flat_map(move |columns| {
        prop::collection::vec(prop::collection::vec(cell, columns), 1..5).prop_map(move |mut rows| {
            rows.insert(0, (0..columns).map(|column| format!("c{column}")).collect());
            rows
        })
    })
}

proptest! {
    #[test]
    fn quoted_cells_read_back_as_they_were(cells in table(".{0,6}|[\",\n\r]{0,4}")) {
        let quoted = |cell: &String| format!("\"{}\"", cell.replace('"', "\"\""));
        let line = |row: &Vec<String>| row.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
        let text: String = cells.iter().map(line).collect();
        prop_assert_eq!(rows(&text, Csv), cells);
    }

    #[test]
    fn json_strings_read_back_as_they_were(cells in table(".{0,6}|[\",\n\r\\\\]{0,4}")) {
        let line = |row: &Vec<String>| {
            let object: serde_json::Map<_, _> =
                cells[0].iter().cloned().zip(row.iter().map(|cell| cell.as_str().into())).collect();
            serde_json::Value::Object(object).to_string() + "\n"
        };
        let text: String = cells[1..].iter().map(line).collect();
        prop_assert_eq!(rows(&text, JsonLines), cells);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>, near in "[a,\t\n\"{}:1]{0,24}") {
        for format in [Csv, Tsv, JsonLines] {
            let _ = (parse(&bytes, format), parse(near.as_bytes(), format));
        }
    }
}
