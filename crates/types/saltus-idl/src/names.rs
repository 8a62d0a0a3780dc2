//! The rules for the names of packages, fields, messages and constants.

/// Whether a name consists of lower-case letters and digits, with single underscores between words. This is the rule
/// for packages and fields.
pub(crate) fn is_snake_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        && !name.contains("__")
        && !name.ends_with('_')
}

/// Whether a name consists of letters and digits, and begins with a capital. This is the rule for messages, services
/// and actions.
pub(crate) fn is_camel_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Whether a name consists of capitals and digits, with single underscores between words, and begins with a capital.
/// This is the rule for constants.
pub(crate) fn is_upper_case(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        && !name.contains("__")
        && !name.ends_with('_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules_of_rosidl() {
        for (name, snake, camel, upper) in [
            ("frame_id", true, false, false),
            ("a__b", false, false, false),
            ("a_", false, false, false),
            ("_a", false, false, false),
            ("9a", false, false, false),
            ("Point32", false, true, false),
            ("Point_32", false, false, false),
            ("A", false, true, true),
            ("A_B9", false, false, true),
            ("A__B", false, false, false),
            ("A_", false, false, false),
            ("", false, false, false),
        ] {
            assert_eq!(
                (is_snake_case(name), is_camel_case(name), is_upper_case(name)),
                (snake, camel, upper),
                "{name}"
            );
        }
    }
}
