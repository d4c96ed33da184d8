//! Rows and columns of a terminal, as wide as it is. Nothing is cut: first the gaps give way, then names and heads are broken
//! into several lines, and where even that takes too much, each row is told below its name.

use super::table::Align;
use crate::text::{left, right, width, wrap};

/// Columns between two of a table: where there is room, and where there is not.
const GAPS: [usize; 2] = [2, 1];
/// A name is broken into no narrower lines than this, nor is a head.
const NAME_LEAST: usize = 14;
/// What stands before the figures of a row that are told below its name.
const INDENT: &str = "  ";

/// Heads and rows as text; the first column names the row.
pub(super) struct Grid {
    pub(super) heads: Vec<String>,
    pub(super) aligns: Vec<Align>,
    pub(super) rows: Vec<Vec<String>>,
}

/// Lines of heads and of each row.
#[derive(Debug, PartialEq)]
pub(super) struct Laid {
    pub(super) heads: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// Columns that are left beside the rows; `None`: each row is told below its name.
    pub(super) room: Option<usize>,
}

impl Grid {
    /// As lines of at most so many columns.
    pub(super) fn lay(&self, limit: usize) -> Laid {
        match GAPS.into_iter().find_map(|gap| self.columns(gap, limit)) {
            Some((widths, gap)) => self.side_by_side(&widths, gap, limit),
            None => self.stacked(limit),
        }
    }

    /// Widths of all columns with a gap, where they fit: as wide as their heads, or with heads as narrow as need be.
    fn columns(&self, gap: usize, limit: usize) -> Option<(Vec<usize>, usize)> {
        let number = self.heads.len();
        let fits = |widths: &[usize]| widths.iter().sum::<usize>() + gap * number.saturating_sub(1) <= limit;
        let whole: Vec<usize> = (0..number).map(|column| self.body(column).max(self.head(column))).collect();
        if fits(&whole) {
            return Some((whole, gap));
        }
        if gap != GAPS[GAPS.len() - 1] {
            return None;
        }
        let widest = whole.iter().copied().max().unwrap_or(0);
        (1..=widest)
            .rev()
            .map(|most| self.narrowed(most))
            .find(|widths| fits(widths))
            .map(|widths| (widths, gap))
    }

    /// Widths with heads and names of at most so many columns, but for what cannot be broken.
    fn narrowed(&self, most: usize) -> Vec<usize> {
        let each = |column: usize| {
            let piece = widest_piece(&self.heads[column]).min(NAME_LEAST);
            if column > 0 {
                return self.body(column).max(self.head(column).min(most.max(piece)));
            }
            let names = self.rows.iter().filter_map(|row| row.first());
            let piece = names.map(|name| widest_piece(name).min(NAME_LEAST)).fold(piece, usize::max);
            self.body(0).max(self.head(0)).min(most.max(piece))
        };
        (0..self.heads.len()).map(each).collect()
    }

    /// The widest cell of a column.
    fn body(&self, column: usize) -> usize {
        self.rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
    }

    fn head(&self, column: usize) -> usize {
        width(&self.heads[column])
    }

    fn side_by_side(&self, widths: &[usize], gap: usize, limit: usize) -> Laid {
        let heads: Vec<Vec<String>> =
            self.heads.iter().zip(widths).map(|(head, columns)| broken(head, *columns)).collect();
        let height = heads.iter().map(Vec::len).max().unwrap_or(0);
        // What is shorter stands right above the figures.
        let head = |at: usize| {
            let cell = |lines: &Vec<String>| {
                let above = height - lines.len();
                at.checked_sub(above).and_then(|at| lines.get(at)).cloned().unwrap_or_default()
            };
            self.line(&heads.iter().map(cell).collect::<Vec<_>>(), widths, gap)
        };
        let row = |cells: &Vec<String>| {
            let name = broken(cells.first().map_or("", String::as_str), widths.first().copied().unwrap_or(0));
            let mut lines = name.into_iter();
            let mut first = cells.clone();
            if let Some(cell) = first.first_mut() {
                *cell = lines.next().unwrap_or_default();
            }
            [self.line(&first, widths, gap)].into_iter().chain(lines).collect()
        };
        let taken = widths.iter().sum::<usize>() + gap * widths.len().saturating_sub(1);
        Laid {
            heads: (0..height).map(head).collect(),
            rows: self.rows.iter().map(row).collect(),
            room: Some(limit.saturating_sub(taken)),
        }
    }

