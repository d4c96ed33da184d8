//! The people that are created: row `n` of the feeder `people`, drawn in the contest's proportions, and its label.

use galo_plan::model::Label;

use crate::digest;
use crate::draw::{Draw, Key};
use crate::index;
use crate::text::Text;

/// Letters of a nickname.
pub(crate) const LETTERS: &[u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Letters of a name and of a term.
pub(crate) const LETTERS_AND_SPACE: &[u8; 53] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ";

/// What a stack is drawn from. `C#` stands in it twice, as in the contest.
pub(crate) const SKILLS: [&str; 25] = [
    "Javascript",
    "Python",
    "Go",
    "Java",
    "Kotlin",
    "PHP",
    "C#",
    "Swift",
    "R",
    "Ruby",
    "C",
    "C++",
    "Matlab",
    "TypeScript",
    "Scala",
    "SQL",
    "HTML",
    "CSS",
    "NoSQL",
    "Rust",
    "Perl",
    "C#",
    "Clojure",
    "MySQL",
    "Postgres",
];

/// The most elements that a drawn stack has.
const LONGEST_STACK: usize = 26;

/// What stands between the quotes where a date belongs: JSON that was encoded once more.
const ENCODED_TWICE: [&str; 3] = [r#"\"12-12-2000\""#, "null", "10"];

/// What is odd about a row, so that it breaks a rule: one row in 99 has an odd nickname, one an odd name, one an odd
/// date, one an odd stack. The contest's words could also be read as one row in 99 for each of the three odd stacks;
/// then its ceiling would be some 45,600 creations, but it was published as 46,576.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Odd {
    /// A nickname of 35 letters.
    LongApelido,
    /// A name of 120 letters and spaces.
    LongNome,
    /// A date that was encoded twice.
    EncodedTwice,
    /// A stack with one element of 40 digits.
    LongSkill,
    /// A text as stack.
    TextAsStack,
    /// A number as stack.
    NumberAsStack,
}

impl Odd {
    fn draw(draw: &mut Draw) -> Option<Self> {
        Some(match draw.below(99) {
            0 => Self::LongApelido,
            1 => Self::LongNome,
            2 => Self::EncodedTwice,
            3 => match draw.below(3) {
                0 => Self::LongSkill,
                1 => Self::TextAsStack,
                _ => Self::NumberAsStack,
            },
            _ => return None,
        })
    }
}

/// A date of birth as sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nascimento {
    /// Year, month (13 included) and day.
    Date(u32, u32, u32),
    /// Text that is itself encoded JSON, escaped as it is sent.
    EncodedTwice(&'static str),
}

/// A stack as sent.
#[derive(Clone, Copy)]
pub(crate) enum Stack {
    /// `null`.
    Null,
    /// Numbers of [`SKILLS`], of which so many count.
    Skills([u8; LONGEST_STACK], u8),
    /// One element of digits.
    Digits(Text<40>),
    /// A text where an array belongs.
    Text(&'static str),
    /// A number where an array belongs.
    Number(u32),
}

/// One row, made anew whenever it is needed.
pub(crate) struct Person {
    pub(crate) apelido: Text<35>,
    pub(crate) nome: Text<120>,
    pub(crate) nascimento: Nascimento,
    pub(crate) stack: Stack,
    pub(crate) odd: Option<Odd>,
}

impl Person {
    /// Row `row` of the feeder `people`.
    pub(crate) fn of_row(key: Key, row: u64) -> Self {
        let mut draw = Draw::new(key, index::PEOPLE, row);
        let odd = Odd::draw(&mut draw);
        let length = 1 + draw.below(32) as usize;
        let length = if odd == Some(Odd::LongApelido) { 35 } else { length };
        let apelido = Text::filled(length, |out| draw.fill(out, LETTERS));
        let length = 1 + draw.below(100) as usize;
        let nome = draw_nome(&mut draw, if odd == Some(Odd::LongNome) { 120 } else { length });
        let (year, month, day) = (1940 + draw.below(81), 1 + draw.below(13), 1 + draw.below(29));
        let nascimento = match odd {
            Some(Odd::EncodedTwice) => Nascimento::EncodedTwice(pick(&mut draw, &ENCODED_TWICE)),
            _ => Nascimento::Date(year, month, day),
        };
        let stack = match odd {
            Some(Odd::LongSkill) => Stack::Digits(Text::filled(40, |out| draw.fill(out, b"0123456789"))),
            Some(Odd::TextAsStack) => Stack::Text(pick(&mut draw, &SKILLS)),
            Some(Odd::NumberAsStack) => Stack::Number(draw.below(1000)),
            _ => draw_stack(&mut draw),
        };
        Self { apelido, nome, nascimento, stack, odd }
    }

    /// What it must get, if its nickname is free.
    pub(crate) fn label(&self) -> Label {
        match self.date_label() {
            _ if self.odd.is_some() => Label::Refuse,
            Label::Accept if self.is_blank() => Label::Free,
            date => date,
        }
    }

    /// Whether the name is of blanks alone: the contest does not say whether it may.
    fn is_blank(&self) -> bool {
        self.nome.as_bytes().iter().all(|letter| *letter == b' ')
    }

    /// What the date by itself leads to: [`Label::Free`] for 29 February of a common year.
    pub(crate) fn date_label(&self) -> Label {
        match self.nascimento {
            Nascimento::Date(year, month, day) => date_label(year, month, day),
            Nascimento::EncodedTwice(_) => Label::Refuse,
        }
    }

    /// The status with which the rules name its refusal, if they name one and nothing else is wrong with it. They name
    /// 400 for a wrong JSON type; for what is too long, and for a bad date, they leave the choice of 400 and 422.
    pub(crate) fn exact_refusal(&self) -> Option<u16> {
        let wrong_type = matches!(self.stack, Stack::Text(_) | Stack::Number(_));
        let is_good_otherwise = self.date_label() == Label::Accept && !self.is_blank();
        (wrong_type && is_good_otherwise).then_some(400)
    }

    /// Stands for its nickname.
    pub(crate) fn key(&self) -> u64 {
        digest::key(self.apelido.as_bytes())
    }

    /// Stands for all of it, by meaning; equal to [`crate::answer::Answered::seen`]'s if it is answered as sent.
    pub(crate) fn digest(&self) -> u64 {
        let date = match self.nascimento {
            Nascimento::Date(year, month, day) => date_by_meaning(year, month, day),
            Nascimento::EncodedTwice(_) => [0; 10],
        };
        let skills = self.stack.skills().into_iter().flatten();
        digest::person(self.apelido.as_bytes(), self.nome.as_bytes(), &date, skills)
    }

    /// Appends it as compact JSON.
    pub(crate) fn write_body(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"apelido\":\"");
        out.extend_from_slice(self.apelido.as_bytes());
        out.extend_from_slice(b"\",\"nome\":\"");
        out.extend_from_slice(self.nome.as_bytes());
        out.extend_from_slice(b"\",\"nascimento\":\"");
        match self.nascimento {
            Nascimento::Date(year, month, day) => out.extend_from_slice(&date_text(year, month, day)),
            Nascimento::EncodedTwice(escaped) => out.extend_from_slice(escaped.as_bytes()),
        }
        out.extend_from_slice(b"\",\"stack\":");
        self.stack.write(out);
        out.push(b'}');
    }
}

impl Stack {
    /// Its elements if it is a valid list, in order.
    pub(crate) fn skills(&self) -> Option<impl ExactSizeIterator<Item = &str>> {
        let Self::Skills(numbers, count) = self else { return None };
        Some(numbers[..usize::from(*count)].iter().map(|number| SKILLS[usize::from(*number)]))
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Null => out.extend_from_slice(b"null"),
            Self::Skills(..) => {
                out.push(b'[');
                for (place, skill) in self.skills().into_iter().flatten().enumerate() {
                    out.extend_from_slice(if place == 0 { b"\"" } else { b",\"" });
                    out.extend_from_slice(skill.as_bytes());
                    out.push(b'"');
                }
                out.push(b']');
            }
            Self::Digits(digits) => {
                out.extend_from_slice(b"[\"");
                out.extend_from_slice(digits.as_bytes());
                out.extend_from_slice(b"\"]");
            }
            Self::Text(text) => {
                out.push(b'"');
                out.extend_from_slice(text.as_bytes());
                out.push(b'"');
            }
            Self::Number(number) => out.extend_from_slice(number.to_string().as_bytes()),
        }
    }
}

