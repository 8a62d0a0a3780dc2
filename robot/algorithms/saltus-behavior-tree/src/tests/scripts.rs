//! Scripts: their values, and their errors.

use super::*;

/// Returns the value of a script.
pub(super) fn script(code: &str) -> Result<String, String> {
    let mut factory = factory();
    factory.name_number("RED", 2);
    let escaped = code.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    factory
        .load(&document(&format!("<Script code=\"out := ({escaped})\"/>")))
        .map_err(|error| error.to_string())?;
    let mut tree = factory.create_main().map_err(|error| error.to_string())?;
    tree.tick(&mut Leaves::default(), Duration::ZERO).map_err(|error| error.to_string())?;
    Ok(tree.boards().get(0, "out").unwrap().to_text().unwrap())
}

#[test]
fn scripts_have_values() {
    let cases = [
        ("1 + 2 * 3 - 4 / 2", "5.000000"),
        ("10 - 4 - 3", "3.000000"),
        ("-2 * -3", "6.000000"),
        ("7 & 3 | 8", "11.000000"),
        ("6 ^ 3", "5.000000"),
        ("~0", "-1.000000"),
        ("!(1 > 2)", "1.000000"),
        ("1 < 2 && 2 < 1", "0.000000"),
        ("1 < 2 || 2 < 1", "1.000000"),
        ("1 < 2 < 3", "1.000000"),
        ("3 > 2 > 2", "0.000000"),
        ("'a' + 'b'", "ab"),
        ("'n' .. 3", "n3"),
        ("'b' > 'a'", "1.000000"),
        ("RED == 2", "1.000000"),
        ("'RED' == 2", "1.000000"),
        ("'3' == 3", "1.000000"),
        ("true ? 'yes' : 'no'", "yes"),
        ("0.5e1 == 5", "1.000000"),
        ("0x10", "16"),
        ("'it'", "it"),
    ];
    for (code, value) in cases {
        assert_eq!(script(code).as_deref(), Ok(value), "{code}");
    }
}

#[test]
fn scripts_that_are_wrong_say_why() {
    let ends = [
        ("1 +", "Expected operand at position 11 (got ')')"),
        ("(1", "Parse error at position 11: expected ')' (got 'end of the script')"),
        ("3foo", "Invalid token '3foo' at position 8"),
        ("65.", "Invalid token '65.' at position 8"),
        ("nothing", "Variable not found: nothing"),
        ("'a' - 1", "Operation not permitted"),
        ("1.5 & 1", "Binary operators are not allowed if one of the operands is not an integer"),
        ("'x' && 1", "Logic operators are not allowed if one of the operands is not castable to bool"),
        ("'x' == 1", "Can't mix different types in Comparison. Left operand [x] right operand [1]"),
        ("-'x'", "Invalid operator for std::string"),
        ("x = 1", "use the operator [:=] instead of [=]"),
        ("1 = 2", "Assignment left operand not a blackboard entry at position 10"),
    ];
    for (code, end) in ends {
        let error = script(code).unwrap_err();
        assert!(error.ends_with(end), "{code}: {error}");
    }
    let deep = "(".repeat(500);
    assert!(script(&deep).unwrap_err().contains("nested"));
    assert!(script(&"-".repeat(500)).unwrap_err().contains("nested"));
    // A chain of operators is as deep as it is long.
    assert!(script(&"1+".repeat(400)).unwrap_err().contains("Expected operand"));
    assert!(script(&"1+".repeat(600)).unwrap_err().contains("1000 words"));
    assert!(script(&"1+".repeat(6000)).unwrap_err().contains("10000 bytes"));
    let sum = format!("{}1", "1+".repeat(400));
    assert_eq!(script(&sum).as_deref(), Ok("401.000000"));
}

#[test]
fn an_entry_keeps_its_kind() {
    let error = |code: &str| {
        let mut tree = tree(&format!("<Script code=\"{code}\"/>"));
        tree.tick(&mut Leaves::default(), Duration::ZERO).unwrap_err().to_string()
    };
    let text = error("x := 1; x = 'word'");
    let wanted = "Error assigning a value to entry [x] with type [int64_t]. \nThe right operand is a string, can't convert to int64_t";
    assert!(text.ends_with(wanted), "{text}");
    assert!(error("x := 1; x = 1.5").ends_with("has type [double] and can't be converted to int64_t"));
    assert!(
        error("x := 'word'; x = 1").ends_with("has type [int64_t] and can't be converted to std::string")
    );
}
