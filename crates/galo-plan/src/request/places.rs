//! Places in templates: what each name between braces stands for.

use crate::draw::Pick;
use crate::draw::{below, draw};
use crate::generated::Generated;
use crate::table::Table;
use crate::template::{Part, Template, TemplateError};

/// First word of what is drawn here, so that rows share no draw with anything else.
const ROW: u64 = u64::from_be_bytes(*b"data row");

/// What a place is filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A cell of the request's row.
    Column(usize),
    /// What no file holds.
    Generated(Generated),
}

/// All places of a plan's requests; the number of a place is its field number.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Whether texts are templates at all.
    enabled: bool,
    seed: u64,
    table: Table,
    pick: Option<Pick>,
    /// With the names as written, each once.
    places: Vec<(String, Place)>,
}

impl Places {
    /// `data`: a table, and which of its rows a request takes.
    pub(super) fn new(enabled: bool, seed: u64, data: Option<(Table, Pick)>) -> Self {
        let (table, pick) = data.map_or((Table::default(), None), |(table, pick)| (table, Some(pick)));
        Self { enabled, seed, table, pick, places: Vec::new() }
    }

    /// Whether texts are templates.
    pub(super) fn are_enabled(&self) -> bool {
        self.enabled
    }

    /// Whether any template has a place.
    pub(super) fn is_used(&self) -> bool {
        !self.places.is_empty()
    }

    /// The path and query of an address, in which names may be percent-encoded as all of it is.
    pub(super) fn target(&mut self, text: &str) -> Result<Template, TemplateError> {
        self.template_with(text, |name| {
            let bytes = percent_decoded(name);
            String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
        })
    }

    /// A text with its places, or as it stands where texts are no templates.
    pub(super) fn template(&mut self, text: &str) -> Result<Template, TemplateError> {
        self.template_with(text, str::to_owned)
    }

    fn template_with(
        &mut self,
        text: &str,
        name: impl Fn(&str) -> String,
    ) -> Result<Template, TemplateError> {
        if !self.enabled {
            return Ok(Template::literal(text));
        }
        Template::parse_with(text, |written| {
            let name = &name(written);
            if let Some(known) = self.places.iter().position(|(known, _)| known == name) {
                return Ok(Part::Field(known));
            }
            let place = self.place(name)?;
            self.places.push((name.to_owned(), place));
            Ok(Part::Field(self.places.len() - 1))
        })
    }

    fn place(&self, name: &str) -> Result<Place, TemplateError> {
        let columns = self.table.columns();
        if let Some(column) = columns.iter().position(|column| column == name) {
            return Ok(Place::Column(column));
        }
        Generated::named(name).map_or_else(
            || {
                let known = columns.iter().map(String::as_str).chain(Generated::NAMES);
                Err(TemplateError::unknown(name, &known.collect::<Vec<_>>()))
            },
            |generated| generated.map(Place::Generated),
        )
    }

    /// Says why a template cannot be a header's value: a cell that it inserts would end the header's line.
    pub(super) fn check_header_cells(&self, template: &Template) -> Result<(), String> {
        for part in template.parts() {
            let Part::Field(field) = part else { continue };
            let Some((name, Place::Column(column))) = self.places.get(*field) else { continue };
            let control = |row: &u64| self.table.cell(*row, *column).iter().any(u8::is_ascii_control);
            if let Some(row) = (0..self.table.rows()).find(control) {
                return Err(format!(
                    "row {} of column `{name}` holds a control character\nhint: a header's value may not hold any",
                    row + 1
                ));
            }
        }
        Ok(())
    }

    /// Appends what field number `field` is for request number `request`.
    pub(super) fn write(&self, field: usize, request: u64, out: &mut Vec<u8>) {
        let Some((_, place)) = self.places.get(field) else { return };
        match *place {
            Place::Column(column) => out.extend_from_slice(self.table.cell(self.row(request), column)),
            Place::Generated(generated) => generated.write(self.seed, request, field, out),
        }
    }

    /// The row that a request takes: the same for all of its columns.
    fn row(&self, request: u64) -> u64 {
        let rows = self.table.rows();
        match self.pick {
            Some(Pick::Random) => below(draw(self.seed, &[ROW, request]), u128::from(rows)),
            _ => request.checked_rem(rows).unwrap_or(0),
        }
    }
}

/// What stands behind each `%` and two hexadecimal digits as the byte that it means.
fn percent_decoded(text: &str) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits =
            after.get(..2).filter(|_| first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                rest = &after[2..];
            }
            None => {
                decoded.push(first);
                rest = after;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests;