    /// One line of cells, names to the left and figures to the right.
    fn line(&self, cells: &[String], widths: &[usize], gap: usize) -> String {
        let mut line = String::new();
        for (at, (cell, columns)) in cells.iter().zip(widths).enumerate() {
            line += &" ".repeat(if at == 0 { 0 } else { gap });
            line += &match self.aligns.get(at) {
                Some(Align::Left) => left(cell, *columns),
                _ => right(cell, *columns),
            };
        }
        line
    }

    /// Each row below its name, as `head: figure`.
    fn stacked(&self, limit: usize) -> Laid {
        let row = |cells: &Vec<String>| {
            let mut lines = broken(cells.first().map_or("", String::as_str), limit);
            let told = self.heads.iter().zip(cells).skip(1).filter(|(_, cell)| !cell.trim().is_empty());
            let items = told.map(|(head, cell)| match head.trim() {
                "" => cell.trim().to_owned(),
                head => format!("{head}: {}", cell.trim()),
            });
            lines.extend(flowed(items, limit));
            lines
        };
        let head = self.heads.first().filter(|head| !head.is_empty());
        Laid {
            heads: head.map(|head| broken(head, limit)).unwrap_or_default(),
            rows: self.rows.iter().map(row).collect(),
            room: None,
        }
    }
}

/// Items one after another, each in one line where it fits.
fn flowed(items: impl Iterator<Item = String>, limit: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let room = limit.saturating_sub(INDENT.len()).max(1);
    for item in items {
        match lines.last_mut() {
            Some(last) if width(last) + INDENT.len() + width(&item) <= limit => {
                *last += &format!("{INDENT}{item}");
            }
            _ => lines.extend(wrap(&item, room, INDENT).into_iter().map(|line| format!("{INDENT}{line}"))),
        }
    }
    lines
}

/// Pieces of a name between which it may be broken: after a space, and after what parts words in names.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([' ', '-', '_', '/', '=', ':'])
}

fn widest_piece(text: &str) -> usize {
    pieces(text).map(|piece| width(piece.trim_end())).max().unwrap_or(0)
}

/// A name in lines of at most so many columns, of which nothing is left out but spaces at their ends. At least one line.
fn broken(text: &str, columns: usize) -> Vec<String> {
    if width(text) <= columns {
        return vec![text.to_owned()];
    }
    let (mut lines, mut line) = (Vec::new(), String::new());
    for piece in pieces(text) {
        if !line.is_empty() && width(&line) + width(piece.trim_end()) > columns {
            lines.push(std::mem::take(&mut line));
        }
        line += piece;
        while width(line.trim_end()) > columns {
            let tail = line.split_off(beyond(&line, columns));
            lines.push(std::mem::replace(&mut line, tail));
        }
    }
    lines.push(line);
    lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
    lines
}

