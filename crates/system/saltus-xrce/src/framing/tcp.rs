//! Messages in a TCP connection: each has its length before it, in two bytes, little-endian.

const LENGTH: usize = 2;

/// Appends a message with its length to `out`.
///
/// # Panics
/// Panics if the message has more than 65535 bytes.
pub fn write_tcp_message(message: &[u8], out: &mut Vec<u8>) {
    assert!(message.len() <= usize::from(u16::MAX), "the length can't hold {} bytes", message.len());
    out.extend_from_slice(&(message.len() as u16).to_le_bytes());
    out.extend_from_slice(message);
}

/// Finds the messages in the bytes that arrive in a TCP connection.
///
/// **Invariant:** it holds less than one message and its length, besides the bytes that were given to it last.
#[derive(Clone, Debug, Default)]
pub struct TcpDecoder {
    bytes: Vec<u8>,
    /// The number of bytes that belong to messages that were returned.
    used: usize,
}

impl TcpDecoder {
    /// Adds bytes that have arrived. Call [`TcpDecoder::next_message`] afterwards until it returns `None`.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.drain(..std::mem::take(&mut self.used));
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns whether the last bytes are a part of a message.
    pub fn is_partial(&self) -> bool {
        let mut rest = &self.bytes[self.used..];
        while let Some((length, after)) = rest.split_first_chunk::<LENGTH>() {
            match after.get(usize::from(u16::from_le_bytes(*length))..) {
                Some(next) => rest = next,
                None => return true,
            }
        }
        !rest.is_empty()
    }

    /// Returns the next complete message. Empty messages are skipped.
    pub fn next_message(&mut self) -> Option<&[u8]> {
        loop {
            let rest = &self.bytes[self.used..];
            let (length, after) = rest.split_first_chunk::<LENGTH>()?;
            let len = usize::from(u16::from_le_bytes(*length));
            if after.len() < len {
                return None;
            }
            let begin = self.used + LENGTH;
            self.used = begin + len;
            if len > 0 {
                return Some(&self.bytes[begin..begin + len]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn messages_pass_however_the_bytes_are_cut(
            messages in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..8),
            cut in 1..50_usize,
        ) {
            let mut bytes = Vec::new();
            messages.iter().for_each(|message| write_tcp_message(message, &mut bytes));
            let mut decoder = TcpDecoder::default();
            let mut received = Vec::new();
            for part in bytes.chunks(cut) {
                decoder.push(part);
                while let Some(message) = decoder.next_message() {
                    received.push(message.to_vec());
                }
            }
            let expected: Vec<Vec<u8>> = messages.into_iter().filter(|message| !message.is_empty()).collect();
            prop_assert_eq!(received, expected);
            prop_assert!(!decoder.is_partial());
        }
    }

    #[test]
    fn a_length_without_its_message_is_a_part() {
        let mut decoder = TcpDecoder::default();
        for (bytes, is_partial) in
            [(&[1][..], true), (&[0], true), (&[7], false), (&[0, 0, 2, 0, 7], true), (&[7], false)]
        {
            decoder.push(bytes);
            assert_eq!(decoder.is_partial(), is_partial, "{bytes:?}");
        }
    }
}
