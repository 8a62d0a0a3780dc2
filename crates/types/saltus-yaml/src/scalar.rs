//! The meaning of scalars without quotes.

pub(crate) fn is_null(word: &str) -> bool {
    matches!(word, "" | "~" | "null" | "Null" | "NULL")
}

/// Reads a bool of YAML 1.1, in one of the three spellings that PyYAML accepts.
pub(crate) fn bool(word: &str) -> Option<bool> {
    let spelled = |pair: [&str; 2]| {
        pair.iter().position(|lower| {
            let title = lower[..1].to_ascii_uppercase() + &lower[1..];
            word == *lower || word == title || word == lower.to_ascii_uppercase()
        })
    };
    [["false", "true"], ["no", "yes"], ["off", "on"]].into_iter().find_map(spelled).map(|index| index == 1)
}

/// Reads an integer with an optional sign. It may contain underscores. As in YAML 1.1, a leading `0` makes it octal.
pub(crate) fn integer(word: &str) -> Option<i128> {
    let (sign, digits) = match word.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, word.strip_prefix('+').unwrap_or(word)),
    };
    let (radix, digits) = [("0x", 16), ("0o", 8), ("0b", 2)]
        .iter()
        .find_map(|(prefix, radix)| Some((*radix, digits.strip_prefix(prefix)?)))
        .unwrap_or_else(|| match digits.strip_prefix('0') {
            Some(octal) if !octal.is_empty() => (8, octal),
            _ => (10, digits),
        });
    let has_digit = digits.starts_with(|c: char| c.is_digit(radix));
    let magnitude = i128::from_str_radix(&digits.replace('_', ""), radix).ok().filter(|_| has_digit)?;
    magnitude.checked_mul(sign)
}

/// Reads a floating-point number: it has a point or an exponent, or is an infinity or NaN.
pub(crate) fn float(word: &str) -> Option<f64> {
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    let sign = if word.starts_with('-') { -1.0 } else { 1.0 };
    match unsigned {
        ".inf" | ".Inf" | ".INF" => return Some(sign * f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Some(f64::NAN),
        _ => {}
    }
    let has_form = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.contains(['.', 'e', 'E'])
        && unsigned.bytes().all(|b| b.is_ascii_digit() || b".eE+-_".contains(&b));
    unsigned.replace('_', "").parse::<f64>().ok().filter(|_| has_form).map(|value| sign * value)
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_mean_the_same_as_in_pyyaml() {
        for (word, want) in
            [("true", Some(true)), ("Yes", Some(true)), ("OFF", Some(false)), ("oN", None), ("y", None)]
        {
            assert_eq!(super::bool(word), want, "{word}");
        }
        for (word, want) in [
            ("1", Some(1)),
            ("-0x1F", Some(-31)),
            ("0o17", Some(15)),
            ("0b101", Some(5)),
            ("1_000", Some(1000)),
            ("18446744073709551615", Some(u64::MAX.into())),
            ("1.0", None),
            ("", None),
            ("-", None),
            ("0x", None),
            ("--1", None),
        ] {
            assert_eq!(super::integer(word), want, "{word}");
        }
        for (word, want) in [
            ("1.0", Some(1.0)),
            ("-1e3", Some(-1000.0)),
            (".5", Some(0.5)),
            ("-.inf", Some(f64::NEG_INFINITY)),
            ("1", None),
            ("inf", None),
            ("e5", None),
            (".", None),
        ] {
            assert_eq!(super::float(word), want, "{word}");
        }
        assert!(super::float(".nan").is_some_and(f64::is_nan));
    }
}
