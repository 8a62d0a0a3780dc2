//! Tests of the rules for declaring and setting parameters.

use ParameterValue::{Bool, Double, Integer, NotSet, String as Text};

use super::*;
use crate::IntegerRange;

fn declare(store: &mut ParameterStore, name: &str, declaration: Declaration) -> Result<(), ParameterError> {
    let (value, descriptor) = store.check_declaration(name, declaration)?;
    store.declare(value, descriptor);
    Ok(())
}

fn of(default: ParameterValue) -> Declaration {
    Declaration { default, ..Declaration::default() }
}

fn described(default: ParameterValue, describe: impl FnOnce(&mut ParameterDescriptor)) -> Declaration {
    let mut declaration = of(default);
    describe(&mut declaration.descriptor);
    declaration
}

/// Creates a store with one parameter `p`.
fn with(declaration: Declaration) -> ParameterStore {
    let mut store = ParameterStore::default();
    declare(&mut store, "p", declaration).unwrap();
    store
}

fn check(store: &ParameterStore, value: ParameterValue) -> Result<(), ParameterError> {
    store.check_set(&Parameter::new("p", value))
}

#[test]
fn a_value_of_the_user_overrides_the_default_unless_overrides_are_ignored() {
    let mut store = ParameterStore::new([("p".into(), Integer(5)), ("q".into(), Integer(6))], false);
    declare(&mut store, "p", of(Integer(1))).unwrap();
    declare(&mut store, "q", Declaration { ignore_override: true, ..of(Integer(2)) }).unwrap();
    assert_eq!((store.get("p"), store.get("q")), (Ok(Integer(5)), Ok(Integer(2))));
}

#[test]
fn a_parameter_is_declared_once_and_with_a_valid_name() {
    let mut store = with(of(Integer(1)));
    assert_eq!(declare(&mut store, "p", of(Integer(1))), Err(ParameterError::AlreadyDeclared("p".into())));
    assert!(matches!(declare(&mut store, "", of(Integer(1))), Err(ParameterError::Name(_))));
}

#[test]
fn the_declaration_defines_the_type_and_an_integer_is_not_a_double() {
    let store = with(of(Double(1.0)));
    let error = check(&store, Integer(2)).unwrap_err();
    let (expected, found) = (ParameterType::Double, ParameterType::Integer);
    assert_eq!(error, ParameterError::Type { name: "p".into(), expected, found });
    let mut store = ParameterStore::new([("p".into(), Integer(5))], false);
    assert!(matches!(declare(&mut store, "p", of(Double(1.0))), Err(ParameterError::Type { .. })));
}

#[test]
fn a_parameter_of_dynamic_type_may_change_its_type_and_be_undeclared() {
    let mut store = with(described(Integer(1), |d| d.dynamic_typing = true));
    check(&store, Text("x".into())).unwrap();
    store.set(&[Parameter::new("p", Text("x".into()))]);
    assert_eq!(store.describe("p").unwrap().ty, ParameterType::String);
    check(&store, NotSet).unwrap();
    let changes = store.set(&[Parameter::new("p", NotSet)]);
    assert_eq!(changes.deleted, [Parameter::new("p", Text("x".into()))]);
    assert!(!store.contains("p"));
}

#[test]
fn a_parameter_of_fixed_type_can_not_be_undeclared_by_setting_it_to_no_value() {
    let mut store = with(of(Integer(1)));
    assert_eq!(check(&store, NotSet), Err(ParameterError::StaticUndeclare("p".into())));
    assert_eq!(store.undeclare("p").unwrap().deleted, [Parameter::new("p", Integer(1))]);
    assert_eq!(store.undeclare("p"), Err(ParameterError::NotDeclared("p".into())));
}

