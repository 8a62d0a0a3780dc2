//! Which messages have the same layout on the wire and in memory.

use saltus_idl::{Base, FieldType, Interfaces, Message, Primitive, Shape};

/// The layout of a message whose CDR bytes are its bytes in memory.
///
/// **Invariant:** there is no padding in it, and its first member has the largest alignment, so
/// that CDR, which aligns members but not structs, can't lay it out differently anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainLayout {
    /// 1, 2, 4 or 8 bytes.
    pub align: usize,
    /// In bytes; a multiple of `align`.
    pub size: usize,
}

impl PlainLayout {
    /// The layout of a message, if it has one.
    ///
    /// Bools are excluded: a byte from a wire need not be a valid one.
    pub fn of(message: &Message, interfaces: &Interfaces) -> Option<Self> {
        let mut whole: Option<Self> = None;
        for field in &message.fields {
            let part = Self::of_field(&field.ty, interfaces)?;
            let before = whole.unwrap_or(Self { align: part.align, size: 0 });
            if part.align > before.align || !before.size.is_multiple_of(part.align) {
                return None;
            }
            whole = Some(Self { align: before.align, size: before.size.checked_add(part.size)? });
        }
        whole.filter(|layout| layout.size.is_multiple_of(layout.align))
    }

    fn of_field(ty: &FieldType, interfaces: &Interfaces) -> Option<Self> {
        let one = match &ty.base {
            Base::Primitive(Primitive::Bool) | Base::String(_) | Base::WString(_) => return None,
            Base::Primitive(primitive) => Self { align: primitive.size(), size: primitive.size() },
            Base::Nested(name) => Self::of(interfaces.message(&name.to_string())?, interfaces)?,
        };
        match ty.shape {
            Shape::Scalar => Some(one),
            Shape::Array(n) => Some(Self { size: one.size.checked_mul(n as usize)?, ..one }),
            Shape::Bounded(_) | Shape::Unbounded => None,
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
        PlainLayout::of(interfaces.message("p/msg/M").unwrap(), &interfaces).map(|l| (l.align, l.size))
    }

    #[test]
    fn only_what_can_lie_nowhere_differently_is_plain() {
        assert_eq!(layout("float64 x\nfloat64 y"), Some((8, 16)));
        assert_eq!(layout("Inner[3] i\nuint32 c"), Some((4, 28)));
        assert_eq!(layout("float64 x\nuint32 a\nuint32 b"), Some((8, 16)));
        assert_eq!(layout("uint32 a\nfloat64 x"), None, "padding between depends on where it starts");
        assert_eq!(layout("float64 x\nuint8 a"), None, "memory pads behind, the wire does not");
        assert_eq!(layout("uint8 a\nuint8 b"), Some((1, 2)));
        assert_eq!(layout("bool a"), None);
        assert_eq!(layout("uint8[] a"), None);
        assert_eq!(layout("string a"), None);
        assert_eq!(layout(""), None);
    }
}
