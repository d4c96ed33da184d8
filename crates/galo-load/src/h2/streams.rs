//! The open streams.
//!
//! A client's streams have ascending odd numbers, so the lower bits of a number are its place in a table of twice as
//! many places as streams are open: no hashing, no search. A number whose place is still taken by a stream that lasts
//! is skipped, which RFC 9113, section 5.1.1, allows; so one slow answer costs nothing, however many others pass it.

/// Highest number of a stream (RFC 9113, section 4.1), halved: streams are counted by twos.
const LAST: u32 = (1 << 30) - 1;
/// Places at first.
const FEWEST: usize = 16;

/// One request and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Stream {
    /// 0 in an empty place.
    pub(crate) id: u32,
    /// How the caller calls it.
    pub(crate) exchange: u32,
    /// Whether the whole request was handed over.
    pub(crate) sent: bool,
    /// Whether the request was a HEAD, whose answer has no body.
    pub(crate) head_request: bool,
    /// Whether the final head has come.
    pub(crate) answered: bool,
    /// How much may be sent; less than 0 after a setting that took back what was given.
    pub(crate) send_window: i64,
    /// Received since its window was last opened.
    pub(crate) received: u32,
    /// Length of the body so far.
    pub(crate) body_len: u64,
    /// Length that the head announced.
    pub(crate) expected: Option<u64>,
}

/// All open streams of a connection, each at the place that its number gives.
#[derive(Debug)]
pub(super) struct Streams {
    /// A power of two.
    places: Vec<Stream>,
    open: usize,
    /// Half the next number.
    next: u32,
}

impl Streams {
    pub(super) fn new() -> Self {
        Self { places: vec![Stream::default(); FEWEST], open: 0, next: 0 }
    }

    pub(super) const fn open(&self) -> usize {
        self.open
    }

    /// Whether numbers are left for a full table more.
    pub(super) fn has_numbers(&self) -> bool {
        (self.next as usize) + 2 * self.places.len() < LAST as usize
    }

    /// Whether that stream, galo's, was never opened.
    pub(super) const fn is_idle(&self, id: u32) -> bool {
        id >> 1 >= self.next
    }

    fn place(&self, half: u32) -> usize {
        half as usize & (self.places.len() - 1)
    }

    /// Opens the next stream; its number is set here.
    pub(super) fn open_next(&mut self, stream: Stream) -> u32 {
        if self.open * 2 >= self.places.len() {
            self.grow();
        }
        while self.places[self.place(self.next)].id != 0 {
            self.next += 1;
        }
        let id = self.next * 2 + 1;
        let place = self.place(self.next);
        self.places[place] = Stream { id, ..stream };
        self.open += 1;
        self.next += 1;
        id
    }

    /// Doubles the places. Streams that differ in the lower bits do so in one more bit.
    fn grow(&mut self) {
        let more = vec![Stream::default(); self.places.len() * 2];
        for stream in std::mem::replace(&mut self.places, more) {
            let place = self.place(stream.id >> 1);
            if stream.id != 0 {
                self.places[place] = stream;
            }
        }
    }

    /// An open stream by its number; 0 is none.
    pub(super) fn get(&self, id: u32) -> Option<&Stream> {
        let stream = &self.places[self.place(id >> 1)];
        (stream.id == id && id != 0).then_some(stream)
    }

    /// [`Self::get`], to change it.
    pub(super) fn get_mut(&mut self, id: u32) -> Option<&mut Stream> {
        let place = self.place(id >> 1);
        let stream = &mut self.places[place];
        (stream.id == id && id != 0).then_some(stream)
    }

    /// Closes a stream.
    pub(super) fn close(&mut self, id: u32) -> Option<Stream> {
        let stream = std::mem::take(self.get_mut(id)?);
        self.open -= 1;
        Some(stream)
    }

    /// All open streams, in no particular order.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Stream> {
        self.places.iter_mut().filter(|stream| stream.id != 0)
    }

    /// The numbers of the open streams above `last`.
    pub(super) fn above(&self, last: u32) -> Vec<u32> {
        self.places.iter().map(|stream| stream.id).filter(|&id| id > last).collect()
    }
}
