//! Serial frames: captured ones, damaged ones, and any bytes.

use proptest::prelude::*;

use super::*;

/// Returns the messages of all frames for the receiver 0.
fn decode(decoder: &mut SerialDecoder, bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes.iter().filter_map(|byte| decoder.push(*byte).map(|frame| frame.message.to_vec())).collect()
}

#[test]
fn a_frame_has_the_bytes_that_were_captured() {
    let message = hex("80000000000110005852434501 00010f7e7dee018100fc01");
    let mut frame = Vec::new();
    write_serial_frame(5, 0, &message, &mut frame);
    let expected = hex("7e050018008000000000011000585243450100010f7d5e7d5dee018100fc01437d5d");
    assert_eq!(frame, expected);
    assert_eq!(decode(&mut SerialDecoder::new(0, 512), &expected), [message]);
}

#[test]
fn a_frame_for_another_address_is_skipped_and_not_damaged() {
    let mut frame = Vec::new();
    write_serial_frame(5, 3, b"text", &mut frame);
    let mut decoder = SerialDecoder::new(0, 512);
    assert!(decode(&mut decoder, &frame).is_empty());
    assert_eq!(decoder.damaged(), 0);
}

#[test]
fn a_frame_that_is_cut_short_is_counted_and_the_next_one_is_received() {
    let mut frame = Vec::new();
    write_serial_frame(5, 0, b"text", &mut frame);
    let mut bytes = frame[..6].to_vec();
    bytes.extend_from_slice(&frame);
    let mut decoder = SerialDecoder::new(0, 512);
    assert_eq!(decode(&mut decoder, &bytes), [b"text"]);
    assert_eq!(decoder.damaged(), 1);
}

#[test]
fn a_message_that_is_too_long_is_counted_when_its_length_is_known() {
    let mut frame = Vec::new();
    write_serial_frame(5, 0, &[0; 513], &mut frame);
    let mut decoder = SerialDecoder::new(0, 512);
    assert!(decode(&mut decoder, &frame[..6]).is_empty());
    assert_eq!(decoder.damaged(), 1);
    assert!(decode(&mut decoder, &frame[6..]).is_empty());
}

proptest! {
    #[test]
    fn all_messages_pass_between_any_other_bytes(
        messages in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..64), 0..8),
        noise in proptest::collection::vec(any::<u8>(), 0..16),
    ) {
        let mut bytes = noise;
        for message in &messages {
            write_serial_frame(1, 0, message, &mut bytes);
        }
        let received = decode(&mut SerialDecoder::new(0, 64), &bytes);
        // The noise may happen to be a frame, too.
        prop_assert!(received.ends_with(&messages));
    }

    #[test]
    fn no_bytes_cause_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        decode(&mut SerialDecoder::new(0, 64), &bytes);
    }

    #[test]
    fn a_changed_byte_of_the_message_is_detected(
        message in proptest::collection::vec(any::<u8>(), 1..64),
        index in any::<prop::sample::Index>(),
        change in 1..=u8::MAX,
    ) {
        let mut frame = vec![1, 0];
        frame.extend_from_slice(&(message.len() as u16).to_le_bytes());
        frame.extend_from_slice(&message);
        frame.extend_from_slice(&crc::of(&message).to_le_bytes());
        frame[HEADER + index.index(message.len())] ^= change;
        let mut bytes = vec![BEGIN];
        for byte in frame {
            if byte == BEGIN || byte == ESCAPE {
                bytes.extend_from_slice(&[ESCAPE, byte ^ INVERTED]);
            } else {
                bytes.push(byte);
            }
        }
        let mut decoder = SerialDecoder::new(0, 64);
        prop_assert!(decode(&mut decoder, &bytes).is_empty());
        prop_assert_eq!(decoder.damaged(), 1);
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    (0..digits.len())
        .step_by(2)
        .map(|index| u8::from_str_radix(&digits[index..index + 2], 16).unwrap())
        .collect()
}
