//! Substitutions, with the examples of the tests of ROS 2's grammar.

use super::{logs, yaml};
use crate::text::{Call, Part, Text};

fn call(name: &str, arguments: &[Text]) -> Text {
    Part::Call(Call { name: name.into(), arguments: arguments.to_vec() }).into()
}

fn joined(parts: &[Text]) -> Text {
    let mut text = Text::default();
    parts.iter().for_each(|part| text.push(part.clone()));
    text
}

#[test]
fn the_grammar_is_that_of_ros_2() {
    let plain = |text: &str| Text::plain(text);
    let test = |word: &str| call("test", &[plain(word)]);
    for (text, want) in [
        ("", joined(&[])),
        ("'yes'", plain("'yes'")),
        ("10e4", plain("10e4")),
        ("$0 $1", plain("$0 $1")),
        (r"\$(a)", plain("$(a)")),
        (r"C:\\robot", plain(r"C:\robot")),
        (r"\\$(var x)", plain(r"\$(var x)")),
        (r#"$(env a "\\$(b)")"#, call("env", &[plain("a"), plain(r"\$(b)")])),
        (
            "why_$(test asd)_asdasd_$(test bsd)",
            joined(&[plain("why_"), test("asd"), plain("_asdasd_"), test("bsd")]),
        ),
        ("$(test '$0 $1')", test("$0 $1")),
        ("$(env what heck)", call("env", &[plain("what"), plain("heck")])),
        (
            r"$(env what/\$\(test asd\\\)) 10 10)",
            joined(&[call("env", &[plain("what/$(test"), plain(r"asd\)")]), plain(" 10 10)")]),
        ),
        (
            "$(env what/$(test asd) 10) 10 10)",
            joined(&[call("env", &[joined(&[plain("what/"), test("asd")]), plain("10")]), plain(" 10 10)")]),
        ),
        (
            r#"$(env "asd_bsd_qsd_$(test 'asd_bds')" '$(env DEFAULT)_qsd')"#,
            call(
                "env",
                &[
                    joined(&[plain("asd_bsd_qsd_"), test("'asd_bds'")]),
                    joined(&[call("env", &[plain("DEFAULT")]), plain("_qsd")]),
                ],
            ),
        ),
        (
            r#"$(env "asd_bsd_qsd_$(test \"asd_bds\")" "$(env DEFAULT)_qsd")"#,
            call(
                "env",
                &[
                    joined(&[plain("asd_bsd_qsd_"), test("\"asd_bds\"")]),
                    joined(&[call("env", &[plain("DEFAULT")]), plain("_qsd")]),
                ],
            ),
        ),
        ("$(env asd '')", call("env", &[plain("asd"), joined(&[])])),
        ("$(dirname)/a", joined(&[call("dirname", &[]), plain("/a")])),
    ] {
        assert_eq!(Text::parse(text).unwrap(), want, "{text}");
    }
}

#[test]
fn a_text_is_printed_as_it_is_written() {
    for text in
        ["", "a $(var b) c", "$(env 'a b' '')", "$(find-pkg-share demo)/$(var a)", "$(if $(var a) b c)"]
    {
        assert_eq!(Text::parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn a_substitution_that_is_not_complete_is_an_error() {
    for (text, want) in [
        ("$(", "expected the name of a substitution, as in `$(var robot)`; write `\\$(` for a shell"),
        ("$(1)", "expected the name of a substitution, as in `$(var robot)`; write `\\$(` for a shell"),
        ("$(var", "`)` of `$(var` is missing"),
        ("$(var a", "`)` of `$(var` is missing"),
        ("$(var 'a", "the closing quote is missing"),
        ("$(var a(b))", "`(` must be quoted, or be written as `\\(`"),
        ("$(var a'b')", "`'` must be written as `\\'`"),
        ("$(var,a)", "expected a space or `)`"),
    ] {
        assert_eq!(Text::parse(text).unwrap_err().message, want, "{text}");
    }
    let nested = format!("{}{}", "$(var ".repeat(200), ")".repeat(200));
    assert_eq!(Text::parse(&nested).unwrap_err().message, "too many substitutions are nested");
}

#[test]
fn the_invariant_of_texts_holds_for_all_ways_to_make_them() {
    let mut text = Text::plain("");
    assert!(text.parts().is_empty());
    text.push_literal("a");
    text.push(Text::plain("b"));
    text.push_literal("");
    assert_eq!(text.parts(), [Part::Literal("ab".into())]);
    text.push(Part::Call(Call { name: "dirname".into(), arguments: vec![] }).into());
    assert_eq!(text.to_string(), "ab$(dirname)");
}

/// Evaluates a text in a file with the variables `a` (`7`) and `flag` (`true`).
fn value(text: &str) -> Result<String, String> {
    let quoted = text.replace('\'', "''");
    let plan = yaml(&format!(
        "- let: {{name: a, value: 7}}\n- let: {{name: flag, value: 'true'}}\n\
         - set_parameter: {{name: speed, value: '2.5'}}\n- set_parameter: {{name: speed, value: '3.0'}}\n\
         - log: {{message: '{quoted}'}}"
    ));
    plan.map(|plan| logs(&plan).remove(0)).map_err(|error| error.message().to_owned())
}

#[test]
fn the_results_of_substitutions() {
    for (text, want) in [
        ("$(var a)", "7"),
        ("$(var b none)", "none"),
        ("$(var $(var c a))", "7"),
        ("$(env HOME)", "/home/robot"),
        ("$(env ROBOT $(var a))", "7"),
        ("$(eval '1 + $(var a)')", "<1 + 7 with math>"),
        ("$(eval 'sys.path' 'os, sys ')", "<sys.path with os+sys>"),
        ("$(eval '1' '')", "<1 with >"),
        ("$(command 'echo \"a b\" c')", "echo|a b|c"),
        ("$(command 'loud a b' ignore)", "a|b"),
        ("$(command 'loud a b' warn)", "a|b"),
        ("$(command 'loud a b' capture)", "a|ba warning\n"),
        ("$(find-exec xacro)", "/usr/bin/xacro"),
        ("$(anon node)", "node_host_1_2"),
        ("$(dirname)", "/"),
        ("$(filename)", "/robot.launch.yaml"),
        ("$(log_dir)", "/log"),
        ("$(launch_log_dir)", "/log"),
        ("$(path-join /a b $(dirname) c)", "/c"),
        ("$(not-equals $(file-content /robot.launch.yaml) a)", "true"),
        ("$(not $(var flag))", "false"),
        ("$(and $(var flag) 1)", "true"),
        ("$(or false 0)", "false"),
        ("$(any false yes)", "true"),
        ("$(all)", "true"),
        ("$(equals 10 10.0)", "true"),
        ("$(equals true 1)", "true"),
        ("$(equals true 10)", "false"),
        ("$(equals nan nan)", "false"),
        ("$(equals inf inf)", "true"),
        ("$(equals a a)", "true"),
        ("$(not-equals a b)", "true"),
        ("$(if $(var flag) $(var a) $(var missing))", "7"),
        ("$(if false a)", ""),
        ("$(find-pkg-prefix demo)", "/opt"),
        ("$(find-pkg-share demo)/config", "/opt/share/demo/config"),
        ("$(exec-in-pkg talker demo)", "/opt/lib/demo/talker"),
        ("$(param speed)", "3.0"),
        ("$(param none 4)", "4"),
        // ROS 2 takes exactly one space between arguments.
        ("$(env  ROBOT   none )", "none"),
    ] {
        assert_eq!(value(text).as_deref(), Ok(want), "{text}");
    }
}

#[test]
fn a_substitution_without_a_result_is_an_error() {
    for (text, want) in [
        ("$(var b)", "there is no variable `b`; declare it with `arg` or set it with `let`"),
        ("$(var)", "takes 1 or 2 arguments, found 0"),
        ("$(env ROBOT)", "the environment variable `ROBOT` is not set"),
        ("$(dirname a)", "takes no arguments, found 1"),
        ("$(not a b)", "takes 1 argument, found 2"),
        ("$(not maybe)", "expected a bool, found `maybe`"),
        ("$(shout a)", "there is no such substitution"),
        ("$(command 'loud a')", "the command has written errors: a warning"),
        ("$(command missing)", "there is no program `missing`"),
        ("$(command a maybe)", "expected fail, ignore, warn or capture, found `maybe`"),
        ("$(find-exec none)", "there is no program `none` in the folders of PATH"),
        ("$(exec-in-pkg walker demo)", "the package `demo` has no program `walker` in /opt/lib/demo"),
        ("$(param none)", "no parameter `none` was set with `set_parameter`"),
        ("$(file-content /none)", "can't read /none: entity not found"),
    ] {
        let error = value(text).unwrap_err();
        assert_eq!(error, format!("`{}`: {want}", Text::parse(text).unwrap()), "{text}");
    }
}
