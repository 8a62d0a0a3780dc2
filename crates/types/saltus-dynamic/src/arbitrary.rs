//! Random values of any type, for property tests of this and other crates.

use saltus_cdr::WString;
use saltus_idl::{Primitive, Shape};

use crate::{Element, Numbers, Schema, Type, Value};

/// A SplitMix64 random number generator. The same seed gives the same values.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    /// Returns a number below a limit, which must not be 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    /// Returns a message with a random value in each field.
    pub fn message(&mut self, schema: &Schema) -> Value {
        Value::Message(schema.fields().iter().map(|field| self.field(&field.ty)).collect())
    }

    fn field(&mut self, ty: &Type) -> Value {
        let len = match ty.shape {
            Shape::Scalar => return self.element(&ty.element),
            Shape::Array(n) => n as usize,
            Shape::Bounded(n) => self.below((n as usize).min(4) + 1),
            Shape::Unbounded => self.below(4),
        };
        let Some(primitive) = ty.numbers() else {
            return Value::List((0..len).map(|_| self.element(&ty.element)).collect());
        };
        let mut numbers = Numbers::new(primitive);
        while numbers.len() < len {
            numbers.push(&self.element(&ty.element));
        }
        Value::Numbers(numbers)
    }

    fn element(&mut self, element: &Element) -> Value {
        let bits = self.bits();
        match element {
            Element::Primitive(primitive) => match primitive {
                Primitive::Bool => Value::Bool(bits.is_multiple_of(2)),
                Primitive::Byte | Primitive::Char | Primitive::Uint8 => Value::Unsigned(bits & 0xFF),
                Primitive::Int8 => Value::Signed((bits as i8).into()),
                Primitive::Int16 => Value::Signed((bits as i16).into()),
                Primitive::Uint16 => Value::Unsigned(bits & 0xFFFF),
                Primitive::Int32 => Value::Signed((bits as i32).into()),
                Primitive::Uint32 => Value::Unsigned(bits & 0xFFFF_FFFF),
                Primitive::Int64 => Value::Signed(bits as i64),
                Primitive::Uint64 => Value::Unsigned(bits),
                Primitive::Float32 => Value::Float32(f32::from_bits(bits as u32)),
                Primitive::Float64 => Value::Float64(f64::from_bits(bits)),
            },
            Element::String(bound) => Value::Text(self.text(*bound)),
            Element::WString(bound) => Value::Wide(WString::from(&*self.text(bound.map(|bound| bound / 4)))),
            Element::Message(schema) => self.message(schema),
        }
    }

    /// Returns text that is hard to quote correctly.
    fn text(&mut self, bound: Option<u32>) -> String {
        const PIECES: [&str; 24] = [
            "a",
            " ",
            "\n",
            "'",
            "\"",
            ": ",
            " #",
            "-",
            "é",
            "\t",
            "\u{1}",
            "true",
            "1",
            "1e5",
            "~",
            "[",
            "{",
            "|",
            "\\",
            "\u{1F916}",
            "%",
            "\r",
            "=",
            "---",
        ];
        let count = self.below(6);
        let mut text = String::new();
        for _ in 0..count {
            let piece = PIECES[self.below(PIECES.len())];
            if text.len() + piece.len() <= bound.map_or(usize::MAX, |bound| bound as usize) {
                text += piece;
            }
        }
        text
    }
}
