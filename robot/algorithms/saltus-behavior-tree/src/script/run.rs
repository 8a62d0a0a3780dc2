//! The interpreter: it evaluates expressions.

use std::collections::BTreeMap;

use super::parse::Expression;
use crate::{
    board::{BoardId, Boards},
    error::ScriptError,
    port::Kind,
    value::{FromValue, Value},
};

/// The constants, by their names.
pub(crate) type Names = BTreeMap<String, i64>;

/// The values of names: entries of a blackboard, and constants.
pub(crate) struct Scope<'a> {
    pub(crate) boards: &'a mut Boards,
    pub(crate) board: BoardId,
    pub(crate) names: &'a Names,
}

/// The largest difference of two numbers that count as equal.
const ROUNDING: f64 = f32::EPSILON as f64;

/// Returns whether a value is true, if it is a truth value: a whole number must be 0 or 1.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Integer(number @ (0 | 1)) => Some(*number == 1),
        Value::Double(number) => Some(*number != 0.0),
        _ => None,
    }
}

fn double(is_true: bool) -> Value {
    Value::Double(f64::from(u8::from(is_true)))
}

impl Scope<'_> {
    pub(super) fn run(&mut self, expression: &Expression) -> Result<Value, ScriptError> {
        match expression {
            Expression::Literal(value) => Ok(value.clone()),
            Expression::Name(name) => self.value(name),
            Expression::Unary(operator, operand) => unary(operator, &self.run(operand)?),
            Expression::Binary(operator, left, right) => {
                // Both are evaluated, also with `&&` and `||`.
                let (left, right) = (self.run(left)?, self.run(right)?);
                binary(operator, &left, &right)
            }
            Expression::Comparison(first, others) => self.comparison(first, others),
            Expression::Ternary(parts) => {
                let [condition, then, otherwise] = &**parts;
                let condition = self.run(condition)?;
                let condition = condition.number().ok_or(ScriptError::Condition)?;
                self.run(if condition != 0.0 { then } else { otherwise })
            }
            Expression::Assignment(operator, name, value) => {
                let value = self.run(value)?;
                self.assign(operator, name, value)
            }
        }
    }

    fn value(&self, name: &str) -> Result<Value, ScriptError> {
        if let Some(number) = self.names.get(name) {
            return Ok(Value::Double(*number as f64));
        }
        if !self.boards.contains(self.board, name) {
            return Err(ScriptError::UnknownVariable(name.into()));
        }
        let value = self.boards.get(self.board, name);
        value.cloned().ok_or_else(|| ScriptError::UnsetVariable(name.into()))
    }

    fn comparison(
        &mut self,
        first: &Expression,
        others: &[(&'static str, Expression)],
    ) -> Result<Value, ScriptError> {
        let mut left = self.run(first)?;
        let mut is_true = true;
        for (operator, right) in others {
            let right = self.run(right)?;
            is_true &= self.compare(operator, &left, &right)?;
            left = right;
        }
        Ok(double(is_true))
    }

    fn compare(&self, operator: &str, left: &Value, right: &Value) -> Result<bool, ScriptError> {
        use std::cmp::Ordering::{Equal, Greater, Less};
        if let (Value::Text(left), Value::Text(right)) = (left, right) {
            return Ok(matches_order(operator, left.cmp(right)));
        }
        let number = |value: &Value| match value {
            Value::Text(text) => self.text_number(text),
            value => value.number(),
        };
        let (Some(left), Some(right)) = (number(left), number(right)) else {
            let (left, right) = (format!("{left:?}"), format!("{right:?}"));
            return Err(ScriptError::Comparison { left, right });
        };
        let order = match left - right {
            difference if difference.abs() <= ROUNDING || left == right => Equal,
            difference if difference < 0.0 => Less,
            _ => Greater,
        };
        Ok(matches_order(operator, order))
    }

    /// Returns the number that a text stands for beside a number.
    fn text_number(&self, text: &str) -> Option<f64> {
        match text {
            "true" => Some(1.0),
            "false" => Some(0.0),
            text => self.names.get(text).map(|number| *number as f64).or_else(|| text.parse().ok()),
        }
    }

    fn assign(&mut self, operator: &str, name: &str, value: Value) -> Result<Value, ScriptError> {
        if operator != ":=" && !self.boards.contains(self.board, name) {
            return Err(ScriptError::UnknownEntry(name.into()));
        }
        let value = match operator.strip_suffix('=') {
            Some(operator @ ("+" | "-" | "*" | "/")) => binary(operator, &self.value(name)?, &value)?,
            _ => value,
        };
        let value = self.fitting(name, value)?;
        self.boards.set(self.board, name, value.clone());
        Ok(value)
    }

    /// Returns a value as the entry needs it: of the kind of its port, or of the value before.
    fn fitting(&self, name: &str, value: Value) -> Result<Value, ScriptError> {
        let kind = self.boards.kind(self.board, name);
        let wrong = |kind: &'static str| {
            let problem = match &value {
                Value::Text(_) => "is a string, can't convert to".to_owned(),
                value => format!("has type [{}] and can't be converted to", value.kind_name()),
            };
            ScriptError::EntryType { entry: name.into(), kind, problem }
        };
        match (kind, self.boards.get(self.board, name)) {
            (Kind::Text, _) if matches!(value, Value::Text(_)) => Ok(value),
            (Kind::Text, _) => Err(wrong("std::string")),
            (Kind::Any, None) => Ok(value),
            (Kind::Any, Some(before)) => like(before, &value).ok_or_else(|| wrong(before.kind_name())),
            (kind, _) => match &value {
                Value::Text(text) => kind.read(text).map_err(|_| wrong(kind.name())),
                Value::Object(_) => Ok(value),
                number => numeric(kind, number).ok_or_else(|| wrong(kind.name())),
            },
        }
    }
}

