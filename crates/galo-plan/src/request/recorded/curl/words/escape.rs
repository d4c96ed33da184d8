//! What stands in `$'...'` (bash's manual, "ANSI-C Quoting").

use super::super::super::left_out::Left;
use super::{Parser, Word, unclosed};

impl Parser<'_> {
    /// `$'...'`: what a `\` stands for (bash's manual, "ANSI-C Quoting").
    pub(super) fn escaped(&mut self, word: &mut Word) -> Result<(), Left> {
        // A byte that is 0 ends the text, but not the quotes.
        let mut is_over = false;
        loop {
            let mut part = Word::default();
            match self.letters.next() {
                Some((_, '\'')) => return Ok(()),
                Some((_, '\\')) => {
                    let Some((_, letter)) = self.letters.next() else { return Err(unclosed()) };
                    is_over |= self.escape(letter, &mut part);
                }
                Some((_, letter)) => part.push(letter),
                None => return Err(unclosed()),
            }
            if !is_over {
                word.bytes.append(&mut part.bytes);
                word.written.append(&mut part.written);
            }
        }
    }

    /// Appends what `\` and this letter stand for; whether it is a 0.
    fn escape(&mut self, letter: char, word: &mut Word) -> bool {
        let byte = match letter {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            '\\' | '\'' | '"' | '?' => letter as u8,
            '0'..='7' => {
                let first = letter.to_digit(8).unwrap_or_default();
                let value = self.digits(8, 2).fold(first, |value, digit| value * 8 + digit);
                (value & 0xff) as u8
            }
            'x' => match self.hex() {
                Some(value) => value as u8,
                None => return word.as_it_is(letter),
            },
            'u' | 'U' => {
                let most = if letter == 'u' { 4 } else { 8 };
                let Some(value) = self.number(most) else { return word.as_it_is(letter) };
                word.code(value);
                return value == 0;
            }
            'c' => {
                let Some((_, letter)) = self.letters.next() else { return false };
                if letter == '\\' {
                    self.letters.next_if(|(_, next)| *next == '\\');
                }
                let mut buffer = [0; 4];
                let text = letter.encode_utf8(&mut buffer).as_bytes();
                let first = if letter == '?' { 0x7f } else { text[0] & 0x1f };
                word.bytes.push(first);
                word.bytes.extend_from_slice(&text[1..]);
                return first == 0;
            }
            _ => return word.as_it_is(letter),
        };
        word.bytes.push(byte);
        byte == 0
    }

    /// What stands behind `\x`: two digits at most, or any number in braces, where none is 0.
    fn hex(&mut self) -> Option<u32> {
        if self.letters.next_if(|(_, letter)| *letter == '{').is_none() {
            return self.number(2);
        }
        let value = self.number(usize::MAX).unwrap_or_default();
        self.letters.next_if(|(_, letter)| *letter == '}');
        Some(value)
    }

    /// The value of up to so many digits to the base of 16; `None`: there is none.
    fn number(&mut self, most: usize) -> Option<u32> {
        let digits: Vec<u32> = self.digits(16, most).collect();
        let value = digits.iter().fold(0_u32, |value, digit| (value << 4) | digit);
        (!digits.is_empty()).then_some(value)
    }

    fn digits(&mut self, radix: u32, most: usize) -> impl Iterator<Item = u32> {
        (0..most).map_while(move |_| {
            let digit = self.letters.peek()?.1.to_digit(radix)?;
            self.letters.next();
            Some(digit)
        })
    }
}

impl Word {
    /// An escape that is none.
    fn as_it_is(&mut self, letter: char) -> bool {
        self.push('\\');
        self.push(letter);
        false
    }

    /// A letter by its number, as bash writes it: halves of letters and what is beyond all letters too.
    fn code(&mut self, value: u32) {
        // Six bits in each byte behind the first one, which says how many there are.
        let more = match value {
            0..=0x7f => 0,
            0x80..=0x7ff => 1,
            0x800..=0xffff => 2,
            0x1_0000..=0x1f_ffff => 3,
            0x20_0000..=0x3ff_ffff => 4,
            0x400_0000..=0x7fff_ffff => 5,
            0x8000_0000.. => return,
        };
        let mark = if more == 0 { 0 } else { 0xff_u8 << (7 - more) };
        self.bytes.push(mark | (value >> (6 * more)) as u8);
        self.bytes.extend((0..more).rev().map(|place| 0x80 | (value >> (6 * place) & 0x3f) as u8));
    }
}