/// Where the part of a text begins that does not fit into so many columns; after its first character at the earliest.
fn beyond(text: &str, columns: usize) -> usize {
    let mut ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
    let first = ends.next().unwrap_or(text.len());
    ends.take_while(|end| width(&text[..*end]) <= columns).last().unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn grid(heads: &[&str], rows: &[&[&str]]) -> Grid {
        let all = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
        Grid { heads: all(heads), aligns: vec![Align::Left], rows: rows.iter().map(|row| all(row)).collect() }
    }

    fn shown(grid: &Grid, limit: usize) -> String {
        let Laid { heads, rows, .. } = grid.lay(limit);
        heads
            .into_iter()
            .chain(rows.into_iter().flatten())
            .map(|line| line.trim_end().to_owned() + "\n")
            .collect()
    }

    fn services() -> Grid {
        let heads = ["serviço", "CPU s", "do limite", "us/requisição", "cortada", "pico MiB", "anôn. MiB"];
        let row = |name| [name, "12.3", "98.1 %", "1,234.5", "12.3 %", "123.4", "101.2"];
        let [api, db] = [row("api-gateway-primary"), row("db")];
        grid(&heads, &[&api, &db])
    }

    #[test]
    fn gaps_give_way_then_heads_and_names_are_broken_and_then_rows_are_stacked() {
        let shown = [80, 64, 48].map(|limit| shown(&services(), limit)).join("\n");
        insta::assert_snapshot!(shown, @r"
serviço             CPU s do limite us/requisição cortada pico MiB anôn. MiB
api-gateway-primary  12.3    98.1 %       1,234.5  12.3 %    123.4     101.2
db                   12.3    98.1 %       1,234.5  12.3 %    123.4     101.2

                                  us/
serviço    CPU s do limite requisição cortada pico MiB anôn. MiB
api-        12.3    98.1 %    1,234.5  12.3 %    123.4     101.2
gateway-
primary
db          12.3    98.1 %    1,234.5  12.3 %    123.4     101.2

serviço
api-gateway-primary
  CPU s: 12.3  do limite: 98.1 %
  us/requisição: 1,234.5  cortada: 12.3 %
  pico MiB: 123.4  anôn. MiB: 101.2
db
  CPU s: 12.3  do limite: 98.1 %
  us/requisição: 1,234.5  cortada: 12.3 %
  pico MiB: 123.4  anôn. MiB: 101.2
");
    }

    #[test]
    fn a_name_is_broken_where_its_words_end_and_loses_nothing() {
        assert_eq!(broken("api-gateway-primary", 12), ["api-gateway-", "primary"]);
        assert_eq!(broken("the last one", 8), ["the last", "one"]);
        assert_eq!(broken("ábcdefghij", 4), ["ábcd", "efgh", "ij"]);
        assert_eq!(broken("", 4), [""]);
    }

    fn cells() -> impl Strategy<Value = Vec<Vec<String>>> {
        let name = "[a-zçã]{1,12}([-_/. ][a-zçã0-9]{1,14}){0,4}";
        let row = (name, proptest::collection::vec("[0-9]{1,5}(\\.[0-9])?( ms)?", 1..9));
        let rows = proptest::collection::vec(row, 1..6);
        rows.prop_map(|rows| {
            let columns = rows.iter().map(|(_, figures)| figures.len()).min().unwrap_or(0);
            let row = |(name, figures): (String, Vec<String>)| {
                [name].into_iter().chain(figures.into_iter().take(columns)).collect()
            };
            rows.into_iter().map(row).collect()
        })
    }

    /// All but spaces, in order.
    fn letters(text: &str) -> String {
        text.chars().filter(|c| !c.is_whitespace()).collect()
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal_and_nothing_is_cut(rows in cells(), head in "[a-z/ ]{0,16}", limit in 40..=120_usize) {
            let number = rows[0].len();
            let grid = Grid { heads: vec![head; number], aligns: vec![Align::Left], rows };
            let laid = grid.lay(limit);
            for line in laid.heads.iter().chain(laid.rows.iter().flatten()) {
                prop_assert!(width(line.trim_end()) <= limit, "{limit}: {line:?}");
                prop_assert!(!line.contains('…'), "{line:?}");
            }
            for (cells, lines) in grid.rows.iter().zip(&laid.rows) {
                let told = letters(&lines.concat());
                for figure in &cells[1..] {
                    prop_assert!(told.contains(&letters(figure)), "{figure} of {lines:?}");
                }
                // A name that is broken goes on below the figures of its first line.
                let names: String = match laid.room {
                    Some(_) => {
                        let first = lines[0].split(' ').next().unwrap_or_default();
                        prop_assert!(letters(&cells[0]).starts_with(first));
                        letters(&lines[1..].concat())
                    }
                    None => told.clone(),
                };
                let is_end = letters(&cells[0]).ends_with(&names) || names.starts_with(&letters(&cells[0]));
                prop_assert!(is_end, "{:?} of {lines:?}", cells[0]);
            }
        }
    }
}
