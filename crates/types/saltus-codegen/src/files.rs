//! Names of files, and the definitions that types belong to.

use saltus_idl::TypeName;

/// Returns a name in `snake_case`, as ROS 2 names files: `UInt8MultiArray` becomes `u_int8_multi_array`.
pub(crate) fn snake_case(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut text = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| letters.get(before));
        let begins_word = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                let after_is_lower = letters.get(at + 1).is_some_and(char::is_ascii_lowercase);
                before.is_ascii_lowercase() || before.is_ascii_digit() || after_is_lower
            });
        if begins_word {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// Returns the definition that a type belongs to: for `AddTwoInts_Request`, `AddTwoInts`.
pub(crate) fn definition_of(name: &TypeName) -> TypeName {
    let own = name.name.split('_').next().unwrap_or(&name.name);
    TypeName::new(&name.package, &name.kind, own)
}

#[cfg(test)]
mod tests {
    use super::snake_case;

    #[test]
    fn files_have_the_names_that_ros_2_gives_them() {
        for (name, file) in [
            ("String", "string"),
            ("AddTwoInts", "add_two_ints"),
            ("UInt8MultiArray", "u_int8_multi_array"),
            ("ColorRGBA", "color_rgba"),
            ("UUID", "uuid"),
            ("PointCloud2", "point_cloud2"),
        ] {
            assert_eq!(snake_case(name), file);
        }
    }
}
