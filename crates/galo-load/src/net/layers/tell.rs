//! From connections to news.

use std::collections::VecDeque;
use std::ops::Range;

use super::super::{News, What};
use crate::h2::{self, ResetKind};
use crate::io::Conn;

/// Where news go.
pub(in crate::net) struct Tell<'a> {
    pub(in crate::net) conn: Conn,
    pub(in crate::net) at_ns: u64,
    pub(in crate::net) news: &'a mut VecDeque<(News, Range<usize>)>,
    pub(in crate::net) bytes: &'a mut Vec<u8>,
}

impl Tell<'_> {
    pub(super) fn say(&mut self, slot: u32, what: What, bytes: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.news
            .push_back((News { slot, conn: self.conn, at_ns: self.at_ns, what }, start..self.bytes.len()));
    }

    fn give_up(&mut self, slot: u32, why: &'static str, unprocessed: bool) {
        let why = why.into();
        self.say(slot, if unprocessed { What::Unprocessed(why) } else { What::Failed(why) }, &[]);
    }
}

impl h2::Sink for Tell<'_> {
    fn head(&mut self, exchange: u32, status: u16, head: &[u8], end: bool) {
        self.say(exchange, What::Head { status, end }, head);
    }

    fn data(&mut self, exchange: u32, data: &[u8], end: bool) {
        self.say(exchange, What::Data { end }, data);
    }

    fn failed(&mut self, exchange: u32, why: ResetKind) {
        self.give_up(exchange, why.text(), why.is_unprocessed());
    }
}
