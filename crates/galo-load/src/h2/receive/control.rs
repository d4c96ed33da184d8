//! The frames that carry no answers: RFC 9113, sections 6.4 to 6.9.

use super::super::error::{H2Error, ResetKind, StreamFault};
use super::super::frame::{self, Frame};
use super::super::sending::MOST_WINDOW;
use super::super::{H2, Sink};

/// Answers to PING and SETTINGS that may wait on a connection while the peer does not take what galo says.
const MOST_ACKS: u32 = 1_000;

impl H2 {
    pub(super) fn reset(
        &mut self,
        frame: Frame,
        payload: &[u8],
        sink: &mut impl Sink,
    ) -> Result<(), H2Error> {
        self.check_stream(frame)?;
        let &code = exact(payload)?;
        if let Some(stream) = self.close(frame.stream) {
            sink.failed(stream.exchange, ResetKind::Peer(u32::from_be_bytes(code)));
        }
        Ok(())
    }

    pub(super) fn settings(
        &mut self,
        frame: Frame,
        payload: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), H2Error> {
        if frame.stream != 0 {
            return Err(H2Error::BadStream);
        }
        if frame.has(frame::ACK) {
            if !payload.is_empty() {
                return Err(H2Error::FrameLength);
            }
            let was_awaited = std::mem::take(&mut self.incoming.awaits_ack);
            return if was_awaited { Ok(()) } else { Err(H2Error::UnaskedAck) };
        }
        let (entries, []) = payload.as_chunks::<6>() else { return Err(H2Error::FrameLength) };
        let first_window = self.sending.first_window;
        for &[n0, n1, v0, v1, v2, v3] in entries {
            self.setting(u16::from_be_bytes([n0, n1]), u32::from_be_bytes([v0, v1, v2, v3]))?;
        }
        if !self.incoming.is_begun {
            self.incoming.is_begun = true;
            if !entries
                .iter()
                .any(|&[n0, n1, ..]| u16::from_be_bytes([n0, n1]) == frame::MAX_CONCURRENT_STREAMS)
            {
                // RFC 9113, section 6.5.2: no limit.
                self.peer_max_streams = usize::MAX;
            }
        }
        self.acknowledge(out, frame::SETTINGS, &[])?;
        let change = self.sending.first_window - first_window;
        if change != 0 {
            for stream in self.streams.iter_mut() {
                stream.send_window += change;
                if stream.send_window > MOST_WINDOW {
                    return Err(H2Error::FlowControl);
                }
            }
            self.sending.go_on(&mut self.streams, out);
        }
        Ok(())
    }

    /// Takes one setting: RFC 9113, section 6.5.2.
    fn setting(&mut self, name: u16, value: u32) -> Result<(), H2Error> {
        match name {
            frame::HEADER_TABLE_SIZE => self.encoder.resize(value),
            frame::ENABLE_PUSH if value != 0 => return Err(H2Error::BadSettings),
            frame::MAX_CONCURRENT_STREAMS => self.peer_max_streams = value as usize,
            frame::INITIAL_WINDOW_SIZE if i64::from(value) > MOST_WINDOW => return Err(H2Error::FlowControl),
            frame::INITIAL_WINDOW_SIZE => self.sending.first_window = i64::from(value),
            frame::MAX_FRAME_SIZE if !(frame::MAX_PAYLOAD..1 << 24).contains(&value) => {
                return Err(H2Error::BadSettings);
            }
            frame::MAX_FRAME_SIZE => self.sending.max_payload = value,
            // Advice, or unknown.
            _ => {}
        }
        Ok(())
    }

    pub(super) fn ping(&mut self, frame: Frame, payload: &[u8], out: &mut Vec<u8>) -> Result<(), H2Error> {
        if frame.stream != 0 {
            return Err(H2Error::BadStream);
        }
        let data: &[u8; 8] = exact(payload)?;
        if frame.has(frame::ACK) {
            return Err(H2Error::UnaskedAck);
        }
        self.acknowledge(out, frame::PING, data)
    }

    /// So many bytes of what this connection has said wait to be sent: no more acknowledgements can be among them.
    pub(crate) fn waits_to_be_sent(&mut self, bytes: usize) {
        let most = u32::try_from(bytes / frame::HEADER_LEN).unwrap_or(u32::MAX);
        self.incoming.acks = self.incoming.acks.min(most);
    }

    fn acknowledge(&mut self, out: &mut Vec<u8>, kind: u8, payload: &[u8]) -> Result<(), H2Error> {
        self.incoming.acks += 1;
        if self.incoming.acks > MOST_ACKS {
            return Err(H2Error::Flood);
        }
        frame::write(out, kind, frame::ACK, 0, payload);
        Ok(())
    }

    pub(super) fn goaway(
        &mut self,
        frame: Frame,
        payload: &[u8],
        sink: &mut impl Sink,
    ) -> Result<(), H2Error> {
        if frame.stream != 0 {
            return Err(H2Error::BadStream);
        }
        // Behind the last stream and the code is what the peer has to add in words.
        let Some((&last, [_, _, _, _, ..])) = payload.split_first_chunk() else {
            return Err(H2Error::FrameLength);
        };
        self.is_draining = true;
        for id in self.streams.above(u32::from_be_bytes(last) & 0x7fff_ffff) {
            if let Some(stream) = self.close(id) {
                sink.failed(stream.exchange, ResetKind::GoneAway);
            }
        }
        Ok(())
    }

    pub(super) fn window_update(
        &mut self,
        frame: Frame,
        payload: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl Sink,
    ) -> Result<(), H2Error> {
        let &increment = exact(payload)?;
        let increment = u32::from_be_bytes(increment) & 0x7fff_ffff;
        if frame.stream == 0 {
            if increment == 0 || !self.sending.open(increment) {
                return Err(H2Error::BadWindowUpdate);
            }
        } else {
            self.check_stream(frame)?;
            let Some(stream) = self.streams.get_mut(frame.stream) else { return Ok(()) };
            stream.send_window += i64::from(increment);
            if increment == 0 || stream.send_window > MOST_WINDOW {
                self.fail(frame.stream, StreamFault::BadWindowUpdate, out, sink);
                return Ok(());
            }
        }
        self.sending.go_on(&mut self.streams, out);
        Ok(())
    }
}

/// The payload of a frame that has exactly this length.
fn exact<const LENGTH: usize>(payload: &[u8]) -> Result<&[u8; LENGTH], H2Error> {
    payload.try_into().map_err(|_| H2Error::FrameLength)
}
