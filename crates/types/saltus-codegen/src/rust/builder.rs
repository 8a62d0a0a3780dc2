//! The generator for builders. A builder has a method for each field, which returns the builder in its next state.

use std::fmt::Write as _;

use saltus_idl::{Base, Field, Primitive, Shape, TypeName};

use super::{MessageText, field_name, line, rust_primitive};

impl MessageText<'_> {
    pub(super) fn builder(&mut self) {
        let name = self.name();
        let last = self.message.fields.len();
        line!(
            self,
            "    /// A builder for a `{}` in place. `FIELD` is the number of the next field.",
            self.message.name
        );
        line!(self, "    #[must_use = \"a message that is not finished is not sent\"]");
        line!(self, "    pub struct {name}Builder<T, const FIELD: usize>(T);\n");
        for (i, field) in self.message.fields.iter().enumerate() {
            line!(self, "    impl<T: saltus_cdr::Target> {name}Builder<T, {i}> {{");
            line!(self, "        /// Field {} of {last}: `{}`.", i + 1, field.ty);
            self.builder_method(field, i + 1);
            line!(self, "    }}\n");
        }
        line!(
            self,
            "    impl<T> saltus_cdr::Built for {name}Builder<T, {last}> {{\n        type Target = T;\n"
        );
        line!(self, "        fn into_target(self) -> T {{\n            self.0\n        }}\n    }}\n");
        self.publish(last);
        let (target, start) = match last {
            0 => ("mut target", "            target.body().plain(0u8);\n"),
            _ => ("target", ""),
        };
        line!(
            self,
            "    impl saltus_cdr::Buildable for {name} {{\n        type Builder<T: saltus_cdr::Target> = {name}Builder<T, 0>;\n"
        );
        line!(
            self,
            "        fn build_in<T: saltus_cdr::Target>({target}: T) -> {name}Builder<T, 0> {{\n{start}            {name}Builder(target)\n        }}\n    }}\n"
        );
    }

    /// Writes the method `publish`, which only a builder with all fields has. A separate trait for each message lets
    /// the compiler name the missing field.
    fn publish(&mut self, last: usize) {
        let name = self.name();
        let fields = self.message.fields.iter().enumerate();
        let fields: Vec<_> = fields.map(|(i, field)| format!("{i} `{}`", field.name)).collect();
        line!(self, "    #[doc(hidden)]");
        line!(self, "    #[diagnostic::on_unimplemented(");
        line!(
            self,
            "        message = \"`{}` is not complete: field {{FIELD}} is missing\",",
            self.message.name
        );
        line!(self, "        label = \"a field is missing\",");
        line!(self, "        note = \"its fields, in order: {}\"", fields.join(", "));
        line!(self, "    )]\n    pub trait {name}Complete<const FIELD: usize> {{}}\n");
        line!(self, "    impl<T> {name}Complete<{last}> for {name}Builder<T, {last}> {{}}\n");
        line!(self, "    impl<T: saltus_cdr::Publishable, const FIELD: usize> {name}Builder<T, FIELD> {{");
        line!(self, "        /// Sends the complete message.");
        line!(
            self,
            "        pub fn publish(self) -> T::Output\n        where\n            Self: {name}Complete<FIELD>,"
        );
        line!(self, "        {{\n            self.0.publish()\n        }}\n    }}\n");
    }

    fn builder_method(&mut self, field: &Field, next: usize) {
        let (parameters, body) = match field.ty.shape {
            Shape::Scalar => self.scalar_step(&field.ty.base),
            shape => self.sequence_step(&field.ty.base, shape),
        };
        let texts =
            field.ty.shape != Shape::Scalar && matches!(field.ty.base, Base::String(_) | Base::WString(_));
        let generic = if texts { "<S: ::core::convert::AsRef<str>>" } else { "" };
        line!(
            self,
            "        pub fn {}{generic}(mut self, {parameters}) -> {}Builder<T, {next}> {{",
            field_name(&field.name),
            self.name()
        );
        line!(
            self,
            "            let body = self.0.body();\n            {body}\n            {}Builder(self.0)\n        }}",
            self.name()
        );
    }

    /// Returns the parameters and the statements of the method for a single value.
    fn scalar_step(&self, base: &Base) -> (String, String) {
        match base {
            Base::Primitive(Primitive::Bool) => ("value: bool".into(), "body.bool(value);".into()),
            Base::Primitive(primitive) => {
                (format!("value: {}", rust_primitive(*primitive)), "body.plain(value);".into())
            }
            Base::String(bound) => ("text: &str".into(), format!("body.string(text, {});", limit(*bound))),
            Base::WString(bound) => ("text: &str".into(), format!("body.wstring(text, {});", limit(*bound))),
            Base::Nested(name) if self.is_plain(name) => {
                (format!("value: {}", self.paths.element(base)), "body.plain(value);".into())
            }
            Base::Nested(name) => {
                let path = self.paths.element(base);
                let (from, to) = self.nested_states(name, &path);
                (
                    format!("build: impl ::core::ops::FnOnce({from}) -> {to}"),
                    format!("let _ = build(<{path} as saltus_cdr::Buildable>::build_in(body));"),
                )
            }
        }
    }

    /// Returns the parameters and the statements of the method for an array or a sequence.
    fn sequence_step(&self, base: &Base, shape: Shape) -> (String, String) {
        let (len_parameter, len, count) = match shape {
            Shape::Array(n) => (String::new(), n.to_string(), String::new()),
            Shape::Bounded(n) => (
                "len: usize, ".into(),
                "len".into(),
                format!("let len = body.count(len, {n});\n            "),
            ),
            _ => (
                "len: usize, ".into(),
                "len".into(),
                "let len = body.count(len, usize::MAX);\n            ".into(),
            ),
        };
        match base {
            Base::Nested(name) if !self.is_plain(name) => {
                let path = self.paths.element(base);
                let (from, to) = self.nested_states(name, &path);
                (
                    format!("{len_parameter}mut build: impl ::core::ops::FnMut(usize, {from}) -> {to}"),
                    format!(
                        "{count}for i in 0..{len} {{\n                let _ = build(i, <{path} as saltus_cdr::Buildable>::build_in(&mut *body));\n            }}"
                    ),
                )
            }
            Base::Primitive(Primitive::Bool) => (
                format!("{len_parameter}mut value: impl ::core::ops::FnMut(usize) -> bool"),
                format!("{count}for i in 0..{len} {{\n                body.bool(value(i));\n            }}"),
            ),
            Base::String(bound) | Base::WString(bound) => {
                let method = if matches!(base, Base::String(_)) { "string" } else { "wstring" };
                (
                    format!("{len_parameter}mut text: impl ::core::ops::FnMut(usize) -> S"),
                    format!(
                        "{count}for i in 0..{len} {{\n                body.{method}(text(i).as_ref(), {});\n            }}",
                        limit(*bound)
                    ),
                )
            }
            Base::Primitive(_) | Base::Nested(_) => (
                format!("{len_parameter}fill: impl ::core::ops::FnOnce(&mut [{}])", self.paths.element(base)),
                format!("{count}body.fill({len}, fill);"),
            ),
        }
    }

    /// Returns the types of the builder of a nested message before its first field and after its last field.
    fn nested_states(&self, name: &TypeName, path: &str) -> (String, String) {
        let fields = self.interfaces.message(&name.to_string()).map_or(0, |nested| nested.fields.len());
        let state = |field: usize| format!("{path}Builder<&mut saltus_cdr::Body<T::Buffer>, {field}>");
        (state(0), state(fields))
    }
}

fn limit(bound: Option<u32>) -> String {
    bound.map_or_else(|| "usize::MAX".into(), |bound| bound.to_string())
}
