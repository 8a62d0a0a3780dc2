//! The names that packages can have.

use saltus_verb::error::Error;

use super::templates::Language;

/// The words of Rust that are no names, and names that the templates use.
const RUST: &str = "\
    as async await break const continue core crate do dyn else enum extern false fn for gen if impl in \
    let loop match mod move mut pub ref return saltus self static std struct super test trait true try \
    type unsafe use where while yield";
/// The words of Python that are no names, and names that the templates use.
const PYTHON: &str = "\
    and as assert async await break class continue def del elif else except finally for from global if \
    import in is lambda nonlocal not numpy or pass raise return saltus test tests try while with yield";
/// The words of C++ that are no names, macros of compilers, and names that the templates use.
const CPP: &str = "\
    alignas alignof ament_cmake and and_eq asm auto bitand bitor bool break case catch char class \
    co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue \
    decltype default delete do double dynamic_cast else enum example_interfaces explicit export extern \
    false float for friend goto if inline int linux long main mutable namespace new noexcept not not_eq \
    nullptr operator or or_eq private protected public rclcpp rclcpp_action rclcpp_components register \
    reinterpret_cast requires return saltus short signed sizeof static static_assert static_cast std \
    std_msgs struct switch template test this thread_local throw true try typedef typeid typename union \
    unix unsigned using virtual void volatile wchar_t while xor xor_eq";
/// Packages that a package in C needs. Its sources have no identifier with its name.
const C: &str = "ament_cmake saltus test";

/// Checks the rules of ROS 2's package names (REP 144), and that the language does not reserve the name.
pub(super) fn check_name(name: &str, lang: Language) -> Result<(), Error> {
    let letters = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let shaped = letters
        && name.len() >= 2
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && !name.contains("__")
        && !name.ends_with('_');
    if !shaped {
        return Err(format!(
            "expected a package name of lowercase letters, digits and single `_` that begins with a letter, found `{name}`"
        )
        .into());
    }
    let reserved = match lang {
        Language::Rust => RUST,
        Language::Python => PYTHON,
        Language::Cpp => CPP,
        Language::C => C,
    };
    match reserved.split(' ').any(|word| word == name) {
        true => {
            Err(format!("`{name}` can't be the name of a package: the language or Saltus uses this name")
                .into())
        }
        false => Ok(()),
    }
}
