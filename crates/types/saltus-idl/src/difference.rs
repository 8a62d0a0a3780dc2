//! What differs between two definitions of one type.

use std::{collections::HashSet, fmt};

use crate::{Base, Field, FieldType, Interfaces, type_id};

/// The first field that differs between two definitions of one type, in the order of the fields.
///
/// ```
/// use saltus_idl::{Difference, Interfaces, SourceKind};
/// let [one, other] = ["int32 a\nfloat64 b", "int32 a\nfloat32 b"].map(|text| {
///     let mut interfaces = Interfaces::default();
///     interfaces.add("demo", SourceKind::Message, "Thing", text).unwrap();
///     interfaces
/// });
/// let found = Difference::between(&one, &other, "demo/msg/Thing").unwrap();
/// assert_eq!(found.to_string(), "`b` is float64 and float32");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The field, after the fields that contain it, such as `pose.position.x`.
    pub path: String,
    /// The type of the field in the first definition; `None` if it is missing there.
    pub one: Option<String>,
    /// The type of the field in the second definition, or that it is in another place; `None` if it is missing there.
    pub other: Option<String>,
}

impl Difference {
    /// Finds the first difference between the definitions of the type `name`. Returns `None` if there is none, or if one of the two does not
    /// contain the type.
    pub fn between(one: &Interfaces, other: &Interfaces, name: &str) -> Option<Self> {
        Search { one, other, seen: HashSet::new() }.in_type(name, "")
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |ty: &Option<String>| ty.clone().unwrap_or_else(|| "missing".into());
        write!(f, "`{}` is {} and {}", self.path, text(&self.one), text(&self.other))
    }
}

struct Search<'a> {
    one: &'a Interfaces,
    other: &'a Interfaces,
    /// The types that were compared already. A type may be in many fields.
    seen: HashSet<String>,
}

impl Search<'_> {
    fn in_type(&mut self, name: &str, path: &str) -> Option<Difference> {
        if !self.seen.insert(name.to_owned()) {
            return None;
        }
        let fields = |of: &Interfaces| Some(of.message(name)?.wire_fields());
        let (one, other) = (fields(self.one)?, fields(self.other)?);
        (0..one.len().max(other.len())).find_map(|at| match (one.get(at), other.get(at)) {
            (Some(a), Some(b)) if a.name == b.name => self.in_field(a, b, path),
            (Some(a), Some(b)) => {
                let has = |fields: &[Field], name: &str| fields.iter().any(|field| field.name == name);
                match (has(&other, &a.name), has(&one, &b.name)) {
                    (false, _) => Some(difference(path, &a.name, Some(a), None)),
                    (true, false) => Some(difference(path, &b.name, None, Some(b))),
                    (true, true) => {
                        let other = Some("in another place".into());
                        Some(Difference { other, ..difference(path, &a.name, Some(a), None) })
                    }
                }
            }
            (Some(one), None) => Some(difference(path, &one.name, Some(one), None)),
            (None, Some(other)) => Some(difference(path, &other.name, None, Some(other))),
            (None, None) => None,
        })
    }

    fn in_field(&mut self, one: &Field, other: &Field, path: &str) -> Option<Difference> {
        if !is_same(&one.ty, &other.ty) {
            return Some(difference(path, &one.name, Some(one), Some(other)));
        }
        let Base::Nested(name) = &one.ty.base else { return None };
        self.in_type(&name.to_string(), &format!("{path}{}.", one.name))
    }
}

/// Returns whether two types have the same description. `char` is another name for `uint8`.
fn is_same(one: &FieldType, other: &FieldType) -> bool {
    one == other || (type_id(one), one.shape) == (type_id(other), other.shape) && is_primitive(one)
}

fn is_primitive(ty: &FieldType) -> bool {
    matches!(ty.base, Base::Primitive(_))
}

fn difference(path: &str, name: &str, one: Option<&Field>, other: Option<&Field>) -> Difference {
    let text = |field: Option<&Field>| field.map(|field| field.ty.to_string());
    Difference { path: format!("{path}{name}"), one: text(one), other: text(other) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceKind;

    fn interfaces(outer: &str, inner: &str) -> Interfaces {
        let mut all = Interfaces::default();
        all.add("demo", SourceKind::Message, "Inner", inner).unwrap();
        all.add("demo", SourceKind::Message, "Outer", outer).unwrap();
        all
    }

    #[test]
    fn the_first_field_that_differs_is_found_in_types_and_in_types_of_fields() {
        let same = interfaces("Inner[] a\nInner b\nstring<=5 c", "uint8 x");
        for (outer, inner, expected) in [
            ("Inner[] a\nInner b\nstring<=5 c", "uint8 x", None),
            ("Inner[] a\nInner b\nstring<=5 c", "uint16 x", Some("`a.x` is uint8 and uint16")),
            ("Inner[] a\nInner b\nstring<=5 c", "uint8 y", Some("`a.x` is uint8 and missing")),
            ("Inner[] a\nInner b\nstring<=5 c", "uint8 x\nuint8 y", Some("`a.y` is missing and uint8")),
            ("Inner[2] a\nInner b\nstring<=5 c", "uint8 x", Some("`a` is demo/Inner[] and demo/Inner[2]")),
            ("Inner[] a\nInner b\nstring c", "uint8 x", Some("`c` is string<=5 and string")),
            ("int8 n\nInner[] a\nInner b\nstring<=5 c", "uint8 x", Some("`n` is missing and int8")),
            ("Inner b\nInner[] a\nstring<=5 c", "uint8 x", Some("`a` is demo/Inner[] and in another place")),
            ("Inner[] a\nInner b\nstring<=5 c", "char x", None),
            ("Inner[] a\nInner b", "uint8 x", Some("`c` is string<=5 and missing")),
        ] {
            let found = Difference::between(&same, &interfaces(outer, inner), "demo/msg/Outer");
            assert_eq!(found.map(|found| found.to_string()).as_deref(), expected, "{outer} {inner}");
        }
        assert_eq!(Difference::between(&same, &same, "demo/msg/Unknown"), None);
    }

    #[test]
    fn types_that_contain_each_other_twice_take_no_time() {
        // Each contains the next one twice: 2 to the power of 40 paths.
        let chain = |last: &str| {
            let mut all = Interfaces::default();
            all.add("demo", SourceKind::Message, "T40", last).unwrap();
            for number in (0..40).rev() {
                let text = format!("T{0} a\nT{0} b", number + 1);
                all.add("demo", SourceKind::Message, &format!("T{number}"), &text).unwrap();
            }
            all
        };
        assert_eq!(Difference::between(&chain("int8 x"), &chain("int8 x"), "demo/msg/T0"), None);
        let found = Difference::between(&chain("int8 x"), &chain("int16 x"), "demo/msg/T0").unwrap();
        assert!(found.path.ends_with("a.a.x"), "{found}");
    }
}