/// Returns a number as a kind needs it.
fn numeric(kind: Kind, number: &Value) -> Option<Value> {
    match kind {
        Kind::Double => f64::from_value(number).ok().map(Value::Double),
        Kind::Integer => i64::from_value(number).ok().map(Value::Integer),
        Kind::Unsigned => i64::from_value(number).ok().filter(|number| *number >= 0).map(Value::Integer),
        Kind::Bool => {
            i64::from_value(number).ok().filter(|number| matches!(number, 0 | 1)).map(Value::Integer)
        }
        Kind::Any | Kind::Text | Kind::Status | Kind::Object { .. } => None,
    }
}

/// Returns a value as the same kind as another one.
fn like(before: &Value, value: &Value) -> Option<Value> {
    match before {
        Value::Integer(_) => i64::from_value(value).ok().map(Value::Integer),
        Value::Double(_) => f64::from_value(value).ok().map(Value::Double),
        Value::Text(_) => matches!(value, Value::Text(_)).then(|| value.clone()),
        Value::Object(_) => matches!(value, Value::Object(_)).then(|| value.clone()),
    }
}

fn matches_order(operator: &str, order: std::cmp::Ordering) -> bool {
    match operator {
        "==" => order.is_eq(),
        "!=" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        _ => order.is_ge(),
    }
}

fn unary(operator: &str, operand: &Value) -> Result<Value, ScriptError> {
    let Some(number) = operand.number() else {
        return Err(ScriptError::Unary);
    };
    Ok(match operator {
        "-" => Value::Double(-number),
        "~" => Value::Double(!whole(number)? as f64),
        _ => double(number == 0.0),
    })
}

fn whole(number: f64) -> Result<i64, ScriptError> {
    i64::from_value(&Value::Double(number)).map_err(|_| ScriptError::NotInteger)
}

fn binary(operator: &str, left: &Value, right: &Value) -> Result<Value, ScriptError> {
    let has_text = matches!(left, Value::Text(_)) || matches!(right, Value::Text(_));
    let are_texts = matches!(left, Value::Text(_)) && matches!(right, Value::Text(_));
    if (operator == ".." && has_text) || (operator == "+" && are_texts) {
        let text = |value: &Value| value.to_text().ok_or(ScriptError::NotPermitted);
        return Ok(Value::from(text(left)? + &text(right)?));
    }
    if matches!(operator, "&&" | "||") {
        let (Some(left), Some(right)) = (truth(left), truth(right)) else {
            return Err(ScriptError::NotBool);
        };
        return Ok(double(if operator == "&&" { left && right } else { left || right }));
    }
    let (Some(left), Some(right)) = (left.number(), right.number()) else {
        return Err(ScriptError::NotPermitted);
    };
    Ok(Value::Double(match operator {
        "+" => left + right,
        "-" => left - right,
        "*" => left * right,
        "/" => left / right,
        "&" => (whole(left)? & whole(right)?) as f64,
        "|" => (whole(left)? | whole(right)?) as f64,
        "^" => (whole(left)? ^ whole(right)?) as f64,
        _ => return Err(ScriptError::NotPermitted),
    }))
}
