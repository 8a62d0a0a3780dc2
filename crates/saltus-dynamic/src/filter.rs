//! Conditions on messages, in the form that `ros2 topic echo --filter` takes: a small part of Python's expressions.
//!
//! `m` is the message; fields and elements are reached by `.name` and `[number]`. There are numbers, text in
//! quotes, `True` and `False`, `+ - * / %`, comparisons (chained, too), `in`, `and`, `or`, `not`, `len()` and
//! `abs()`. There is nothing else: other names are errors, and other functions can't be called.

use std::cmp::Ordering;

use crate::{Element, Schema, Type, Value};

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

/// What is wrong with a condition, or why it can't be evaluated for a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FilterError(String);

#[derive(Clone, Debug)]
enum Expression {
    Message,
    Constant(Item),
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

/// The value of an expression.
#[derive(Clone, Debug)]
enum Item {
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    List(Vec<Item>),
    Message(Value, Schema),
}

type Answer = Result<Item, FilterError>;

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
    fn evaluate(&self, schema: &Schema, message: &Value) -> Answer {
        let of = |expression: &Self| expression.evaluate(schema, message);
        Ok(match self {
            Self::Message => Item::Message(message.clone(), schema.clone()),
            Self::Constant(item) => item.clone(),
            // A path below the message is followed without copying the rest of the message.
            Self::Field(..) | Self::Element(..) => self.follow(schema, message)?,
            Self::Call(function, argument) => call(*function, of(argument)?)?,
            Self::Negative(operand) => calculate(Item::Integer(0), '-', of(operand)?)?,
            Self::Not(operand) => Item::Bool(!of(operand)?.is_true()),
            Self::And(left, right) => Item::Bool(of(left)?.is_true() && of(right)?.is_true()),
            Self::Or(left, right) => Item::Bool(of(left)?.is_true() || of(right)?.is_true()),
            Self::Calculate(left, operator, right) => calculate(of(left)?, *operator, of(right)?)?,
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

    fn follow(&self, schema: &Schema, message: &Value) -> Answer {
        match self {
            Self::Field(inner, name) => match &**inner {
                Self::Message => field(message, schema, name),
                other => match other.evaluate(schema, message)? {
                    Item::Message(value, schema) => field(&value, &schema, name),
                    item => error(format!("{} has no field `{name}`", item.kind())),
                },
            },
            Self::Element(inner, index) => {
                let list = inner.evaluate(schema, message)?;
                let Item::Integer(index) = index.evaluate(schema, message)? else {
                    return error("an index must be a whole number");
                };
                element(list, index)
            }
            _ => self.evaluate(schema, message),
        }
    }
}

fn field(message: &Value, schema: &Schema, name: &str) -> Answer {
    let missing = || {
        let names: Vec<&str> = schema.fields().iter().map(|field| &*field.name).collect();
        FilterError(format!("`{}` has no field `{name}`: it has {}", schema.name(), names.join(", ")))
    };
    let Value::Message(values) = message else { return Err(missing()) };
    let place = schema.position(name).ok_or_else(missing)?;
    let value = values.get(place).ok_or_else(missing)?;
    Ok(item_of(value, &schema.fields()[place].ty))
}

/// Returns an element of a list or a character of a text. As in Python, negative indices count from the end.
fn element(list: Item, index: i128) -> Answer {
    let (Item::List(_) | Item::Text(_)) = &list else {
        return error(format!("{} has no elements", list.kind()));
    };
    let items = match list {
        Item::List(items) => items,
        Item::Text(text) => text.chars().map(|c| Item::Text(c.into())).collect(),
        _ => Vec::new(),
    };
    let place = if index < 0 { index + items.len() as i128 } else { index };
    let found = usize::try_from(place).ok().and_then(|place| items.get(place)).cloned();
    found.ok_or_else(|| FilterError(format!("there is no element {index}: the length is {}", items.len())))
}

fn item_of(value: &Value, ty: &Type) -> Item {
    match (value, &ty.element) {
        (Value::Bool(value), _) => Item::Bool(*value),
        (Value::Signed(value), _) => Item::Integer((*value).into()),
        (Value::Unsigned(value), _) => Item::Integer((*value).into()),
        (Value::Float32(value), _) => Item::Float((*value).into()),
        (Value::Float64(value), _) => Item::Float(*value),
        (Value::Text(text), _) => Item::Text(text.clone()),
        (Value::Wide(text), _) => Item::Text(text.to_string()),
        (Value::Bytes(bytes), _) => {
            Item::List(bytes.iter().map(|byte| Item::Integer((*byte).into())).collect())
        }
        (Value::List(values), _) => Item::List(values.iter().map(|value| item_of(value, ty)).collect()),
        (Value::Message(_), Element::Message(schema)) => Item::Message(value.clone(), schema.clone()),
        (Value::Message(_), _) => Item::List(Vec::new()),
    }
}

impl Item {
    /// Whether it is true in Python: `False`, zero and empty values are not.
    fn is_true(&self) -> bool {
        match self {
            Self::Bool(value) => *value,
            Self::Integer(value) => *value != 0,
            Self::Float(value) => *value != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Message(..) => true,
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Bool(_) => "a bool",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Message(..) => "a message",
        }
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

fn call(function: Function, argument: Item) -> Answer {
    match (function, argument) {
        (Function::Len, Item::List(items)) => Ok(Item::Integer(items.len() as i128)),
        (Function::Len, Item::Text(text)) => Ok(Item::Integer(text.chars().count() as i128)),
        (Function::Len, other) => error(format!("{} has no length", other.kind())),
        (Function::Abs, Item::Float(value)) => Ok(Item::Float(value.abs())),
        (Function::Abs, other) => match other.as_integer() {
            Some(value) => Ok(Item::Integer(value.abs())),
            None => error(format!("{} has no absolute value", other.kind())),
        },
    }
}

fn calculate(left: Item, operator: char, right: Item) -> Answer {
    let impossible = || FilterError(format!("can't calculate {} {operator} {}", left.kind(), right.kind()));
    if let (Some(a), Some(b), true) = (left.as_integer(), right.as_integer(), operator != '/') {
        let result = match operator {
            '+' => a.checked_add(b),
            '-' => a.checked_sub(b),
            '*' => a.checked_mul(b),
            // Python's remainder has the sign of the divisor.
            _ => a.checked_rem(b).and_then(|rest| rest.checked_add(b)).and_then(|rest| rest.checked_rem(b)),
        };
        return result.map(Item::Integer).ok_or_else(|| FilterError("the result is not a number".into()));
    }
    if let (Item::Text(a), '+', Item::Text(b)) = (&left, operator, &right) {
        return Ok(Item::Text(format!("{a}{b}")));
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

fn compare(left: &Item, comparison: Comparison, right: &Item) -> Result<bool, FilterError> {
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

/// Returns how two items are ordered; `None` if they can't be compared, or differ but have no order.
fn order_of(left: &Item, right: &Item) -> Option<Ordering> {
    match (left, right) {
        (Item::Text(a), Item::Text(b)) => Some(a.cmp(b)),
        (Item::List(a), Item::List(b)) => {
            let first =
                a.iter().zip(b).map(|(a, b)| order_of(a, b)).find(|order| *order != Some(Ordering::Equal));
            first.unwrap_or_else(|| Some(a.len().cmp(&b.len())))
        }
        (Item::Message(a, _), Item::Message(b, _)) => (a == b).then_some(Ordering::Equal),
        _ => match (left.as_integer(), right.as_integer()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => left.as_float()?.partial_cmp(&right.as_float()?),
        },
    }
}

fn contains(whole: &Item, part: &Item) -> Result<bool, FilterError> {
    match (whole, part) {
        (Item::Text(whole), Item::Text(part)) => Ok(whole.contains(part.as_str())),
        (Item::List(items), _) => Ok(items.iter().any(|item| order_of(item, part) == Some(Ordering::Equal))),
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
    fn an_invalid_condition_is_an_error_that_says_why() {
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