#[test]
fn a_parameter_without_a_value_is_not_initialized_until_it_is_set() {
    let mut store = with(described(NotSet, |d| d.ty = ParameterType::Bool));
    assert_eq!(store.get("p"), Err(ParameterError::NotInitialized("p".into())));
    assert!(check(&store, Integer(1)).is_err());
    check(&store, Bool(true)).unwrap();
    store.set(&[Parameter::new("p", Bool(true))]);
    assert_eq!(store.get("p"), Ok(Bool(true)));
    assert!(matches!(declare(&mut store, "q", of(NotSet)), Err(ParameterError::Descriptor { .. })));
}

#[test]
fn a_read_only_parameter_gets_its_value_only_from_the_declaration_or_the_user() {
    let mut store = ParameterStore::new([("p".into(), Integer(5))], false);
    declare(&mut store, "p", described(Integer(1), |d| d.read_only = true)).unwrap();
    assert_eq!(store.get("p"), Ok(Integer(5)));
    assert_eq!(check(&store, Integer(6)), Err(ParameterError::ReadOnly("p".into())));
    assert_eq!(store.undeclare("p"), Err(ParameterError::ReadOnly("p".into())));
}

#[test]
fn a_range_holds_for_the_declaration_and_every_set() {
    let range = Some(IntegerRange { from_value: 0, to_value: 10, step: 5 });
    let store = with(described(Integer(5), |d| d.integer_range = range));
    check(&store, Integer(10)).unwrap();
    assert!(matches!(check(&store, Integer(6)), Err(ParameterError::Range { .. })));
    let mut store = ParameterStore::default();
    let wrong = described(Integer(11), |d| d.integer_range = range);
    assert!(matches!(declare(&mut store, "p", wrong), Err(ParameterError::Range { .. })));
    let odd = described(Text("x".into()), |d| d.integer_range = range);
    assert!(matches!(declare(&mut store, "p", odd), Err(ParameterError::Descriptor { .. })));
}

#[test]
fn setting_an_undeclared_parameter_is_an_error_or_declares_it() {
    let strict = ParameterStore::default();
    assert_eq!(check(&strict, Integer(1)), Err(ParameterError::NotDeclared("p".into())));
    assert_eq!(strict.get("p"), Err(ParameterError::NotDeclared("p".into())));
    let mut lax = ParameterStore::new([], true);
    assert_eq!(lax.get("p"), Ok(NotSet));
    check(&lax, Integer(1)).unwrap();
    let changes = lax.set(&[Parameter::new("p", Integer(1))]);
    assert_eq!(changes.new, [Parameter::new("p", Integer(1))]);
    assert!(lax.describe("p").unwrap().dynamic_typing);
}

#[test]
fn a_name_is_in_only_one_list_of_changes_with_its_last_value() {
    let mut store = with(of(Integer(1)));
    let changes = store.set(&[Parameter::new("p", Integer(2)), Parameter::new("p", Integer(3))]);
    assert_eq!(changes, Changes { changed: vec![Parameter::new("p", Integer(3))], ..Changes::default() });
}

#[test]
fn lists_are_limited_by_prefixes_and_depth() {
    let mut store = ParameterStore::default();
    for name in ["a", "ab.c", "b", "b.c", "b.d.e", "b.d.f.g"] {
        declare(&mut store, name, of(Bool(true))).unwrap();
    }
    let names = |prefixes: &[&str], depth| {
        let prefixes: Vec<String> = prefixes.iter().map(|&prefix| prefix.into()).collect();
        store.list(&prefixes, depth).names
    };
    assert_eq!(names(&[], 0).len(), 6);
    assert_eq!(names(&[], 1), ["a", "b"]);
    assert_eq!(names(&[], 2), ["a", "ab.c", "b", "b.c"]);
    assert_eq!(names(&["b"], 0), ["b", "b.c", "b.d.e", "b.d.f.g"]);
    assert_eq!(names(&["b"], 1), ["b", "b.c"]);
    assert_eq!(names(&["b.d"], 1), ["b.d.e"]);
    assert_eq!(names(&["a", "b.c"], 0), ["a", "b.c"]);
    assert_eq!(store.list(&[], 0).prefixes, ["ab", "b", "b.d", "b.d.f"]);
}
