//! What happens on a connection with layers in between: not every byte of it is anybody's news.

use super::{Net, layers};
use crate::io::{Completion, Conn, Happened};

/// What may wait to be sent on a connection beyond requests: answers to what a server asks of HTTP/2.
const MOST_UNREAD: usize = 64 * 1024 * 1024;

impl Net {
    /// What happened to a connection with layers, as news for whom it concerns.
    pub(super) fn look_within(&mut self, completion: Completion) {
        let Completion { conn, at_ns, what } = completion;
        let link = &mut self.links[conn as usize];
        let Some(layers) = &mut link.layers else { return };
        let mut tell = layers::Tell { conn, at_ns, news: &mut self.news, bytes: &mut self.bytes };
        let mut reply = Vec::new();
        layers.waits_to_be_sent(self.io.unsent(conn));
        let goes_on = match what {
            Happened::Sent => {
                layers.sent(&mut tell);
                true
            }
            Happened::Received { last } => {
                layers.receive(self.io.received_mut(), last, &mut reply, &mut tell)
            }
            Happened::Closed => layers.closed(&mut tell),
            Happened::Broken(errno) => layers.broken(errno, &mut tell),
        };
        let out = self.io.out(conn);
        out.extend_from_slice(&reply);
        let goes_on = goes_on && (out.len() <= MOST_UNREAD || layers.give_up_on_reader(&mut tell));
        if !reply.is_empty() {
            self.io.send(conn);
        }
        self.settle(conn, at_ns, goes_on);
    }

    /// Something happened at `at_ns` on a connection with layers, which may have more room than before, or less. `goes_on`: it
    /// is of use still.
    pub(super) fn settle(&mut self, conn: Conn, at_ns: u64, goes_on: bool) {
        let link = &mut self.links[conn as usize];
        let Some(layers) = link.layers.as_ref().filter(|_| link.shared) else { return };
        let pool = &mut self.endpoints[usize::from(link.endpoint)].pool;
        if goes_on && !layers.is_draining() {
            if layers.is_multiplexed() && layers.has_room(link.load) && pool.give_back(conn, true) {
                link.since_ns = at_ns;
            }
        } else if link.load == 0 {
            self.close(conn);
        } else {
            // Whoever has a request on it hears of its end; nobody else takes it.
            pool.retire(conn);
        }
    }
}
