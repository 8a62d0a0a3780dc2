//! The parser: it reads the expressions of a script.

use super::token::{Token, TokenKind, tokens};
use crate::{error::ScriptError, value::Value};

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Literal(Value),
    Name(String),
    Unary(&'static str, Box<Self>),
    Binary(&'static str, Box<Self>, Box<Self>),
    /// Comparisons of each operand with the next one. All must be true.
    Comparison(Box<Self>, Vec<(&'static str, Self)>),
    Ternary(Box<[Self; 3]>),
    Assignment(&'static str, String, Box<Self>),
}

/// The largest depth of nested expressions. Deeper expressions could use up the stack.
const DEEPEST: usize = 100;

/// The largest number of tokens of a script. A chain of operators is as deep as it is long.
const MOST: usize = 1000;

/// The binary operators except comparisons, the loosest first.
const LEVELS: [&[&str]; 6] = [&["||"], &["&&"], &[], &["|", "^"], &["&"], &["+", "-", ".."]];
const COMPARISON: usize = 2;
const COMPARISONS: &[&str] = &["==", "!=", "<=", ">=", "<", ">"];
const PRODUCTS: &[&str] = &["*", "/"];
const ASSIGNMENTS: &[&str] = &[":=", "=", "+=", "-=", "*=", "/="];

/// Reads the expressions of a script.
pub(super) fn statements(source: &str) -> Result<Vec<Expression>, ScriptError> {
    let tokens = tokens(source)?;
    if tokens.len() > MOST {
        return Err(ScriptError::Tokens(MOST));
    }
    let mut parser = Parser { tokens, index: 0, depth: 0 };
    let mut statements = Vec::new();
    loop {
        while parser.takes(&[";"]).is_some() {}
        if parser.peek().kind == TokenKind::End {
            break;
        }
        statements.push(parser.statement()?);
    }
    if statements.is_empty() { Err(ScriptError::Empty) } else { Ok(statements) }
}

struct Parser {
    tokens: Vec<Token>,
    index: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        // The last token is the end. It stays.
        &self.tokens[self.index.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.index += 1;
        token
    }

    /// Takes the next token if it is one of these operators.
    fn takes(&mut self, operators: &[&str]) -> Option<&'static str> {
        let TokenKind::Operator(operator) = self.peek().kind else { return None };
        if !operators.contains(&operator) {
            return None;
        }
        self.index += 1;
        Some(operator)
    }

    fn expect(&mut self, operator: &'static str) -> Result<(), ScriptError> {
        if self.takes(&[operator]).is_some() {
            return Ok(());
        }
        let Token { kind, position } = self.peek();
        Err(ScriptError::Operator { operator, found: kind.to_string(), position: *position })
    }

    fn statement(&mut self) -> Result<Expression, ScriptError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ScriptError::Depth(DEEPEST));
        }
        let left = self.ternary()?;
        let position = self.peek().position;
        let statement = match self.takes(ASSIGNMENTS) {
            None => left,
            Some(operator) => {
                let Expression::Name(name) = left else {
                    return Err(ScriptError::Target { position });
                };
                Expression::Assignment(operator, name, Box::new(self.statement()?))
            }
        };
        self.depth -= 1;
        Ok(statement)
    }

    fn ternary(&mut self) -> Result<Expression, ScriptError> {
        let condition = self.binary(0)?;
        if self.takes(&["?"]).is_none() {
            return Ok(condition);
        }
        let then = self.statement()?;
        self.expect(":")?;
        let otherwise = self.statement()?;
        Ok(Expression::Ternary(Box::new([condition, then, otherwise])))
    }

    fn binary(&mut self, level: usize) -> Result<Expression, ScriptError> {
        if level == COMPARISON {
            return self.comparison();
        }
        let Some(operators) = LEVELS.get(level) else { return self.product() };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.takes(operators) {
            left = Expression::Binary(operator, Box::new(left), Box::new(self.binary(level + 1)?));
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Expression, ScriptError> {
        let first = self.binary(COMPARISON + 1)?;
        let mut others = Vec::new();
        while let Some(operator) = self.takes(COMPARISONS) {
            others.push((operator, self.binary(COMPARISON + 1)?));
        }
        Ok(if others.is_empty() { first } else { Expression::Comparison(Box::new(first), others) })
    }

    fn product(&mut self) -> Result<Expression, ScriptError> {
        let mut left = self.unary()?;
        while let Some(operator) = self.takes(PRODUCTS) {
            left = Expression::Binary(operator, Box::new(left), Box::new(self.unary()?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, ScriptError> {
        let Some(operator) = self.takes(&["-", "~", "!"]) else { return self.operand() };
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ScriptError::Depth(DEEPEST));
        }
        let operand = self.unary()?;
        self.depth -= 1;
        Ok(Expression::Unary(operator, Box::new(operand)))
    }

    fn operand(&mut self) -> Result<Expression, ScriptError> {
        let Token { kind, position } = self.next();
        Ok(match kind {
            TokenKind::Integer(number) => Expression::Literal(Value::Integer(number)),
            TokenKind::Double(number) => Expression::Literal(Value::Double(number)),
            TokenKind::Text(text) => Expression::Literal(Value::from(text)),
            TokenKind::Name(name) => Expression::Name(name),
            TokenKind::Operator("(") => {
                let inner = self.statement()?;
                self.expect(")")?;
                inner
            }
            kind => return Err(ScriptError::Operand { found: kind.to_string(), position }),
        })
    }
}
