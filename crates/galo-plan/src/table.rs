//! Data files: CSV, TSV or JSON lines as a table of texts.

use std::collections::BTreeMap;
use std::num::TryFromIntError;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::PlanError;

/// How a data file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataFormat {
    /// Comma-separated (RFC 4180): the first row names the columns, cells may stand in quotation marks.
    Csv,
    /// Tab-separated (as registered for `text/tab-separated-values`): the first row names the columns, quotation marks
    /// are text like any other.
    Tsv,
    /// One JSON object a line. The keys of the first name the columns; strings are cells, and other values are cells
    /// with their JSON text as written.
    JsonLines,
}

impl DataFormat {
    /// By a file's extension: `csv`, `tsv`, `tab`, `jsonl`, `ndjson`, in any case.
    pub fn by_extension(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "tsv" | "tab" => Some(Self::Tsv),
            "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => None,
        }
    }
}

/// Rows of texts: one buffer for all cells, and four bytes for each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Table {
    columns: Vec<String>,
    text: Vec<u8>,
    /// Where each cell ends in `text`, row by row.
    ends: Vec<u32>,
}

/// A table as a plan has it: the names of the columns, and cells row by row.
#[derive(Serialize, Deserialize)]
struct Written {
    columns: Vec<String>,
    cells: Vec<String>,
}

impl From<Table> for Written {
    fn from(table: Table) -> Self {
        let text = |cell: usize| String::from_utf8_lossy(table.nth(cell)).into_owned();
        Self { cells: (0..table.ends.len()).map(text).collect(), columns: table.columns }
    }
}

impl TryFrom<Written> for Table {
    type Error = TryFromIntError;

    fn try_from(Written { columns, cells }: Written) -> Result<Self, TryFromIntError> {
        let mut table = Self { columns, ..Self::default() };
        cells.iter().try_for_each(|cell| table.push(cell.as_bytes()))?;
        Ok(table)
    }
}

impl Table {
    pub(crate) fn read(path: &Path, format: Option<DataFormat>) -> Result<Self, PlanError> {
        let name = path.display().to_string();
        let format = format.or_else(|| DataFormat::by_extension(path)).ok_or_else(|| {
            PlanError::Invalid(format!(
                "the data file `{name}` has no known extension\nhint: name it .csv, .tsv or .jsonl"
            ))
        })?;
        let text = std::fs::read(path).map_err(|source| PlanError::Read { path: path.to_owned(), source })?;
        Self::parse(&name, &text, format)
    }

    /// Reads a table. `name` is only for messages.
    pub(crate) fn parse(name: &str, text: &[u8], format: DataFormat) -> Result<Self, PlanError> {
        // Some editors begin a file with a mark of its byte order, which UTF-8 does not need.
        let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
        let reader = Reader { name, text, table: Self::default() };
        let mut table = match format {
            DataFormat::Csv => reader.separated(b',', true)?,
            DataFormat::Tsv => reader.separated(b'\t', false)?,
            DataFormat::JsonLines => reader.json_lines()?,
        };
        if table.ends.is_empty() {
            return Err(PlanError::Invalid(format!(
                "the data file `{name}` has no rows\nhint: a row is needed for every request to have data"
            )));
        }
        table.text.shrink_to_fit();
        table.ends.shrink_to_fit();
        Ok(table)
    }

    pub(crate) fn columns(&self) -> Vec<&str> {
        self.columns.iter().map(String::as_str).collect()
    }

    /// Number of columns.
    pub(crate) fn width(&self) -> usize {
        self.columns.len()
    }

    /// At least 1, but for a table without anything.
    pub(crate) fn rows(&self) -> u64 {
        (self.ends.len() / self.columns.len().max(1)) as u64
    }

    /// Empty where there is no such cell.
    pub(crate) fn cell(&self, row: u64, column: usize) -> &[u8] {
        self.nth(row as usize * self.columns.len() + column)
    }

    /// Whether all cells are UTF-8.
    pub(crate) fn is_text(&self) -> bool {
        (0..self.ends.len()).all(|cell| std::str::from_utf8(self.nth(cell)).is_ok())
    }

    fn nth(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(index).copied().unwrap_or(start);
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    fn push(&mut self, cell: &[u8]) -> Result<(), TryFromIntError> {
        self.text.extend_from_slice(cell);
        self.ends.push(u32::try_from(self.text.len())?);
        Ok(())
    }
}

/// A table under construction.
struct Reader<'a> {
    name: &'a str,
    text: &'a [u8],
    table: Table,
}

