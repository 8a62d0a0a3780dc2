//! The parser for `.idl` files: the part of OMG IDL 4.2 that ROS 2 uses.
//!
//! Source: `rosidl_parser`. A file has the modules of its package and kind, and one structure for a message, two for a
//! service and three for an action. Constants are in a module with the name of the structure and `_Constants`. A type
//! that `.msg` files can't name is an error: `char`, `wchar`, `long double`, `enum`, `union`, `map`.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{
    Action, Base, Constant, Field, FieldType, Literal, Message, ParseError, Primitive, Service, Shape,
    SourceKind, SourceLocation, TypeName, literal::Expected,
};

mod token;
mod value;

use token::{Kind, Token};
use value::{GivenDefault, fitting, number};

/// What an `.idl` file defines.
pub(crate) enum Definition {
    Message(Message),
    Service(Service),
    Action(Action),
}

/// Parses the text of an `.idl` file.
pub(crate) fn parse(
    name: TypeName,
    kind: SourceKind,
    file: &str,
    text: &str,
) -> Result<Definition, ParseError> {
    let tokens = token::tokens(file, text)?;
    let mut parser =
        Parser { tokens, at: 0, file: file.into(), content: Content::default(), modules: Vec::new() };
    while parser.peek().kind != Kind::End {
        parser.definition()?;
    }
    parser.content.finish(name, kind, file)
}

/// What was read so far.
#[derive(Default)]
struct Content {
    /// The types that `typedef` names.
    typedefs: HashMap<String, FieldType>,
    /// The constants, each with the module in which it is.
    constants: Vec<(String, Constant)>,
    /// The values of the constants by module and name.
    values: HashMap<(String, String), Literal>,
    structures: Vec<Structure>,
}

struct Structure {
    modules: Vec<String>,
    fields: Vec<Field>,
    /// The token of the name.
    name: Token,
}

impl Content {
    /// Returns the message, service or action that the structures make up.
    fn finish(mut self, name: TypeName, kind: SourceKind, file: &str) -> Result<Definition, ParseError> {
        let suffixes: &[&str] = match kind {
            SourceKind::Message => &[""],
            SourceKind::Service => &["_Request", "_Response"],
            SourceKind::Action => &["_Goal", "_Result", "_Feedback"],
        };
        if self.structures.len() != suffixes.len() {
            let found = format!("{}", self.structures.len());
            let expected = match suffixes.len() {
                1 => "one structure for a message".to_owned(),
                count => format!("{count} structures for this kind of interface"),
            };
            return Err(ParseError { file: file.into(), line: 1, column: 1, expected, found });
        }
        let structures = std::mem::take(&mut self.structures);
        let parts = structures
            .into_iter()
            .zip(suffixes)
            .map(|(structure, suffix)| self.message(structure, name.with_suffix(suffix), file));
        let mut parts = parts.collect::<Result<Vec<_>, _>>()?.into_iter();
        let mut part = || parts.next().unwrap_or_else(|| unreachable!("there is one part for each suffix"));
        Ok(match kind {
            SourceKind::Message => Definition::Message(part()),
            SourceKind::Service => Definition::Service(Service { request: part(), response: part(), name }),
            SourceKind::Action => {
                Definition::Action(Action { goal: part(), result: part(), feedback: part(), name })
            }
        })
    }

