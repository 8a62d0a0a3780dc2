//! Conditions on messages, like those of `ros2 topic echo --filter`. They are a small subset of Python's expressions.
//!
//! `m` is the message. `.name` gives a field, and `[number]` gives an element. An expression may contain numbers, text
//! in quotes, `True` and `False`, `+ - * / %`, comparisons (which may be chained), `in`, `and`, `or`, `not`, `len()`
//! and `abs()`. All other names and functions are errors.

use std::{borrow::Cow, cmp::Ordering};

use crate::{Element, Schema, Type, Value, value::PathError};

mod parse;

/// A condition.
///
/// ```
/// # use saltus_dynamic::Filter;
/// assert!("m.data > 5 and m.name in 'abc'".parse::<Filter>().is_ok());
/// let error = "m.data >".parse::<Filter>().unwrap_err().to_string();
/// assert_eq!(error, "column 9: expected a value, found the end");
/// ```
#[derive(Clone, Debug)]
pub struct Filter(Expression);

/// The error for an invalid condition, or for a condition that can't be evaluated for a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FilterError(String);

#[derive(Clone, Debug)]
enum Expression {
    Message,
    Constant(Constant),
    Field(Box<Expression>, String),
    Element(Box<Expression>, Box<Expression>),
    Call(Function, Box<Expression>),
    Negative(Box<Expression>),
    Not(Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Calculate(Box<Expression>, char, Box<Expression>),
    /// A chain such as `a < b < c`: each comparison must hold between its two neighbours.
    Compare(Box<Expression>, Vec<(Comparison, Expression)>),
}

/// A constant in an expression.
#[derive(Clone, Debug)]
enum Constant {
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Len,
    Abs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
}

/// The value of an expression. Lists and messages are parts of the message and are not copied. The item of an element
/// is created when the element is used.
#[derive(Clone, Debug)]
enum Item<'a> {
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(Cow<'a, str>),
    List(&'a Value, &'a Type),
    Message(&'a Value, &'a Schema),
}

type Evaluated<'a> = Result<Item<'a>, FilterError>;

fn error<T>(text: impl Into<String>) -> Result<T, FilterError> {
    Err(FilterError(text.into()))
}

impl Filter {
    /// Whether the condition holds for a message.
    ///
    /// # Errors
    /// Returns an error if the condition uses a field or an element that the message does not have, or an
    /// operation that its values do not allow.
    pub fn holds(&self, schema: &Schema, message: &Value) -> Result<bool, FilterError> {
        Ok(self.0.evaluate(schema, message)?.is_true())
    }
}

impl Expression {
    fn evaluate<'a>(&'a self, schema: &'a Schema, message: &'a Value) -> Evaluated<'a> {
        let of = |expression: &'a Self| expression.evaluate(schema, message);
        Ok(match self {
            Self::Message => Item::Message(message, schema),
            Self::Constant(constant) => constant.item(),
            Self::Field(inner, name) => match of(inner)? {
                Item::Message(value, schema) => field(value, schema, name)?,
                item => return error(format!("{} has no field `{name}`", item.kind())),
            },
            Self::Element(inner, index) => {
                let list = of(inner)?;
                let Item::Integer(index) = of(index)? else {
                    return error("an index must be a whole number");
                };
                element(&list, index)?
            }
            Self::Call(function, argument) => call(*function, &of(argument)?)?,
            Self::Negative(operand) => calculate(&Item::Integer(0), '-', &of(operand)?)?,
            Self::Not(operand) => Item::Bool(!of(operand)?.is_true()),
            Self::And(left, right) => Item::Bool(of(left)?.is_true() && of(right)?.is_true()),
            Self::Or(left, right) => Item::Bool(of(left)?.is_true() || of(right)?.is_true()),
            Self::Calculate(left, operator, right) => calculate(&of(left)?, *operator, &of(right)?)?,
            Self::Compare(first, rest) => {
                let mut left = of(first)?;
                for (comparison, right) in rest {
                    let right = of(right)?;
                    if !compare(&left, *comparison, &right)? {
                        return Ok(Item::Bool(false));
                    }
                    left = right;
                }
                Item::Bool(true)
            }
        })
    }
}