impl<'a> Reader<'a> {
    /// An error about the row at byte `offset`, or behind the line ends there: it is there that the `csv` crate says a
    /// row begins, which is why its own count of lines would not do.
    fn error_at(&self, offset: usize, message: impl std::fmt::Display) -> PlanError {
        let (before, row) = self.text.split_at(offset.min(self.text.len()));
        let ends = row.iter().take_while(|b| matches!(b, b'\r' | b'\n'));
        let line = 1 + before.iter().chain(ends).filter(|b| **b == b'\n').count();
        PlanError::Invalid(format!("{}:{line}: {message}", self.name))
    }

    fn push(&mut self, offset: usize, cell: &[u8]) -> Result<(), PlanError> {
        let pushed = self.table.push(cell);
        pushed.map_err(|_| self.error_at(offset, "more than 4 GiB of data\nhint: use fewer rows"))
    }

    fn name_column(&mut self, name: &str) -> Result<(), PlanError> {
        if name.is_empty() {
            let number = self.table.columns.len() + 1;
            let message = format!("column {number} has no name\nhint: the first row names the columns");
            return Err(self.error_at(0, message));
        }
        if self.table.columns.iter().any(|earlier| earlier == name) {
            return Err(self.error_at(0, format!("there are two columns `{name}`\nhint: rename one of them")));
        }
        self.table.columns.push(name.to_owned());
        Ok(())
    }

    fn separated(mut self, delimiter: u8, quoting: bool) -> Result<Table, PlanError> {
        let mut reader =
            csv::ReaderBuilder::new().delimiter(delimiter).quoting(quoting).from_reader(self.text);
        let headers = reader.byte_headers().map_err(|error| self.separated_error(&error))?.clone();
        for header in &headers {
            let header = std::str::from_utf8(header);
            let header = header.map_err(|_| self.error_at(0, "the columns' names are not UTF-8"))?;
            self.name_column(header.trim())?;
        }
        let mut record = csv::ByteRecord::new();
        while reader.read_byte_record(&mut record).map_err(|error| self.separated_error(&error))? {
            let offset = record.position().map_or(0, |at| at.byte() as usize);
            for cell in &record {
                self.push(offset, cell)?;
            }
        }
        Ok(self.table)
    }

    fn separated_error(&self, error: &csv::Error) -> PlanError {
        let offset = error.position().map_or(0, |at| at.byte() as usize);
        match error.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                let message =
                    format!("this row has another number of cells ({len}) than the first ({expected_len})");
                self.error_at(offset, message)
            }
            _ => self.error_at(offset, error),
        }
    }

    fn json_lines(mut self) -> Result<Table, PlanError> {
        let mut offset = 0;
        for line in self.text.split(|b| *b == b'\n') {
            if !line.trim_ascii().is_empty() {
                self.json_line(offset, line)?;
            }
            offset += line.len() + 1;
        }
        Ok(self.table)
    }

    fn json_line(&mut self, offset: usize, line: &'a [u8]) -> Result<(), PlanError> {
        let values: BTreeMap<String, &RawValue> =
            serde_json::from_slice(line).map_err(|error| self.error_at(offset, no_object(&error)))?;
        if self.table.columns.is_empty() {
            for key in values.keys() {
                self.name_column(key)?;
            }
        }
        if self.table.columns.is_empty() {
            let message = "an object without keys\nhint: the keys of the first line are the columns";
            return Err(self.error_at(offset, message));
        }
        for column in 0..self.table.columns.len() {
            let name = &self.table.columns[column];
            let Some(value) = values.get(name).map(|value| value.get()) else {
                return Err(
                    self.error_at(offset, format!("the key `{name}` is missing, which the first line has"))
                );
            };
            if value.starts_with('"') {
                let string: Result<String, _> = serde_json::from_str(value);
                let string = string.map_err(|_| {
                    self.error_at(offset, format!("the value of `{name}` is not a JSON string"))
                })?;
                self.push(offset, string.as_bytes())?;
            } else {
                self.push(offset, value.as_bytes())?;
            }
        }
        Ok(())
    }
}

/// What serde says of a line, with the column where there is one. Its own number of the line is always 1.
fn no_object(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let reason = message.split(" at line ").next().unwrap_or_default();
    match error.column() {
        0 => format!("not a JSON object: {reason}"),
        column => format!("not a JSON object: {reason} in column {column}"),
    }
}

#[cfg(test)]
mod tests;
