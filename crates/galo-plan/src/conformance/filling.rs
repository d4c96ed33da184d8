//! What placeholders stand for in one run of a case.

use super::{Content, Piece};

/// What the answer to a creation gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// Path and query to which its `Location` leads.
    pub location: String,
    /// The last segment of that path.
    pub id: String,
}

impl Given {
    /// From a `Location` as received, in the answer to a request for `target`; `None` where it leads nowhere.
    pub fn of_location(location: &[u8], target: &[u8]) -> Option<Self> {
        let mut path = Vec::new();
        crate::location::resolve(location, target, &mut path)?;
        let location = String::from_utf8(path).ok()?;
        let id = location.split('?').next()?.rsplit('/').next()?.to_owned();
        Some(Self { location, id })
    }
}

/// What placeholders stand for.
#[derive(Debug, Clone, Copy)]
pub struct Filling<'a> {
    /// Of the run.
    pub mark: &'a str,
    /// By request so far.
    pub given: &'a [Option<Given>],
}

/// No placeholder is longer, braces included.
const LONGEST: usize = 20;

impl Filling<'_> {
    /// A text with what its placeholders stand for; `None` where that was not given.
    pub fn text(&self, template: &str) -> Option<String> {
        let mut out = String::with_capacity(template.len());
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            rest = &rest[open..];
            match self.placeholder(rest) {
                Some((stands_for, length)) => {
                    out.push_str(&stands_for?);
                    rest = &rest[length..];
                }
                None => {
                    out.push('{');
                    rest = &rest[1..];
                }
            }
        }
        out.push_str(rest);
        Some(out)
    }

    /// The same, piece by piece.
    pub fn content(&self, template: &Content) -> Option<Content> {
        let pieces = template.0.iter().map(|piece| match piece {
            Piece::Text(text) => self.text(text).map(Piece::Text),
            other => Some(other.clone()),
        });
        pieces.collect::<Option<_>>().map(Content)
    }

    /// What the placeholder at the start of `text` stands for, and its length. The outer `None`: it is none. The inner
    /// one: it is one, but what it stands for was not given.
    fn placeholder(&self, text: &str) -> Option<(Option<String>, usize)> {
        let end = text.bytes().take(LONGEST).position(|b| b == b'}')?;
        let name = &text[1..end];
        let stands_for = match name {
            "mark" => Some(self.mark.to_owned()),
            "MARK" => Some(self.mark.to_uppercase()),
            _ => {
                let (number, what) = name.split_once('.')?;
                let given = self.given.get(number.parse::<usize>().ok()?).cloned().flatten();
                match what {
                    "location" => given.map(|given| given.location),
                    "id" => given.map(|given| given.id),
                    "ID" => given.map(|given| given.id.to_uppercase()),
                    "nobody" => given.map(|given| nobody(&given.id)),
                    _ => return None,
                }
            }
        };
        Some((stands_for, end + 1))
    }
}

/// An identity of the same kind that was not given: the first digit of a UUID's last group is another one, else the last letter.
fn nobody(id: &str) -> String {
    let at = if id.len() == 36 { 24 } else { id.len().saturating_sub(1) };
    let other = |letter: char| if letter == '7' { 'a' } else { '7' };
    id.char_indices().map(|(place, letter)| if place == at { other(letter) } else { letter }).collect()
}

/// Numbers of the requests whose answers a text names by its placeholders.
pub(crate) fn named_requests(template: &str) -> impl Iterator<Item = usize> {
    template.split('{').skip(1).filter_map(|rest| {
        let (number, what) = rest.split_once('}')?.0.split_once('.')?;
        number.parse().ok().filter(|_| matches!(what, "location" | "id" | "ID" | "nobody"))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(template: &str) -> Option<String> {
        let given = [None, Given::of_location(b"/pessoas/6ba7b810-9dad", b"/pessoas")];
        Filling { mark: "a1b2", given: &given }.text(template)
    }

    #[test]
    fn placeholders_are_filled_in_and_other_braces_stay() {
        for (template, expected) in [
            ("{mark}-{MARK}", "a1b2-A1B2"),
            (r#"{"apelido":"{mark}","stack":null}"#, r#"{"apelido":"a1b2","stack":null}"#),
            ("{1.location}?{1.id}{1.ID}", "/pessoas/6ba7b810-9dad?6ba7b810-9dad6BA7B810-9DAD"),
            ("{mark", "{mark"),
            ("{}{{mark}}{x.id}{1.more}", "{}{a1b2}{x.id}{1.more}"),
        ] {
            assert_eq!(filled(template).as_deref(), Some(expected), "{template}");
        }
    }

    #[test]
    fn nobody_has_an_identity_of_the_same_kind() {
        for (given, expected) in [
            ("6ba7b810-9dad-71d1-80b4-00c04fd430c8", "6ba7b810-9dad-71d1-80b4-70c04fd430c8"),
            ("6ba7b810-9dad-71d1-80b4-70c04fd430c8", "6ba7b810-9dad-71d1-80b4-a0c04fd430c8"),
            ("41", "47"),
            ("", ""),
        ] {
            assert_eq!(nobody(given), expected);
        }
    }

    #[test]
    fn what_was_not_given_cannot_be_filled_in() {
        assert_eq!(filled("{0.id}"), None);
        assert_eq!(filled("{7.location}"), None);
        let filling = Filling { mark: "", given: &[] };
        assert_eq!(filling.content(&Content::from("a").text("{0.id}")), None);
        assert_eq!(
            filling.content(&Content::default().repeated("{0.id}", 2)).unwrap().bytes(),
            b"{0.id}{0.id}"
        );
    }

    #[test]
    fn a_location_gives_the_path_and_its_last_segment() {
        let given = Given::of_location(b"http://h:1/a/b/17?x=/y", b"/a").unwrap();
        assert_eq!((given.location.as_str(), given.id.as_str()), ("/a/b/17?x=/y", "17"));
        assert_eq!(Given::of_location(b"no way", b"/"), None);
    }

    proptest! {
        #[test]
        fn any_text_without_placeholders_is_itself(text in "[a-z{}.0é]{0,30}") {
            prop_assume!(!text.contains("mark") && !text.contains("id") && !text.contains("location"));
            prop_assert_eq!(filled(&text), Some(text));
        }
    }
}