impl Constant {
    fn item(&self) -> Item<'_> {
        match self {
            Self::Bool(value) => Item::Bool(*value),
            Self::Integer(value) => Item::Integer(*value),
            Self::Float(value) => Item::Float(*value),
            Self::Text(text) => Item::Text(Cow::Borrowed(text)),
        }
    }
}

fn field<'a>(message: &'a Value, schema: &'a Schema, name: &str) -> Evaluated<'a> {
    let missing = || FilterError(PathError::field(schema, name).to_string());
    let Value::Message(values) = message else { return Err(missing()) };
    let index = schema.position(name).ok_or_else(missing)?;
    let value = values.get(index).ok_or_else(missing)?;
    Ok(item_of(value, &schema.fields()[index].ty))
}

/// Returns an element of a list or a character of a text. As in Python, negative indices count from the end.
fn element<'a>(list: &Item<'a>, index: i128) -> Evaluated<'a> {
    let len = list.len().ok_or_else(|| FilterError(format!("{} has no elements", list.kind())))?;
    let from_start = if index < 0 { index + len as i128 } else { index };
    let found = usize::try_from(from_start).ok().and_then(|index| list.get(index));
    found.ok_or_else(|| FilterError(format!("there is no element {index}: the length is {len}")))
}

fn item_of<'a>(value: &'a Value, ty: &'a Type) -> Item<'a> {
    match (value, &ty.element) {
        (Value::Text(text), _) => Item::Text(Cow::Borrowed(text)),
        (Value::List(_) | Value::Numbers(_), _) => Item::List(value, ty),
        (Value::Message(_), Element::Message(schema)) => Item::Message(value, schema),
        _ => scalar(value),
    }
}

/// Returns the item of a number, a bool or a text.
fn scalar(value: &Value) -> Item<'static> {
    match value {
        Value::Bool(value) => Item::Bool(*value),
        Value::Signed(value) => Item::Integer((*value).into()),
        Value::Unsigned(value) => Item::Integer((*value).into()),
        Value::Float32(value) => Item::Float((*value).into()),
        Value::Float64(value) => Item::Float(*value),
        Value::Text(text) => Item::Text(Cow::Owned(text.clone())),
        Value::Wide(text) => Item::Text(Cow::Owned(text.to_string())),
        // Scalars never have these values.
        Value::Numbers(_) | Value::List(_) | Value::Message(_) => Item::Bool(false),
    }
}

impl<'a> Item<'a> {
    /// Whether Python treats the value as true. `False`, zero and empty values are not true.
    fn is_true(&self) -> bool {
        match self {
            Self::Bool(value) => *value,
            Self::Integer(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(..) => self.len() != Some(0),
            Self::Message(..) => true,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "a bool",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Text(_) => "text",
            Self::List(..) => "a list",
            Self::Message(..) => "a message",
        }
    }

    /// Returns the number of elements of a list, or of characters of a text.
    fn len(&self) -> Option<usize> {
        match self {
            Self::Text(text) => Some(text.chars().count()),
            Self::List(Value::Numbers(numbers), _) => Some(numbers.len()),
            Self::List(Value::List(values), _) => Some(values.len()),
            _ => None,
        }
    }

    /// Returns an element of a list, or a character of a text.
    fn get(&self, index: usize) -> Option<Self> {
        match self {
            Self::Text(text) => text.chars().nth(index).map(|c| Item::Text(Cow::Owned(c.into()))),
            Self::List(Value::Numbers(numbers), _) => numbers.get(index).map(|value| scalar(&value)),
            Self::List(Value::List(values), ty) => values.get(index).map(|value| item_of(value, ty)),
            _ => None,
        }
    }

    /// Returns the elements of a list. Returns no elements for another value.
    fn elements(&self) -> impl Iterator<Item = Self> {
        let len = if matches!(self, Self::List(..)) { self.len() } else { None };
        (0..len.unwrap_or(0)).filter_map(|index| self.get(index))
    }

    fn as_integer(&self) -> Option<i128> {
        match self {
            Self::Bool(value) => Some((*value).into()),
            Self::Integer(value) => Some(*value),
            _ => None,
        }
    }

    fn as_float(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            _ => self.as_integer().map(|value| value as f64),
        }
    }
}

