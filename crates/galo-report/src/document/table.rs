//! Figures in rows.

use galo_words::Both;

use std::borrow::Cow;

/// A table: the first column names the row.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// Identifier in a page. What stands before its first hyphen is the kind of table.
    pub(crate) id: Cow<'static, str>,
    pub(crate) caption: Both,
    /// In as few letters as will do: a terminal has 80 columns.
    pub(crate) heads: Vec<Both>,
    pub(crate) rows: Vec<Row>,
    /// Which columns a terminal has room for.
    pub(crate) narrow: Narrow,
}

/// What a narrow form tells of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Narrow {
    All,
    /// These columns.
    Columns(&'static [usize]),
    /// Nothing: something beside it says the same.
    Nothing,
}

/// A row of a table.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// As many as there are heads.
    pub(crate) cells: Vec<Both>,
    /// Why a reader is to be warned by it.
    pub(crate) warning: Option<Both>,
}

impl Table {
    /// One that a terminal has room for.
    pub(crate) fn new(
        id: impl Into<Cow<'static, str>>,
        caption: Both,
        heads: Vec<Both>,
        rows: Vec<Row>,
    ) -> Self {
        Self { id: id.into(), caption, heads, rows, narrow: Narrow::All }
    }

    /// Whether anything warns, so that there is a column for it.
    pub(super) fn warns(&self) -> bool {
        self.rows.iter().any(|row| row.warning.is_some())
    }

    /// Style class.
    pub(super) fn class(&self) -> &str {
        if self.warns() { "told" } else { self.id.split('-').next().unwrap_or_default() }
    }

    /// These columns of a row, or all of them.
    pub(super) fn narrowed<'a>(&self, cells: &'a [Both]) -> Vec<&'a Both> {
        match self.narrow {
            Narrow::Columns(columns) => columns.iter().filter_map(|column| cells.get(*column)).collect(),
            Narrow::All | Narrow::Nothing => cells.iter().collect(),
        }
    }
}

impl Row {
    /// One that warns of nothing.
    pub(crate) fn plain(cells: impl IntoIterator<Item = Both>) -> Self {
        Self { cells: cells.into_iter().collect(), warning: None }
    }
}

/// How tables tell what was not seen, or the figure.
pub(crate) fn seen(figure: Option<String>) -> Both {
    Both::figure(figure.unwrap_or_else(|| crate::words::UNSEEN.to_owned()))
}
