//! Figures in rows. A table is a list of columns: each is its head, and what it tells of a row's subject.

use std::borrow::{Borrow, Cow};

use galo_words::Both;

use crate::cell::Cell;

/// How a column's cells stand below each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    /// Names and sentences.
    Left,
    /// Figures.
    Right,
}

/// A column of a table whose rows are each of an `S`.
pub(crate) struct Column<'a, S> {
    head: Head,
    cell: Box<dyn Fn(&S) -> Cell + 'a>,
}

/// What stands above a column, and how it is laid out.
#[derive(Debug, Clone)]
pub(crate) struct Head {
    /// In as few letters as will do: a terminal has 80 columns.
    pub(crate) text: Both,
    pub(super) align: Align,
    /// Whether a terminal has no room for it.
    pub(super) is_wide: bool,
}

/// A table: the first column names the row.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    /// Identifier in a page. What stands before its first hyphen is the kind of table.
    pub(crate) id: Cow<'static, str>,
    pub(crate) caption: Both,
    pub(super) heads: Vec<Head>,
    pub(super) rows: Vec<Row>,
    /// Whether a terminal leaves it out, since something beside it says the same.
    pub(super) is_wide: bool,
    /// The least and the largest figure in it, where a page shades its cells by them.
    shades: Option<[f64; 2]>,
}

/// A row of a table.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// As many as there are heads.
    pub(super) cells: Vec<Cell>,
    /// Why a reader is to be warned by it.
    pub(super) warning: Option<Both>,
}

impl<'a, S> Column<'a, S> {
    /// A column of figures.
    pub(crate) fn new<C: Into<Cell>>(head: Both, cell: impl Fn(&S) -> C + 'a) -> Self {
        let head = Head { text: head, align: Align::Right, is_wide: false };
        Self { head, cell: Box::new(move |subject| cell(subject).into()) }
    }

    /// A column of names or sentences.
    pub(crate) fn text<C: Into<Cell>>(head: Both, cell: impl Fn(&S) -> C + 'a) -> Self {
        let mut column = Self::new(head, cell);
        column.head.align = Align::Left;
        column
    }

    /// The same, but a terminal has no room for it.
    pub(crate) fn wide(mut self) -> Self {
        self.head.is_wide = true;
        self
    }
}

impl Head {
    /// Whether names or sentences stand below it.
    pub(super) fn is_text(&self) -> bool {
        self.align == Align::Left
    }
}

impl Table {
    /// A table with a row for each subject.
    pub(crate) fn new<'a, S>(
        id: impl Into<Cow<'static, str>>,
        caption: Both,
        columns: impl IntoIterator<Item = Column<'a, S>>,
        subjects: impl IntoIterator<Item: Borrow<S>>,
    ) -> Self {
        Self::warning(id, caption, columns, subjects, |_| None)
    }

    /// The same, with what some rows warn of.
    pub(crate) fn warning<'a, S>(
        id: impl Into<Cow<'static, str>>,
        caption: Both,
        columns: impl IntoIterator<Item = Column<'a, S>>,
        subjects: impl IntoIterator<Item: Borrow<S>>,
        warning: impl Fn(&S) -> Option<Both>,
    ) -> Self {
        let columns: Vec<_> = columns.into_iter().collect();
        let row = |subject: &S| Row {
            cells: columns.iter().map(|column| (column.cell)(subject)).collect(),
            warning: warning(subject),
        };
        let rows = subjects.into_iter().map(|subject| row(subject.borrow())).collect();
        let heads = columns.into_iter().map(|column| column.head).collect();
        Self { id: id.into(), caption, heads, rows, is_wide: false, shades: None }
    }

    /// The same, but a terminal leaves it out.
    pub(crate) fn wide(self) -> Self {
        Self { is_wide: true, ..self }
    }

    /// The same, but a page shades each figure by how large it is.
    pub(crate) fn shaded(self) -> Self {
        let figures = self.rows.iter().flat_map(|row| &row.cells).filter_map(Cell::key);
        let ends = figures.filter(|figure| *figure > 0.0).fold(None, |ends: Option<[f64; 2]>, figure| {
            let [least, most] = ends.unwrap_or([figure; 2]);
            Some([least.min(figure), most.max(figure)])
        });
        Self { shades: ends, ..self }
    }

    /// How dark a cell is, from 0 to 5 by factors; `None`: as all others.
    pub(super) fn shade(&self, cell: &Cell) -> Option<u8> {
        /// The darkest.
        const DARKEST: f64 = 5.0;
        let ([least, most], figure) = (self.shades?, cell.key().filter(|figure| *figure > 0.0)?);
        let whole = (most / least).ln();
        (whole > 0.0).then(|| ((figure / least).ln() / whole * DARKEST).round() as u8)
    }

    /// Whether there is anything in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether a page helps to find a row in it.
    pub(super) fn is_long(&self) -> bool {
        /// Rows that are seen at one glance.
        const AT_A_GLANCE: usize = 12;
        self.rows.len() > AT_A_GLANCE
    }

    /// Whether anything warns, so that there is a column for it.
    pub(super) fn warns(&self) -> bool {
        self.rows.iter().any(|row| row.warning.is_some())
    }

    /// Style class.
    pub(super) fn class(&self) -> &str {
        if self.warns() { "told" } else { self.id.split('-').next().unwrap_or_default() }
    }

    /// The columns for which a terminal has room.
    pub(super) fn narrowed(&self) -> Self {
        let is_kept = |at: usize| !self.heads[at].is_wide;
        let kept = |row: &Row| {
            let cells = row.cells.iter().enumerate().filter(|(at, _)| is_kept(*at));
            Row { cells: cells.map(|(_, cell)| cell.clone()).collect(), ..row.clone() }
        };
        let heads = self.heads.iter().filter(|head| !head.is_wide).cloned().collect();
        Self { heads, rows: self.rows.iter().map(kept).collect(), ..self.clone() }
    }
}