/// A name of `length` letters and spaces.
pub(crate) fn draw_nome(draw: &mut Draw, length: usize) -> Text<120> {
    Text::filled(length, |out| draw.fill(out, LETTERS_AND_SPACE))
}

/// A valid stack: null in 1 of 14, else 1 to 26 skills.
pub(crate) fn draw_stack(draw: &mut Draw) -> Stack {
    if draw.below(14) == 0 {
        return Stack::Null;
    }
    let (numbers, count) = draw_skills(draw);
    Stack::Skills(numbers, count)
}

fn draw_skills(draw: &mut Draw) -> ([u8; LONGEST_STACK], u8) {
    let count = 1 + draw.below(LONGEST_STACK as u32) as usize;
    let mut numbers = [0; LONGEST_STACK];
    for number in &mut numbers[..count] {
        *number = draw.below(SKILLS.len() as u32) as u8;
    }
    (numbers, count as u8)
}

fn pick(draw: &mut Draw, from: &[&'static str]) -> &'static str {
    from[draw.below(from.len() as u32) as usize]
}

/// `AAAA-MM-DD`. The numbers have at most four and two digits.
pub(crate) fn date_text(year: u32, month: u32, day: u32) -> [u8; 10] {
    let digit = |number: u32, place: u32| b'0' + (number / place % 10) as u8;
    [
        digit(year, 1000),
        digit(year, 100),
        digit(year, 10),
        digit(year, 1),
        b'-',
        digit(month, 10),
        digit(month, 1),
        b'-',
        digit(day, 10),
        digit(day, 1),
    ]
}

/// A date in exactly the form of [`date_text`].
pub(crate) fn parse_date(text: &str) -> Option<(u32, u32, u32)> {
    let number = |range: std::ops::Range<usize>| text.get(range)?.parse().ok();
    let date = (number(0..4)?, number(5..7)?, number(8..10)?);
    (text.as_bytes() == date_text(date.0, date.1, date.2)).then_some(date)
}

/// The text that stands for a date in digests. Whoever accepts 29 February of a common year may store it as it is, as
/// the day before or as the day after; all three become one. That a row of one of the other two days is then the same
/// as well does no harm: digests are only compared with those of rows, and what a read shows is compared exactly.
pub(crate) fn date_by_meaning(year: u32, month: u32, day: u32) -> [u8; 10] {
    match (month, day) {
        (2, 28 | 29) if !is_leap(year) => date_text(year, 3, 1),
        _ => date_text(year, month, day),
    }
}

/// What the date alone asks for. Days go up to 29, so only February can be too short for one.
fn date_label(year: u32, month: u32, day: u32) -> Label {
    match (month, day) {
        (13.., _) => Label::Refuse,
        (2, 29) if !is_leap(year) => Label::Free,
        _ => Label::Accept,
    }
}

const fn is_leap(year: u32) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests;
