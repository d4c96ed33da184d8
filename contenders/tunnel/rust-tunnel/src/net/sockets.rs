//! What a thread knows of each of its sockets.

use std::collections::VecDeque;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use rustix::io::Errno;

use super::buffers::Chunk;
use super::outbox::Outbox;
use super::task::TaskId;

/// Bytes that may wait for a task which does not ask for them; then the socket is left alone, and the peer has to wait.
const INBOX_BYTES_MAX: usize = 64 * 1024;

/// Which socket. Its place is used again only when nothing more can be heard of it.
pub(super) type Index = u32;

/// Bits of [`Socket::under_way`].
pub(super) const RECEIVING: u8 = 1;
pub(super) const SENDING: u8 = 2;
/// ... polled [`For`](super::happened::For) bytes, and for room.
pub(super) const POLLED: [u8; 2] = [4, 8];

/// One of them.
pub(super) struct Socket {
    /// Nothing: it is closed, and the place waits for what is under way.
    pub(super) fd: Option<OwnedFd>,
    /// Whom news are for.
    pub(super) task: TaskId,
    /// What came and was not asked for yet.
    pub(super) inbox: VecDeque<Chunk>,
    /// Accepted connections, of a socket that listens.
    pub(super) accepted: VecDeque<OwnedFd>,
    pub(super) outbox: Outbox,
    /// Somebody asks for bytes or connections, so the kernel is to tell of them.
    pub(super) wanted: bool,
    pub(super) listens: bool,
    /// So many bytes come at most each time that some are asked for; nothing: all that comes is told, until it is too much.
    pub(super) read_bytes_max: Option<u32>,
    /// The peer sends no more.
    pub(super) ended: bool,
    /// What was last polled for is there: bytes; room.
    pub(super) is_ready: [bool; 2],
    /// Nothing more is sent once the outbox is empty.
    pub(super) finishing: bool,
    /// Why nothing more comes.
    pub(super) error: Option<Errno>,
    /// Why nothing more can be sent.
    pub(super) send_error: Option<Errno>,
    /// What the kernel has to do with it; of io_uring.
    pub(super) under_way: u8,
    /// A send of the present turn: whether one is handed over, and how it went wrong.
    pub(super) handed_over: bool,
    pub(super) refused: Option<i32>,
    /// What epoll said and was not used up: bytes may be there; there is room for more.
    pub(super) readable: bool,
    pub(super) writable: bool,
    /// In epoll's list of those to look at.
    pub(super) listed: bool,
    pub(super) watched: bool,
}

impl Socket {
    fn new(fd: OwnedFd, listens: bool) -> Self {
        Self {
            fd: Some(fd),
            task: TaskId::NONE,
            inbox: VecDeque::new(),
            accepted: VecDeque::new(),
            outbox: Outbox::default(),
            wanted: false,
            listens,
            read_bytes_max: None,
            ended: false,
            is_ready: [false; 2],
            finishing: false,
            error: None,
            send_error: None,
            under_way: 0,
            handed_over: false,
            refused: None,
            readable: true,
            writable: true,
            listed: false,
            watched: false,
        }
    }

    /// Of an open socket.
    pub(super) fn raw(&self) -> RawFd {
        self.fd.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    pub(super) fn has_room(&self) -> bool {
        self.inbox.iter().map(|chunk| chunk.len()).sum::<usize>() < INBOX_BYTES_MAX
    }

    /// Ends what is sent, once nothing waits.
    pub(super) fn finish_if_sent(&mut self) {
        if self.finishing
            && self.outbox.is_empty()
            && let Some(fd) = &self.fd
        {
            self.finishing = false;
            // Fails where the peer has gone, which is told otherwise.
            let _ = rustix::net::shutdown(fd, rustix::net::Shutdown::Write);
        }
    }
}

/// All of a thread.
#[derive(Default)]
pub(super) struct Sockets {
    places: Vec<Socket>,
    free: Vec<Index>,
}

impl Sockets {
    pub(super) fn add(&mut self, fd: OwnedFd, listens: bool) -> Index {
        let socket = Socket::new(fd, listens);
        if let Some(index) = self.free.pop() {
            self.places[index as usize] = socket;
            return index;
        }
        self.places.push(socket);
        self.places.len() as Index - 1
    }

    pub(super) fn get(&mut self, index: Index) -> &mut Socket {
        &mut self.places[index as usize]
    }

    /// Lets the place be used again.
    pub(super) fn release(&mut self, index: Index) {
        debug_assert!(self.get(index).fd.is_none() && self.get(index).under_way == 0, "still in use");
        debug_assert!(!self.free.contains(&index), "released twice");
        self.free.push(index);
    }

    /// Whether nothing is open or under way.
    pub(super) fn is_empty(&self) -> bool {
        self.free.len() == self.places.len()
    }
}
