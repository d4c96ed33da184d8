//! How settings lie in a table: one knob to the right, the others and the contenders below each other.

use galo_plan::Knob;
use galo_words::Both;

use crate::document::{Cell, Column, Table};

/// Settings of some knobs, and who is at each of them.
pub(crate) struct Shape<'a> {
    knobs: &'a [Knob],
    /// Whose settings they are.
    names: &'a [String],
    /// The value of each knob, by setting.
    settings: Vec<&'a [String]>,
    /// Index of the knob to the right.
    across: usize,
    /// Its values.
    values: Vec<&'a str>,
}

/// A row of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// Index of the contender; `None`: all of them.
    pub(crate) contender: Option<usize>,
    /// Values of all knobs, of which that to the right counts for nothing.
    values: Vec<String>,
}

impl<'a> Shape<'a> {
    /// The most columns that a terminal has room for.
    const ACROSS: usize = 8;

    /// How these settings of these lie.
    pub(crate) fn of(knobs: &'a [Knob], names: &'a [String], settings: Vec<&'a [String]>) -> Self {
        let values = |knob: usize| {
            let mut values: Vec<&str> = Vec::new();
            for setting in &settings {
                let value = setting[knob].as_str();
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            values
        };
        let fits = |knob: &usize| values(*knob).len() <= Self::ACROSS;
        let across = (0..knobs.len()).filter(fits).max_by_key(|knob| values(*knob).len()).unwrap_or(0);
        let values = values(across);
        Self { knobs, names, settings, across, values }
    }

    /// All rows, in the order of the settings; of each contender its own, or one for all of them.
    fn rows(&self, of_each: bool) -> Vec<Row> {
        let contenders: Vec<Option<usize>> =
            if of_each { (0..self.names.len()).map(Some).collect() } else { vec![None] };
        let mut rows: Vec<Row> = Vec::new();
        for contender in contenders {
            for setting in &self.settings {
                let mut values = setting.to_vec();
                values[self.across].clear();
                let row = Row { contender, values };
                if !rows.contains(&row) {
                    rows.push(row);
                }
            }
        }
        rows
    }

    /// Index of the setting of a row in a column.
    pub(crate) fn setting(&self, row: &Row, column: usize) -> Option<usize> {
        self.settings.iter().position(|values| {
            values.iter().zip(&row.values).enumerate().all(|(knob, (value, of_row))| {
                if knob == self.across { value == self.values[column] } else { value == of_row }
            })
        })
    }

    /// `go idle=25`, without the contender where there is one alone.
    fn name(&self, row: &Row) -> String {
        let contender = row.contender.filter(|_| self.names.len() > 1);
        let contender = contender.map(|contender| self.names[contender].clone());
        let knobs = self.knobs.iter().zip(&row.values).enumerate();
        let turns = knobs.filter(|(knob, _)| *knob != self.across);
        let turns = turns.map(|(_, (knob, value))| format!("{}={value}", knob.name));
        let words: Vec<String> = contender.into_iter().chain(turns).collect();
        if words.is_empty() { self.names[0].clone() } else { words.join(" ") }
    }

    /// A table of what `cell` tells of each row in each column. A page calls it `ID-table`, as its section is `ID`.
    pub(crate) fn table(
        &self,
        id: &'static str,
        caption: Both,
        of_each: bool,
        cell: impl Fn(&Row, usize) -> Cell,
    ) -> Table {
        let (tell, knob) = (&cell, &self.knobs[self.across].name);
        let column = |(column, value): (usize, &&str)| {
            Column::new(Both::same(format!("{knob}={value}")), move |row: &Row| tell(row, column))
        };
        let first = Column::text(Both::same(""), |row: &Row| self.name(row));
        let columns = std::iter::once(first).chain(self.values.iter().enumerate().map(column));
        Table::new(format!("{id}-table"), caption, columns, self.rows(of_each))
    }
}