    /// Returns the message of a structure, which must have a name and modules that agree with the path of the file.
    fn message(&mut self, structure: Structure, name: TypeName, file: &str) -> Result<Message, ParseError> {
        let found = [&*structure.modules.join("::"), "::", &structure.name.text].concat();
        let want = format!("{}::{}::{}", name.package, name.kind, name.name);
        if found != want {
            let expected = format!("the structure `{want}` in this file");
            return Err(structure.name.error(file, expected, format!("`{found}`")));
        }
        let module = format!("{}_Constants", name.name);
        let constants = self.constants.iter().filter(|(of, _)| *of == module);
        let constants = constants.map(|(_, constant)| constant.clone()).collect();
        let message = Message { name, fields: structure.fields, constants };
        let is_empty = matches!(&message.fields[..], [only] if only.name == Message::NO_FIELDS);
        Ok(if is_empty { Message { fields: Vec::new(), ..message } } else { message })
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    file: Arc<str>,
    content: Content,
    /// The modules that are open.
    modules: Vec<String>,
}

/// The primitive types of IDL, as sequences of words. A type that `.msg` files do not have is `None`.
const PRIMITIVES: [(&[&str], Option<Primitive>); 21] = [
    (&["unsigned", "long", "long"], Some(Primitive::Uint64)),
    (&["unsigned", "long"], Some(Primitive::Uint32)),
    (&["unsigned", "short"], Some(Primitive::Uint16)),
    (&["long", "long"], Some(Primitive::Int64)),
    (&["long", "double"], None),
    (&["long"], Some(Primitive::Int32)),
    (&["short"], Some(Primitive::Int16)),
    (&["boolean"], Some(Primitive::Bool)),
    (&["octet"], Some(Primitive::Byte)),
    (&["int8"], Some(Primitive::Int8)),
    (&["uint8"], Some(Primitive::Uint8)),
    (&["int16"], Some(Primitive::Int16)),
    (&["uint16"], Some(Primitive::Uint16)),
    (&["int32"], Some(Primitive::Int32)),
    (&["uint32"], Some(Primitive::Uint32)),
    (&["int64"], Some(Primitive::Int64)),
    (&["uint64"], Some(Primitive::Uint64)),
    (&["float"], Some(Primitive::Float32)),
    (&["double"], Some(Primitive::Float64)),
    (&["char"], None),
    (&["wchar"], None),
];

impl Parser {
    fn peek(&self) -> &Token {
        // The last token is the end.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    fn is(&self, text: &str) -> bool {
        self.peek().is(text)
    }

    /// Takes the next token if it has this text.
    fn take(&mut self, text: &str) -> bool {
        let taken = self.is(text);
        self.at += usize::from(taken);
        taken
    }

    fn expect(&mut self, text: &str) -> Result<(), ParseError> {
        if self.take(text) { Ok(()) } else { Err(self.error(format!("`{text}`"))) }
    }

    /// Returns an error at the next token.
    fn error(&self, expected: impl Into<Expected>) -> ParseError {
        let token = self.peek();
        token.error(&self.file, expected, token.shown())
    }

    fn identifier(&mut self, expected: &str) -> Result<Token, ParseError> {
        if self.peek().kind == Kind::Word { Ok(self.next()) } else { Err(self.error(expected)) }
    }

    /// Reads a module, a structure, a constant or a typedef.
    fn definition(&mut self) -> Result<(), ParseError> {
        self.annotations()?;
        let token = self.next();
        match &*token.text {
            "module" => self.module()?,
            "struct" => self.structure()?,
            "const" => self.constant()?,
            "typedef" => self.typedef()?,
            _ => {
                self.at -= 1;
                return Err(self.error("`module`, `struct`, `const` or `typedef`"));
            }
        }
        self.expect(";")
    }

    fn module(&mut self) -> Result<(), ParseError> {
        let name = self.identifier("the name of a module")?;
        self.modules.push(name.text);
        if self.modules.len() > MAX_MODULES {
            return Err(self.error(format!("at most {MAX_MODULES} modules within each other")));
        }
        self.expect("{")?;
        while !self.take("}") {
            self.definition()?;
        }
        self.modules.pop();
        Ok(())
    }

    fn structure(&mut self) -> Result<(), ParseError> {
        let name = self.identifier("the name of a structure")?;
        self.expect("{")?;
        let (mut fields, mut names) = (Vec::new(), HashSet::new());
        while !self.take("}") {
            self.member(&mut fields, &mut names)?;
        }
        self.content.structures.push(Structure { modules: self.modules.clone(), fields, name });
        Ok(())
    }

    /// Reads a member: annotations, a type, and one or more names.
    fn member(&mut self, fields: &mut Vec<Field>, names: &mut HashSet<String>) -> Result<(), ParseError> {
        let default = self.annotations()?;
        let first = self.peek().clone();
        let ty = self.field_type()?;
        loop {
            let name = self.identifier("the name of a field")?;
            if !names.insert(name.text.clone()) {
                return Err(name.error(&self.file, "a name not used before", name.shown()));
            }
            let ty = self.array(ty.clone())?;
            let default = default.as_ref().map(|default| default.of_field(&self.file, &ty)).transpose()?;
            let location = SourceLocation { file: self.file.clone(), line: first.line, column: first.column };
            fields.push(Field { name: name.text, ty, default, location: Some(location) });
            if !self.take(",") {
                return self.expect(";");
            }
        }
    }

