//! The generator for Rust. It generates an owned struct, a view and a builder for each message.

mod builder;
mod literal;
mod names;
mod rebuild;
mod whole;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use saltus_idl::{Base, Field, FieldType, Interfaces, Message, Primitive, Shape, TypeHash, individual_json};

use crate::{CodegenError, layout::Layouts};
use names::{field_name, module_name, rust_primitive};
use whole::is_exchanged;

pub use names::RustPaths;

/// The generated text of one package.
#[derive(Clone, Debug)]
pub struct RustFile {
    /// The name of the package.
    pub package: String,
    /// The name of the module: the name of the package, escaped if it is a keyword of Rust.
    pub module: String,
    /// The text of the module. It expects the modules of the other packages under `super`.
    pub text: String,
    /// The paths of the messages relative to the module, such as `msg::String`.
    pub messages: Vec<String>,
}

/// Generates a file for each package. It has the messages, requests, responses, goals, results and feedbacks, and a
/// marker type for each service and action. Types that are `external` in `paths` are not generated.
pub fn generate_rust(interfaces: &Interfaces, paths: &RustPaths<'_>) -> Result<Vec<RustFile>, CodegenError> {
    let mut packages: BTreeMap<&str, Vec<MessageText<'_>>> = BTreeMap::new();
    let layouts = Layouts::new(interfaces);
    let own = interfaces.messages().filter(|message| paths.defines(&message.name));
    for message in own.filter(|message| is_exchanged(interfaces, message)) {
        let text = MessageText::new(message, interfaces, &layouts, paths)?;
        packages.entry(&message.name.package).or_default().push(text);
    }
    packages.into_iter().map(|(package, messages)| file(interfaces, paths, package, messages)).collect()
}

/// Generates a function for each message that builds the message in place from an owned value.
/// Tests compare the built message with the value.
///
/// The generated text expects the modules of the packages below the path `root`. It expects a trait `Rebuild` and the
/// functions `start` and `built` in the root of the crate.
pub fn generate_rust_rebuild(interfaces: &Interfaces, root: &str) -> Result<String, CodegenError> {
    let layouts = Layouts::new(interfaces);
    let paths = RustPaths { cdr: "saltus_cdr", external: &BTreeMap::new() };
    let mut out = String::new();
    for message in interfaces.messages().filter(|message| is_exchanged(interfaces, message)) {
        out += &MessageText::new(message, interfaces, &layouts, &paths)?.rebuild(root);
    }
    Ok(out)
}

fn file(
    interfaces: &Interfaces,
    paths: &RustPaths<'_>,
    package: &str,
    messages: Vec<MessageText<'_>>,
) -> Result<RustFile, CodegenError> {
    refuse_collisions(&messages)?;
    let own_paths = messages.iter().map(MessageText::path).collect();
    let mut kinds: BTreeMap<&str, String> = BTreeMap::new();
    for text in messages {
        kinds.entry(&text.message.name.kind).or_default().push_str(&text.write());
    }
    for (kind, text) in whole::services_and_actions(interfaces, paths, package)? {
        kinds.entry(kind).or_default().push_str(&text);
    }
    let cdr = match paths.cdr {
        "saltus_cdr" => String::new(),
        other => format!("    use {other} as saltus_cdr;\n\n"),
    };
    let mut text = String::new();
    for (kind, messages) in &kinds {
        // Writing to a string can't fail, here and below.
        let _ =
            write!(text, "\n/// The messages of `{package}/{kind}`.\npub mod {kind} {{\n{cdr}{messages}}}\n");
    }
    Ok(RustFile { package: package.into(), module: module_name(package), text, messages: own_paths })
}

/// Returns an error if two messages of a package would have Rust items with the same name.
fn refuse_collisions(messages: &[MessageText<'_>]) -> Result<(), CodegenError> {
    let taken: BTreeSet<String> = messages.iter().map(MessageText::path).collect();
    for text in messages {
        let name = &text.message.name;
        if name.name == "Self" {
            return Err(CodegenError::Name { name: name.clone(), why: "`Self` is a keyword of Rust".into() });
        }
        for suffix in ["View", "Builder", "Complete"] {
            let item = format!("{}{suffix}", text.path());
            if taken.contains(&item) {
                let why = format!("the package also has a message `{}{suffix}`", name.name);
                return Err(CodegenError::Name { name: name.clone(), why });
            }
        }
    }
    Ok(())
}

/// The generator for one message.
struct MessageText<'a> {
    message: &'a Message,
    interfaces: &'a Interfaces,
    layouts: &'a Layouts<'a>,
    paths: &'a RustPaths<'a>,
    hash: TypeHash,
    referenced: Vec<&'a Message>,
    plain: bool,
    out: String,
}

