//! Plain layouts: finds the messages that have the same layout on the wire and in memory.

use std::{cell::RefCell, collections::HashMap};

use saltus_idl::{Base, FieldType, Interfaces, Message, Primitive, Shape, TypeName};

/// The expected length of a string, in bytes.
const SHORT_STRING: usize = 64;

/// The plain layout of a message: its CDR bytes are the same as its bytes in memory.
///
/// **Invariant:** the layout has no padding, and its first member has the largest alignment. CDR aligns members but not
/// structs, so with another first member the padding would depend on where the message begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlainLayout {
    /// The alignment in bytes: 1, 2, 4 or 8.
    pub(crate) align: usize,
    /// The size in bytes, a multiple of `align`.
    pub(crate) size: usize,
}

impl PlainLayout {
    /// Returns the layout of two parts in sequence. Returns `None` if there is padding between them on the wire or in
    /// memory.
    fn followed_by(self, part: Self) -> Option<Self> {
        let fits = part.align <= self.align && self.size.is_multiple_of(part.align);
        Some(Self { align: self.align, size: self.size.checked_add(part.size)? }).filter(|_| fits)
    }
}

/// The layouts of a set of interfaces. Each layout is computed once.
///
/// **Invariant:** no message contains itself. The caller resolves a message before it requests the layout.
#[derive(Debug)]
pub(crate) struct Layouts<'a> {
    interfaces: &'a Interfaces,
    plain: RefCell<HashMap<&'a TypeName, Option<PlainLayout>>>,
    sizes: RefCell<HashMap<&'a TypeName, usize>>,
}

impl<'a> Layouts<'a> {
    pub(crate) fn new(interfaces: &'a Interfaces) -> Self {
        Self { interfaces, plain: RefCell::default(), sizes: RefCell::default() }
    }

    /// Returns the plain layout of a message, or `None` if its layout is not plain.
    ///
    /// A message with a bool is not plain, because a received byte may not be a valid bool.
    pub(crate) fn plain(&self, message: &'a Message) -> Option<PlainLayout> {
        if let Some(known) = self.plain.borrow().get(&message.name) {
            return *known;
        }
        let layout = self.plain_fields(message).filter(|layout| layout.size.is_multiple_of(layout.align));
        self.plain.borrow_mut().insert(&message.name, layout);
        layout
    }

    /// Whether the message with this name has a plain layout.
    pub(crate) fn is_plain(&self, name: &TypeName) -> bool {
        self.plain_named(name).is_some()
    }

    /// Returns the plain layout of the message with this name, or `None` if its layout is not plain.
    pub(crate) fn plain_named(&self, name: &TypeName) -> Option<PlainLayout> {
        self.message(name).and_then(|message| self.plain(message))
    }

    fn message(&self, name: &TypeName) -> Option<&'a Message> {
        self.interfaces.message(&name.to_string())
    }

    fn plain_fields(&self, message: &'a Message) -> Option<PlainLayout> {
        let mut whole: Option<PlainLayout> = None;
        for field in &message.fields {
            let part = self.plain_field(&field.ty)?;
            whole = Some(whole.map_or(Some(part), |whole| whole.followed_by(part))?);
        }
        whole
    }

    fn plain_field(&self, ty: &'a FieldType) -> Option<PlainLayout> {
        let one = match &ty.base {
            Base::Primitive(Primitive::Bool) | Base::String(_) | Base::WString(_) => return None,
            Base::Primitive(primitive) => PlainLayout { align: primitive.size(), size: primitive.size() },
            Base::Nested(name) => self.plain(self.message(name)?)?,
        };
        match ty.shape {
            Shape::Scalar => Some(one),
            Shape::Array(n) => Some(PlainLayout { size: one.size.checked_mul(n as usize)?, ..one }),
            Shape::Bounded(_) | Shape::Unbounded => None,
        }
    }

    /// Returns an upper bound for the size of the fixed parts of a message, in bytes. Each string is counted with the
    /// length [`SHORT_STRING`].
    pub(crate) fn fixed_size(&self, message: &'a Message) -> usize {
        if let Some(known) = self.sizes.borrow().get(&message.name) {
            return *known;
        }
        let fields = message.fields.iter().map(|field| self.fixed_field_size(&field.ty));
        // An empty message is one byte on the wire.
        let size = fields.fold(usize::from(message.fields.is_empty()), usize::saturating_add);
        self.sizes.borrow_mut().insert(&message.name, size);
        size
    }

    fn fixed_field_size(&self, ty: &'a FieldType) -> usize {
        let one = match &ty.base {
            Base::Primitive(primitive) => primitive.size(),
            Base::String(_) | Base::WString(_) => 8 + SHORT_STRING,
            Base::Nested(name) => self.message(name).map_or(0, |nested| self.fixed_size(nested)),
        };
        match ty.shape {
            Shape::Scalar => one.saturating_add(7),
            Shape::Array(n) => one.saturating_mul(n as usize).saturating_add(7),
            Shape::Bounded(_) | Shape::Unbounded => 7 + 4 + 7,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_idl::SourceKind;

    fn layout(text: &str) -> Option<(usize, usize)> {
        let mut interfaces = Interfaces::default();
        interfaces.add("p", SourceKind::Message, "Inner", "uint32 a\nuint32 b").unwrap();
        interfaces.add("p", SourceKind::Message, "M", text).unwrap();
        let layouts = Layouts::new(&interfaces);
        layouts.plain(interfaces.message("p/msg/M").unwrap()).map(|l| (l.align, l.size))
    }

    #[test]
    fn a_message_is_plain_only_if_its_layout_is_the_same_everywhere() {
        assert_eq!(layout("float64 x\nfloat64 y"), Some((8, 16)));
        assert_eq!(layout("Inner[3] i\nuint32 c"), Some((4, 28)));
        assert_eq!(layout("float64 x\nuint32 a\nuint32 b"), Some((8, 16)));
        assert_eq!(layout("uint32 a\nfloat64 x"), None, "the padding depends on where the message begins");
        assert_eq!(
            layout("float64 x\nuint8 a"),
            None,
            "there is padding at the end in memory, but not on the wire"
        );
        assert_eq!(layout("uint8 a\nuint8 b"), Some((1, 2)));
        assert_eq!(layout("bool a"), None);
        assert_eq!(layout("uint8[] a"), None);
        assert_eq!(layout("string a"), None);
        assert_eq!(layout(""), None);
    }

    #[test]
    fn the_time_is_linear_for_messages_that_each_contain_the_next_one_twice() {
        let mut interfaces = Interfaces::default();
        for i in 0..60 {
            let text = format!("D{0} a\nD{0} b", i + 1);
            interfaces.add("p", SourceKind::Message, &format!("D{i}"), &text).unwrap();
        }
        interfaces.add("p", SourceKind::Message, "D60", "float64[4294967295] x").unwrap();
        let layouts = Layouts::new(&interfaces);
        let top = interfaces.message("p/msg/D0").unwrap();
        assert_eq!(layouts.plain(top), None, "the message is larger than memory");
        assert_eq!(layouts.fixed_size(top), usize::MAX);
    }
}