    /// Reads the size of an array behind a name, if there is one.
    fn array(&mut self, ty: FieldType) -> Result<FieldType, ParseError> {
        if !self.is("[") {
            return Ok(ty);
        }
        if ty.shape != Shape::Scalar {
            return Err(self.error("an array with one dimension"));
        }
        self.expect("[")?;
        let size = self.size()?;
        self.expect("]")?;
        self.array(FieldType { base: ty.base, shape: Shape::Array(size) })
    }

    /// Reads a size or a bound: a number from 1, or the name of a constant.
    fn size(&mut self) -> Result<u32, ParseError> {
        let token = self.peek().clone();
        let value = match token.kind {
            Kind::Word => {
                let scoped = self.scoped()?;
                self.value_of(&scoped)
            }
            _ => Some(self.literal()?),
        };
        let size = match value {
            Some(Literal::Integer(value)) => u32::try_from(value).ok().filter(|size| *size > 0),
            _ => None,
        };
        size.ok_or_else(|| token.error(&self.file, "a size from 1 to 4294967295", token.shown()))
    }

    /// Returns the value of a constant. A name without a scope is that of a constant in this module, or in the only module that
    /// has one of this name.
    fn value_of(&self, scoped: &[String]) -> Option<Literal> {
        let value = |module: &str, name: &str| self.content.values.get(&(module.to_owned(), name.to_owned()));
        let found = match scoped {
            [.., module, name] => value(module, name),
            [name] => value(self.modules.last().map_or("", String::as_str), name).or_else(|| {
                let mut others = self.content.values.iter().filter(|((_, other), _)| other == name);
                let (_, only) = others.next()?;
                others.next().is_none().then_some(only)
            }),
            [] => None,
        };
        found.cloned()
    }

    /// Reads a name with `::` between its parts.
    fn scoped(&mut self) -> Result<Vec<String>, ParseError> {
        self.take("::");
        let mut parts = vec![self.identifier("a name")?.text];
        while self.take("::") {
            parts.push(self.identifier("a name after `::`")?.text);
        }
        Ok(parts)
    }

    /// Reads the type of a member or a typedef, without the size of an array.
    fn field_type(&mut self) -> Result<FieldType, ParseError> {
        if !self.is("sequence") {
            return self.element();
        }
        self.next();
        self.expect("<")?;
        let element = self.peek().clone();
        let FieldType { base, shape: Shape::Scalar } = self.element()? else {
            return Err(element.error(&self.file, "a sequence of single elements", element.shown()));
        };
        let shape = if self.take(",") { Shape::Bounded(self.size()?) } else { Shape::Unbounded };
        self.expect(">")?;
        Ok(FieldType { base, shape })
    }

    /// Reads a type that is not a sequence. It may be the name of a typedef, and so have any shape.
    fn element(&mut self) -> Result<FieldType, ParseError> {
        if self.is("string") || self.is("wstring") {
            let is_wide = self.next().text == "wstring";
            let bound = self.take("<").then(|| self.size()).transpose()?;
            if bound.is_some() {
                self.expect(">")?;
            }
            let base = if is_wide { Base::WString(bound) } else { Base::String(bound) };
            return Ok(FieldType { base, shape: Shape::Scalar });
        }
        if let Some(primitive) = self.primitive()? {
            return Ok(FieldType::primitive(primitive));
        }
        let first = self.peek().clone();
        let parts = self.scoped()?;
        match &parts[..] {
            [package, kind, name] => Ok(FieldType::nested(TypeName::new(package, kind, name))),
            [name] if self.content.typedefs.contains_key(name) => Ok(self.content.typedefs[name].clone()),
            _ => Err(first.error(
                &self.file,
                "a primitive type, a name of a `typedef`, or `package::msg::Name`",
                format!("`{}`", parts.join("::")),
            )),
        }
    }

    /// Reads a primitive type, if there is one.
    fn primitive(&mut self) -> Result<Option<Primitive>, ParseError> {
        let words = |parser: &Self, words: &[&str]| {
            words.iter().zip(&parser.tokens[parser.at..]).all(|(word, token)| token.is(word))
        };
        let longest = PRIMITIVES.iter().filter(|(of, _)| words(self, of)).max_by_key(|(of, _)| of.len());
        let Some((of, primitive)) = longest else { return Ok(None) };
        if primitive.is_none() {
            return Err(self.error("a type that `.msg` files have too"));
        }
        self.at += of.len();
        Ok(*primitive)
    }