fn call<'a>(function: Function, argument: &Item<'a>) -> Evaluated<'a> {
    match (function, argument) {
        (Function::Len, other) => match other.len() {
            Some(len) => Ok(Item::Integer(len as i128)),
            None => error(format!("{} has no length", other.kind())),
        },
        (Function::Abs, Item::Float(value)) => Ok(Item::Float(value.abs())),
        (Function::Abs, other) => match other.as_integer() {
            Some(value) => Ok(Item::Integer(value.abs())),
            None => error(format!("{} has no absolute value", other.kind())),
        },
    }
}

fn calculate<'a>(left: &Item<'a>, operator: char, right: &Item<'a>) -> Evaluated<'a> {
    let impossible = || FilterError(format!("can't calculate {} {operator} {}", left.kind(), right.kind()));
    if let (Some(a), Some(b), true) = (left.as_integer(), right.as_integer(), operator != '/') {
        let result = match operator {
            '+' => a.checked_add(b),
            '-' => a.checked_sub(b),
            '*' => a.checked_mul(b),
            // As in Python, the remainder has the sign of the divisor.
            _ => a.checked_rem(b).and_then(|rest| rest.checked_add(b)).and_then(|rest| rest.checked_rem(b)),
        };
        return result.map(Item::Integer).ok_or_else(|| FilterError("the result is not a number".into()));
    }
    if let (Item::Text(a), '+', Item::Text(b)) = (left, operator, right) {
        return Ok(Item::Text(format!("{a}{b}").into()));
    }
    let (a, b) = (left.as_float().ok_or_else(impossible)?, right.as_float().ok_or_else(impossible)?);
    Ok(Item::Float(match operator {
        '+' => a + b,
        '-' => a - b,
        '*' => a * b,
        '/' => a / b,
        _ => a - b * (a / b).floor(),
    }))
}

fn compare(left: &Item<'_>, comparison: Comparison, right: &Item<'_>) -> Result<bool, FilterError> {
    use Comparison::*;
    if comparison == In {
        return contains(right, left);
    }
    let order = order_of(left, right);
    Ok(match comparison {
        Equal => order == Some(Ordering::Equal),
        NotEqual => order != Some(Ordering::Equal),
        _ => {
            let numbers = left.as_float().is_some() && right.as_float().is_some();
            if order.is_none() && !numbers {
                return error(format!("can't compare {} with {}", left.kind(), right.kind()));
            }
            let allowed: &[Ordering] = match comparison {
                Less => &[Ordering::Less],
                LessOrEqual => &[Ordering::Less, Ordering::Equal],
                Greater => &[Ordering::Greater],
                _ => &[Ordering::Greater, Ordering::Equal],
            };
            order.is_some_and(|order| allowed.contains(&order))
        }
    })
}

/// Returns the order of two items. Returns `None` if they can't be compared, or if they differ but have no order.
fn order_of(left: &Item<'_>, right: &Item<'_>) -> Option<Ordering> {
    match (left, right) {
        (Item::Text(a), Item::Text(b)) => Some(a.cmp(b)),
        (Item::List(..), Item::List(..)) => {
            let mut orders = left.elements().zip(right.elements()).map(|(a, b)| order_of(&a, &b));
            let first = orders.find(|order| *order != Some(Ordering::Equal));
            first.unwrap_or_else(|| Some(left.len().cmp(&right.len())))
        }
        (Item::Message(a, _), Item::Message(b, _)) => (a == b).then_some(Ordering::Equal),
        _ => match (left.as_integer(), right.as_integer()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => left.as_float()?.partial_cmp(&right.as_float()?),
        },
    }
}

