//! The generator for tests of builders: a function for each message that builds the message from an owned value.

use std::fmt::Write as _;

use saltus_idl::{Base, Field, Primitive, Shape, TypeName};

use super::{MessageText, field_name, line, module_name};

impl MessageText<'_> {
    /// Returns the text of the function.
    pub(super) fn rebuild(mut self, root: &str) -> String {
        let path = |suffix: &str| {
            let name = &self.message.name;
            format!("{root}::{}::{}::{}{suffix}", module_name(&name.package), name.kind, name.name)
        };
        let (value, builder, last) = (path(""), path("Builder"), self.message.fields.len());
        line!(self, "/// `{}`", self.message.name);
        line!(
            self,
            "fn {}<T: saltus_cdr::Target>(builder: {builder}<T, 0>, value: &{value}) -> {builder}<T, {last}> {{",
            function(&self.message.name)
        );
        line!(self, "    let _ = value;\n    builder");
        for field in &self.message.fields {
            line!(self, "        .{}({})", field_name(&field.name), self.argument(field));
        }
        line!(self, "}}\n\nimpl crate::Rebuild for {value} {{");
        line!(self, "    fn rebuild(&self) -> Vec<u8> {{");
        line!(
            self,
            "        crate::built({}(crate::start::<Self>(), self))\n    }}\n}}\n",
            function(&self.message.name)
        );
        self.out
    }

    fn argument(&self, field: &Field) -> String {
        let expression = format!("value.{}", field_name(&field.name));
        let one = match &field.ty.base {
            Base::Nested(name) if !self.is_plain(name) => Argument::Nested(function(name)),
            Base::String(_) => Argument::Text,
            Base::WString(_) => Argument::WideText,
            Base::Primitive(Primitive::Bool) => Argument::Bool,
            Base::Primitive(_) | Base::Nested(_) => Argument::Plain,
        };
        match field.ty.shape {
            Shape::Scalar => one.of_scalar(&expression),
            Shape::Array(_) => one.of_sequence(&expression),
            Shape::Bounded(_) | Shape::Unbounded => {
                format!("{expression}.len(), {}", one.of_sequence(&expression))
            }
        }
    }
}

/// The kind of argument that a method of a builder has for one element.
enum Argument {
    /// A closure that calls the function with this name.
    Nested(String),
    Text,
    WideText,
    Bool,
    Plain,
}

impl Argument {
    fn of_scalar(&self, expression: &str) -> String {
        match self {
            Self::Nested(function) => format!("|builder| {function}(builder, &{expression})"),
            Self::Text => format!("&{expression}"),
            Self::WideText => format!("&{expression}.to_string()"),
            Self::Bool | Self::Plain => expression.into(),
        }
    }

    fn of_sequence(&self, expression: &str) -> String {
        match self {
            Self::Nested(function) => format!("|i, builder| {function}(builder, &{expression}[i])"),
            Self::Text => format!("|i| &{expression}[i]"),
            Self::WideText => format!("|i| {expression}[i].to_string()"),
            Self::Bool => format!("|i| {expression}[i]"),
            Self::Plain => format!("|slice| {{ slice.copy_from_slice(&{expression}); }}"),
        }
    }
}

fn function(name: &TypeName) -> String {
    format!("{}_{}_{}", name.package, name.kind, name.name)
}
