//! Places in templates: what each name between braces stands for.

use percent_encoding::percent_decode_str;

use crate::capture;
use crate::generated::Generated;
use crate::table::Table;
use crate::template::{Part, Template, TemplateError};

/// Names that templates of one scenario may insert: columns, captured values, generated values.
#[derive(Debug, Default)]
pub(crate) struct Places<'a> {
    /// Whether texts are templates at all.
    pub(crate) are_enabled: bool,
    /// Whether values that no file holds may stand; a model has its rows for that.
    pub(crate) generates: bool,
    /// Names of the fields of a row.
    pub(crate) columns: Vec<&'a str>,
    /// What earlier steps keep, by slot.
    pub(crate) captured: Vec<(String, capture::Part)>,
    /// Generated values: fields beyond the columns. The number tells draws apart.
    pub(crate) generated: Vec<(usize, Generated)>,
    /// Whether any template has a place that is filled with a field.
    pub(crate) are_used: bool,
    /// The rows, where their columns are numbered like generated values.
    table: Option<&'a Table>,
    /// Names that are numbered, each once.
    numbered: Vec<String>,
}

impl<'a> Places<'a> {
    /// Places of requests that take their rows from a table, if from any.
    pub(crate) fn new(are_enabled: bool, table: Option<&'a Table>) -> Self {
        let columns = table.map_or_else(Vec::new, Table::columns);
        Self { are_enabled, generates: true, columns, table, ..Self::default() }
    }

    /// The slot of what an earlier step keeps.
    pub(crate) fn slot(&self, name: &str) -> Option<usize> {
        self.captured.iter().position(|(known, _)| known == name)
    }

    /// A text with its places, or as it stands where texts are no templates.
    pub(crate) fn template(&mut self, text: &str) -> Result<Template, TemplateError> {
        if !self.are_enabled {
            return Ok(Template::literal(text));
        }
        Template::parse_with(text, |name| self.part(name))
    }

    /// The path and query of an address, in which names may be percent-encoded as all of it is.
    pub(crate) fn target(&mut self, text: &str) -> Result<Template, TemplateError> {
        if !self.are_enabled {
            return Ok(Template::literal(text));
        }
        Template::parse_with(text, |written| {
            let name = percent_decode_str(written).decode_utf8();
            self.part(&name.unwrap_or(written.into()))
        })
    }

    /// What a name between braces stands for.
    fn part(&mut self, name: &str) -> Result<Part, TemplateError> {
        if let Some(column) = self.columns.iter().position(|column| *column == name) {
            self.are_used = true;
            if self.table.is_some() {
                self.number(name);
            }
            return Ok(Part::Field(column));
        }
        if let Some(slot) = self.slot(name) {
            let is_address = self.captured[slot].1.is_address();
            return Ok(if is_address { Part::Location(slot) } else { Part::Captured(slot) });
        }
        let Some(value) = Generated::named(name).filter(|_| self.generates) else {
            let captured = self.captured.iter().map(|(name, _)| name.as_str());
            let own: &[&str] = if self.generates { &Generated::NAMES } else { &[] };
            let known = self.columns.iter().copied().chain(captured).chain(own.iter().copied());
            return Err(TemplateError::unknown(name, &known.collect::<Vec<_>>()));
        };
        self.are_used = true;
        let value = (self.number(name), value?);
        Ok(Part::Field(self.columns.len() + place_of(&mut self.generated, value)))
    }

    fn number(&mut self, name: &str) -> usize {
        place_of(&mut self.numbered, name.to_owned())
    }

    /// Says why a template cannot be a header's value: a cell that it inserts would end the header's line.
    pub(crate) fn check_header_cells(&self, template: &Template) -> Result<(), String> {
        let Some(table) = self.table else { return Ok(()) };
        for part in template.parts() {
            let Part::Field(column) = part else { continue };
            let control = |row: &u64| table.cell(*row, *column).iter().any(u8::is_ascii_control);
            let Some(name) = self.columns.get(*column) else { continue };
            if let Some(row) = (0..table.rows()).find(control) {
                return Err(format!(
                    "row {} of column `{name}` holds a control character\nhint: a header's value may not hold any",
                    row + 1
                ));
            }
        }
        Ok(())
    }
}

/// The index of what is in a list once it is asked for.
pub(crate) fn place_of<T: PartialEq>(list: &mut Vec<T>, wanted: T) -> usize {
    list.iter().position(|known| *known == wanted).unwrap_or_else(|| {
        list.push(wanted);
        list.len() - 1
    })
}

#[cfg(test)]
mod tests;