fn contains(whole: &Item<'_>, part: &Item<'_>) -> Result<bool, FilterError> {
    match (whole, part) {
        (Item::Text(whole), Item::Text(part)) => Ok(whole.contains(part.as_ref())),
        (Item::List(..), _) => {
            Ok(whole.elements().any(|item| order_of(&item, part) == Some(Ordering::Equal)))
        }
        _ => error(format!("{} can't be in {}", part.kind(), whole.kind())),
    }
}

#[cfg(test)]
mod tests {
    use saltus_idl::{Interfaces, SourceKind};

    use super::*;

    fn scene() -> (Schema, Value) {
        let mut interfaces = Interfaces::default();
        interfaces.add("a", SourceKind::Message, "Inner", "float32 x 1.5").unwrap();
        let text = "int32 data 7\nstring name \"left arm\"\nuint8[] bytes [1, 2, 3]\nInner inner\nInner[2] two\nbool on true";
        interfaces.add("a", SourceKind::Message, "All", text).unwrap();
        let schema = Schema::of(&interfaces, "a/msg/All").unwrap();
        let value = Value::default_of(&schema);
        (schema, value)
    }

    #[test]
    fn conditions_hold_or_not_as_in_python() {
        let (schema, value) = scene();
        for (text, want) in [
            ("m.data == 7", true),
            ("m.data != 7", false),
            ("5 < m.data <= 7", true),
            ("m.data % 4 == 3 and -m.data % 4 == 1", true),
            ("m.data / 2 == 3.5", true),
            ("not m.on or m.data > 100", false),
            ("m.on", true),
            ("m.name == 'left arm'", true),
            ("'arm' in m.name and \"leg\" not in m.name", true),
            ("2 in m.bytes and 9 not in m.bytes", true),
            ("len(m.bytes) == 3 and m.bytes[-1] == 3 and m.bytes[0] + 1 == m.bytes[1]", true),
            ("m.inner.x == 1.5 and m.two[1].x > 1", true),
            ("abs(-m.data) * 2 == 14 and abs(-1.5) == m.inner.x", true),
            ("m.two[0] == m.two[1]", true),
            ("m.name[0] == 'l'", true),
            ("m.data == 'text'", false),
            ("(1 + 2) * 3 == 9 and 1 + 2 * 3 == 7", true),
            ("True and not False", true),
        ] {
            let filter: Filter = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(filter.holds(&schema, &value), Ok(want), "{text}");
        }
    }

    #[test]
    fn the_error_for_an_invalid_condition_says_what_is_wrong() {
        let (schema, value) = scene();
        for (text, want) in [
            ("", "column 1: expected a value, found the end"),
            ("m.data = 7", "column 8: expected `==`, found `=`"),
            ("m.data 7", "column 8: expected the end, found `7`"),
            ("(m.data", "column 8: expected `)`, found the end"),
            ("import os", "column 1: unknown name `import`"),
            ("'open", "column 1: the text has no closing quote"),
            ("m.data & 1", "column 8: unexpected `&`"),
        ] {
            assert_eq!(text.parse::<Filter>().unwrap_err().to_string(), want, "{text}");
        }
        for (text, want) in [
            ("m.nothing", "`a/msg/All` has no field `nothing`: it has data, name, bytes, inner, two, on"),
            ("m.bytes[3]", "there is no element 3: the length is 3"),
            ("m.name < 3", "can't compare text with a whole number"),
            ("m.data.x", "a whole number has no field `x`"),
            ("len(3)", "a whole number has no length"),
            ("1 % 0", "the result is not a number"),
        ] {
            let filter: Filter = text.parse().unwrap();
            assert_eq!(filter.holds(&schema, &value).unwrap_err().to_string(), want, "{text}");
        }
        let deep = "(".repeat(10_000) + "1" + &")".repeat(10_000);
        assert!(deep.parse::<Filter>().unwrap_err().to_string().contains("nested"));
    }
}
