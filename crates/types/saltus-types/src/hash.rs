//! RIHS01, the hash of an interface type (REP 2016). Two endpoints compare it to check that they have the
//! same type.

use std::{fmt, str::FromStr};

const PREFIX: &str = "RIHS01_";

/// The RIHS01 hash of an interface: SHA-256 over its canonical type description.
///
/// ```
/// use saltus::advanced::TypeHash;
/// let text = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18";
/// let hash: TypeHash = text.parse().unwrap();
/// assert_eq!(hash.to_string(), text);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeHash([u8; 32]);

/// The error for a text that is not a RIHS01 hash.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseTypeHashError {
    /// The text does not begin with `RIHS01_`, the only version that this crate supports.
    #[error("expected `RIHS01_` followed by 64 lower-case hex digits, found `{0}`")]
    Prefix(String),
    /// The text after the prefix is not 64 lower-case hex digits.
    #[error("expected 64 lower-case hex digits after `RIHS01_`, found `{0}`")]
    Digits(String),
}

impl TypeHash {
    /// The placeholder for an unknown hash: only the name of the type is known.
    pub const UNKNOWN: Self = Self([0; 32]);

    /// Creates a hash from the 32 bytes of its digest.
    pub const fn from_digest(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    /// Returns whether two endpoints with these hashes may have the same type: the hashes are equal, or one is unknown.
    ///
    /// ```
    /// # use saltus::advanced::TypeHash;
    /// let [one, other] = [1, 2].map(|byte| TypeHash::from_digest([byte; 32]));
    /// assert!(one.may_equal(one) && one.may_equal(TypeHash::UNKNOWN) && !one.may_equal(other));
    /// ```
    pub fn may_equal(self, other: Self) -> bool {
        self == other || [self, other].contains(&Self::UNKNOWN)
    }

    /// Returns the 32 bytes of the digest.
    pub const fn digest(&self) -> &[u8; 32] {
        &self.0
    }
}

impl FromStr for TypeHash {
    type Err = ParseTypeHashError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix(PREFIX).ok_or_else(|| ParseTypeHashError::Prefix(text.into()))?;
        let error = || ParseTypeHashError::Digits(digits.into());
        let mut digest = [0; 32];
        if digits.len() != 64 {
            return Err(error());
        }
        for (byte, pair) in digest.iter_mut().zip(digits.as_bytes().as_chunks::<2>().0) {
            *byte = hex(pair[0]).ok_or_else(error)? << 4 | hex(pair[1]).ok_or_else(error)?;
        }
        Ok(Self(digest))
    }
}

fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for TypeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for TypeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_an_invalid_hash_says_what_is_wrong() {
        assert_eq!("abc".parse::<TypeHash>(), Err(ParseTypeHashError::Prefix("abc".into())));
        assert_eq!("RIHS01_0g".parse::<TypeHash>(), Err(ParseTypeHashError::Digits("0g".into())));
        let upper = format!("RIHS01_{}", "A".repeat(64));
        assert!(matches!(upper.parse::<TypeHash>(), Err(ParseTypeHashError::Digits(_))));
        let wide = format!("RIHS01_{}", "é".repeat(32));
        assert!(matches!(wide.parse::<TypeHash>(), Err(ParseTypeHashError::Digits(_))));
    }
}