macro_rules! line {
    ($text:expr, $($arg:tt)*) => {{
        let _ = writeln!($text.out, $($arg)*);
    }};
}
pub(crate) use line;

impl<'a> MessageText<'a> {
    fn new(
        message: &'a Message,
        interfaces: &'a Interfaces,
        layouts: &'a Layouts<'a>,
        paths: &'a RustPaths<'a>,
    ) -> Result<Self, CodegenError> {
        // The hash is computed first: this is an error if the message contains itself, and then it has no layout.
        let hash = interfaces.type_hash(&message.name.to_string())?;
        let plain = layouts.plain(message).is_some();
        let referenced = interfaces.referenced(message)?;
        Ok(Self { message, interfaces, layouts, paths, hash, referenced, plain, out: String::new() })
    }

    /// Returns the path of the message relative to the package.
    fn path(&self) -> String {
        format!("{}::{}", self.message.name.kind, self.message.name.name)
    }

    fn write(mut self) -> String {
        self.owned();
        self.constants();
        self.cdr();
        if !self.plain {
            self.view();
        }
        self.builder();
        self.out
    }

    fn name(&self) -> &'a str {
        &self.message.name.name
    }

    fn owned(&mut self) {
        line!(self, "    /// `{}`", self.message.name);
        if self.plain {
            line!(
                self,
                "    ///\n    /// This message is plain: its bytes on the wire are the same as its bytes in memory."
            );
            line!(
                self,
                "    #[derive(Clone, Copy, Debug, PartialEq, saltus_cdr::bytemuck::Pod, saltus_cdr::bytemuck::Zeroable)]"
            );
            line!(self, "    #[bytemuck(crate = \"saltus_cdr::bytemuck\")]\n    #[repr(C)]");
        } else {
            line!(self, "    #[derive(Clone, Debug, PartialEq)]");
        }
        line!(self, "    pub struct {} {{", self.name());
        for field in &self.message.fields {
            line!(self, "        /// `{}`", field.ty);
            line!(self, "        pub {}: {},", field_name(&field.name), self.paths.field(&field.ty));
        }
        line!(self, "    }}\n");
        self.default();
        line!(self, "    impl saltus_cdr::Message for {} {{", self.name());
        line!(self, "        const TYPE_NAME: &'static str = \"{}\";", self.message.name);
        let digest = self.hash.digest();
        line!(
            self,
            "        const TYPE_HASH: saltus_cdr::TypeHash = saltus_cdr::TypeHash::from_digest({digest:?});"
        );
        self.description();
        line!(self, "    }}\n");
        if self.begins_with_header() {
            line!(self, "    impl saltus_cdr::Stamped for {} {{}}\n", self.name());
        }
    }

    /// Whether the first field is a header.
    fn begins_with_header(&self) -> bool {
        let first = self.message.fields.first().map(|field| &field.ty);
        first.is_some_and(|ty| ty.shape == Shape::Scalar && ty.to_string() == "std_msgs/Header")
    }

    fn description(&mut self) {
        let referenced: Vec<String> = self
            .referenced
            .iter()
            .map(|other| {
                format!("<{} as saltus_cdr::Message>::DESCRIPTION.own", self.paths.message(&other.name))
            })
            .collect();
        line!(
            self,
            "        const DESCRIPTION: saltus_cdr::Description = saltus_cdr::Description {{ own: {:?}, referenced: &[{}] }};",
            individual_json(self.message),
            referenced.join(", ")
        );
    }

    fn default(&mut self) {
        line!(self, "    impl ::core::default::Default for {} {{", self.name());
        line!(self, "        #[inline]\n        fn default() -> Self {{\n            Self {{");
        for field in &self.message.fields {
            line!(self, "                {}: {},", field_name(&field.name), default_value(field));
        }
        line!(self, "            }}\n        }}\n    }}\n");
    }

    fn constants(&mut self) {
        line!(self, "    impl {} {{", self.name());
        for constant in &self.message.constants {
            let ty = match &constant.ty {
                Base::Primitive(primitive) => rust_primitive(*primitive),
                _ => "&'static str",
            };
            line!(self, "        /// A constant of the definition.");
            line!(
                self,
                "        pub const {}: {ty} = {};",
                constant.name,
                literal::constant(&constant.value, ty)
            );
        }
        let fixed = self.layouts.fixed_size(self.message);
        line!(
            self,
            "        /// Returns a size in bytes that is large enough if sequences and long strings have `variable` bytes."
        );
        line!(
            self,
            "        pub const fn size_hint(variable: usize) -> usize {{\n            {fixed} + variable\n        }}"
        );
        line!(self, "    }}\n");
    }

    fn cdr(&mut self) {
        if self.plain {
            self.plain_cdr();
        } else {
            self.composite_cdr();
        }
    }

    fn plain_cdr(&mut self) {
        let name = self.name();
        let align = self.layouts.plain(self.message).map_or(1, |layout| layout.align);
        line!(self, "    impl saltus_cdr::Plain for {name} {{\n        const ALIGN: usize = {align};\n");
        line!(self, "        fn swap_bytes(&mut self) {{");
        for field in &self.message.fields {
            line!(self, "            saltus_cdr::Plain::swap_bytes(&mut self.{});", field_name(&field.name));
        }
        line!(self, "        }}\n    }}\n\n    saltus_cdr::plain_message!({name});\n");
    }

    fn composite_cdr(&mut self) {
        let name = self.name();
        let empty = self.message.fields.is_empty();
        line!(self, "    impl saltus_cdr::Cdr for {name} {{");
        let sizes: Vec<_> = self
            .message
            .fields
            .iter()
            .map(|f| format!("<{} as saltus_cdr::Cdr>::MIN_SIZE", self.paths.field(&f.ty)))
            .collect();
        line!(
            self,
            "        const MIN_SIZE: usize = {};",
            if empty { "1".into() } else { sizes.join(" + ") }
        );
        line!(self, "        type View<'a> = {name}View<'a>;\n");
        self.cdr_end(empty);
        self.cdr_write(empty);
        line!(
            self,
            "        #[inline]\n        fn read(reader: &mut saltus_cdr::Reader<'_>) -> ::core::result::Result<Self, saltus_cdr::CdrError> {{"
        );
        self.cdr_fields(empty, "Self", "read");
        line!(
            self,
            "        #[inline]\n        fn view<'a>(reader: &mut saltus_cdr::Reader<'a>) -> ::core::result::Result<{name}View<'a>, saltus_cdr::CdrError> {{"
        );
        self.cdr_fields(empty, &format!("{name}View"), "view");
        line!(
            self,
            "    }}\n\n    impl saltus_cdr::Element for {name} {{\n        type SeqView<'a> = saltus_cdr::Items<'a, Self>;\n"
        );
        line!(
            self,
            "        #[inline]\n        fn view_all<'a>(reader: &mut saltus_cdr::Reader<'a>, count: usize) -> ::core::result::Result<Self::SeqView<'a>, saltus_cdr::CdrError> {{"
        );
        line!(self, "            saltus_cdr::Items::check(reader, count)\n        }}\n    }}\n");
    }

    fn cdr_end(&mut self, empty: bool) {
        line!(self, "        #[inline]\n        fn end(&self, at: usize) -> usize {{");
        for field in &self.message.fields {
            line!(self, "            let at = saltus_cdr::Cdr::end(&self.{}, at);", field_name(&field.name));
        }
        line!(self, "            at{}\n        }}\n", if empty { " + 1" } else { "" });
    }

    fn cdr_write(&mut self, empty: bool) {
        line!(
            self,
            "        #[inline]\n        fn write(&self, writer: &mut saltus_cdr::Writer<'_>) -> ::core::result::Result<(), saltus_cdr::CdrError> {{"
        );
        if empty {
            line!(self, "            writer.put(1, &[0]);");
        }
        for field in &self.message.fields {
            let name = field_name(&field.name);
            for check in bound_checks(&format!("self.{name}"), &field.ty) {
                line!(self, "            {check}");
            }
            line!(self, "            saltus_cdr::Cdr::write(&self.{name}, writer)?;");
        }
        line!(self, "            Ok(())\n        }}\n");
    }

    /// Writes the body of `read` or `view`, which reads the fields in order and checks their bounds. `result` is the
    /// name of the struct that it returns.
    fn cdr_fields(&mut self, empty: bool, result: &str, method: &str) {
        if empty {
            line!(self, "            reader.take(1, 1)?;");
        }
        for field in &self.message.fields {
            let name = field_name(&field.name);
            line!(
                self,
                "            let {name} = <{} as saltus_cdr::Cdr>::{method}(reader)?;",
                self.paths.field(&field.ty)
            );
            for check in bound_checks(&name, &field.ty) {
                line!(self, "            {check}");
            }
        }
        let names: Vec<_> = self.message.fields.iter().map(|field| field_name(&field.name)).collect();
        let marker = if empty && method == "view" { "of: ::core::marker::PhantomData" } else { "" };
        line!(self, "            Ok({result} {{ {}{marker} }})\n        }}\n", names.join(", "));
    }

    fn view(&mut self) {
        let name = self.name();
        line!(self, "    /// A view of a `{}` in place.\n    #[derive(Debug)]", self.message.name);
        line!(self, "    pub struct {name}View<'a> {{");
        for field in &self.message.fields {
            // The type is written in this form because it uses `'a` even in a struct that has only numbers. It may be
            // hard to read, because the field is private.
            let ty = self.paths.field(&field.ty);
            line!(self, "        {}: <{ty} as saltus_cdr::Cdr>::View<'a>,", field_name(&field.name));
        }
        if self.message.fields.is_empty() {
            line!(self, "        of: ::core::marker::PhantomData<&'a ()>,");
        }
        line!(self, "    }}\n");
        if self.message.fields.is_empty() {
            return;
        }
        line!(self, "    impl<'a> {name}View<'a> {{");
        for field in &self.message.fields {
            let (ty, access) = self.accessor(&field.ty);
            let field_name = field_name(&field.name);
            line!(self, "        /// `{}`", field.ty);
            line!(
                self,
                "        pub fn {field_name}(&self) -> {ty} {{\n            {}\n        }}",
                access.replace("$", &format!("self.{field_name}"))
            );
        }
        line!(self, "    }}\n");
    }

    /// Returns the type of the view of a field, in the readable form for accessors.
    fn view_type(&self, ty: &FieldType) -> String {
        let element = self.paths.element(&ty.base);
        if ty.shape != Shape::Scalar {
            return match &ty.base {
                Base::Primitive(Primitive::Byte | Primitive::Char | Primitive::Uint8) => "&'a [u8]".into(),
                base if self.is_plain_base(base) => format!("saltus_cdr::Seq<'a, {element}>"),
                _ => format!("saltus_cdr::Items<'a, {element}>"),
            };
        }
        match &ty.base {
            Base::Primitive(_) => element,
            Base::String(_) => "&'a str".into(),
            Base::WString(_) => "saltus_cdr::WStr<'a>".into(),
            Base::Nested(name) if self.is_plain(name) => format!("saltus_cdr::PlainRef<'a, {element}>"),
            Base::Nested(_) => format!("{element}View<'a>"),
        }
    }

    /// Returns the type that an accessor returns, and the expression for the value, in which `$` stands for the field.
    fn accessor(&self, ty: &FieldType) -> (String, &'static str) {
        match &ty.base {
            Base::Nested(name) if ty.shape == Shape::Scalar && self.is_plain(name) => {
                (format!("&{}", self.paths.field(ty)), "&$")
            }
            Base::Nested(_) if ty.shape == Shape::Scalar => (format!("&{}", self.view_type(ty)), "&$"),
            base if ty.shape == Shape::Scalar || self.is_plain_base(base) => (self.view_type(ty), "$"),
            _ => (self.view_type(ty), "$.clone()"),
        }
    }

    /// Whether a sequence of these elements is one block of memory.
    fn is_plain_base(&self, base: &Base) -> bool {
        match base {
            Base::Primitive(primitive) => *primitive != Primitive::Bool,
            Base::Nested(name) => self.is_plain(name),
            Base::String(_) | Base::WString(_) => false,
        }
    }

    fn is_plain(&self, name: &saltus_idl::TypeName) -> bool {
        self.layouts.is_plain(name)
    }
}

/// Returns the statements that check the bounds of a field.
fn bound_checks(expression: &str, ty: &FieldType) -> Vec<String> {
    let mut checks = Vec::new();
    if let Shape::Bounded(bound) = ty.shape {
        checks.push(format!("saltus_cdr::check_bound({expression}.len(), {bound})?;"));
    }
    if let Base::String(Some(bound)) | Base::WString(Some(bound)) = ty.base {
        checks.push(match ty.shape {
            Shape::Scalar => format!("saltus_cdr::check_bound({expression}.len(), {bound})?;"),
            _ => format!(
                "for text in {expression}.iter() {{ saltus_cdr::check_bound(text.len(), {bound})?; }}"
            ),
        });
    }
    checks
}

fn default_value(field: &Field) -> String {
    match (&field.default, field.ty.shape) {
        (Some(value), _) => literal::value(value, &field.ty),
        (None, Shape::Array(_)) => "::core::array::from_fn(|_| ::core::default::Default::default())".into(),
        (None, _) => "::core::default::Default::default()".into(),
    }
}