    fn typedef(&mut self) -> Result<(), ParseError> {
        let ty = self.field_type()?;
        let name = self.identifier("the name of the type")?.text;
        let ty = self.array(ty)?;
        self.content.typedefs.insert(name, ty);
        Ok(())
    }

    fn constant(&mut self) -> Result<(), ParseError> {
        let first = self.peek().clone();
        let ty = self.element()?;
        let is_constant = ty.shape == Shape::Scalar && !matches!(ty.base, Base::Nested(_));
        if !is_constant {
            return Err(first.error(&self.file, "a primitive type for a constant", first.shown()));
        }
        let name = self.identifier("the name of a constant")?;
        self.expect("=")?;
        let at = self.peek().clone();
        let literal = self.literal()?;
        let value = fitting(&literal, &ty).map_err(|expected| at.error(&self.file, expected, at.shown()))?;
        let base = match ty.base {
            Base::String(_) => Base::String(None),
            Base::WString(_) => Base::WString(None),
            base => base,
        };
        let module = self.modules.last().cloned().unwrap_or_default();
        let identity = (module.clone(), name.text.clone());
        if self.content.values.insert(identity, value.clone()).is_some() {
            return Err(name.error(&self.file, "a name not used before", name.shown()));
        }
        self.content.constants.push((module, Constant { name: name.text, ty: base, value }));
        Ok(())
    }

    /// Reads annotations. Returns the value of `@default`, if it is one of them.
    fn annotations(&mut self) -> Result<Option<GivenDefault>, ParseError> {
        let mut default = None;
        while self.take("@") {
            let name = self.scoped()?.join("::");
            if self.take("(") {
                let value = self.parameters()?;
                if name == "default" {
                    default = value;
                }
            }
        }
        Ok(default)
    }

    /// Reads the parameters of an annotation: a value, or names with values. Returns the value without a name, or the one
    /// with the name `value`.
    fn parameters(&mut self) -> Result<Option<GivenDefault>, ParseError> {
        let mut value = None;
        while !self.take(")") {
            let name = match self.tokens.get(self.at + 1).is_some_and(|next| next.is("=")) {
                true => Some(self.identifier("the name of a parameter")?.text),
                false => None,
            };
            if name.is_some() {
                self.expect("=")?;
            }
            let token = self.peek().clone();
            let literal = match token.kind {
                // Other annotations than `default` may have a name as their value.
                Kind::Word if !token.is("TRUE") && !token.is("FALSE") => {
                    Literal::Text(self.scoped()?.join("::"))
                }
                _ => self.literal()?,
            };
            if name.is_none_or(|name| name == "value") {
                value = Some(GivenDefault { literal, token });
            }
            if !self.take(",") && !self.is(")") {
                return Err(self.error("`,` or `)`"));
            }
        }
        Ok(value)
    }

    /// Reads a literal: a number, a text, `TRUE` or `FALSE`.
    fn literal(&mut self) -> Result<Literal, ParseError> {
        let is_negative = self.take("-");
        if !is_negative {
            self.take("+");
        }
        let expected = "a decimal number, a text in double quotes, `TRUE` or `FALSE`";
        let token = self.peek().clone();
        let value = match (token.kind, &*token.text) {
            (Kind::Word, "TRUE") if !is_negative => Literal::Bool(true),
            (Kind::Word, "FALSE") if !is_negative => Literal::Bool(false),
            (Kind::Number, text) => number(text, is_negative).ok_or_else(|| self.error(expected))?,
            (Kind::Text, _) if !is_negative => return Ok(Literal::Text(self.text())),
            _ => return Err(self.error(expected)),
        };
        self.next();
        Ok(value)
    }

    /// Reads texts that follow each other. Together they are one text.
    fn text(&mut self) -> String {
        let mut text = String::new();
        while self.peek().kind == Kind::Text {
            text += &self.next().text;
        }
        text
    }
}

/// The largest depth of modules. ROS 2 uses 3.
const MAX_MODULES: usize = 16;

#[cfg(test)]
mod tests;
