//! The checksum of serial frames.

/// The polynomial of CRC-16/ARC (0x8005), with its bits reversed.
const POLYNOMIAL: u16 = 0xA001;

/// The checksum of each byte alone.
const TABLE: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u16;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 != 0 { (value >> 1) ^ POLYNOMIAL } else { value >> 1 };
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
};

/// Returns the checksum of the bytes that had the checksum `crc`, and one more byte.
pub(super) fn add(crc: u16, byte: u8) -> u16 {
    (crc >> 8) ^ TABLE[usize::from(crc as u8 ^ byte)]
}

/// Returns the checksum of bytes: CRC-16/ARC.
pub(super) fn of(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| add(crc, *byte))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_checksum_has_the_check_value_of_crc_16_arc() {
        assert_eq!(super::of(b"123456789"), 0xBB3D);
    }
}
