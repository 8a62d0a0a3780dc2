//! Scripts become expressions.

use super::token::{Token, TokenKind, tokens};
use crate::value::Value;

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

/// How deep expressions may be nested. Deeper ones could use up the stack.
const DEEPEST: usize = 100;

/// How many words a script may have. A chain of operators is as deep as it is long.
const MOST: usize = 1000;

/// The binary operators but for comparisons, by how tight they bind.
const LEVELS: [&[&str]; 6] = [&["||"], &["&&"], &[], &["|", "^"], &["&"], &["+", "-", ".."]];
const COMPARISON: usize = 2;
const COMPARISONS: &[&str] = &["==", "!=", "<=", ">=", "<", ">"];
const PRODUCTS: &[&str] = &["*", "/"];
const ASSIGNMENTS: &[&str] = &[":=", "=", "+=", "-=", "*=", "/="];

/// Reads the expressions of a script.
pub(super) fn statements(source: &str) -> Result<Vec<Expression>, String> {
    let tokens = tokens(source)?;
    if tokens.len() > MOST {
        return Err(format!("a script may have {MOST} words at most"));
    }
    let mut parser = Parser { tokens, place: 0, depth: 0 };
    let mut statements = Vec::new();
    loop {
        while parser.takes(&[";"]).is_some() {}
        if parser.peek().kind == TokenKind::End {
            break;
        }
        statements.push(parser.statement()?);
    }
    if statements.is_empty() { Err("Empty Script".into()) } else { Ok(statements) }
}

struct Parser {
    tokens: Vec<Token>,
    place: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        // The last one is the end, and stays.
        &self.tokens[self.place.min(self.tokens.len() - 1)]
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.place += 1;
        token
    }

    /// Takes the next word if it is one of some operators.
    fn takes(&mut self, operators: &[&str]) -> Option<&'static str> {
        let TokenKind::Operator(operator) = self.peek().kind else { return None };
        if !operators.contains(&operator) {
            return None;
        }
        self.place += 1;
        Some(operator)
    }

    fn expect(&mut self, operator: &'static str) -> Result<(), String> {
        if self.takes(&[operator]).is_some() {
            return Ok(());
        }
        let Token { kind, position } = self.peek();
        Err(format!("Parse error at position {position}: expected '{operator}' (got '{kind}')"))
    }

    fn statement(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("an expression may be nested {DEEPEST} times at most"));
        }
        let left = self.ternary()?;
        let position = self.peek().position;
        let statement = match self.takes(ASSIGNMENTS) {
            None => left,
            Some(operator) => {
                let Expression::Name(name) = left else {
                    return Err(format!(
                        "Assignment left operand not a blackboard entry at position {position}"
                    ));
                };
                Expression::Assignment(operator, name, Box::new(self.statement()?))
            }
        };
        self.depth -= 1;
        Ok(statement)
    }

    fn ternary(&mut self) -> Result<Expression, String> {
        let condition = self.binary(0)?;
        if self.takes(&["?"]).is_none() {
            return Ok(condition);
        }
        let then = self.statement()?;
        self.expect(":")?;
        let otherwise = self.statement()?;
        Ok(Expression::Ternary(Box::new([condition, then, otherwise])))
    }

    fn binary(&mut self, level: usize) -> Result<Expression, String> {
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

    fn comparison(&mut self) -> Result<Expression, String> {
        let first = self.binary(COMPARISON + 1)?;
        let mut others = Vec::new();
        while let Some(operator) = self.takes(COMPARISONS) {
            others.push((operator, self.binary(COMPARISON + 1)?));
        }
        Ok(if others.is_empty() { first } else { Expression::Comparison(Box::new(first), others) })
    }

    fn product(&mut self) -> Result<Expression, String> {
        let mut left = self.unary()?;
        while let Some(operator) = self.takes(PRODUCTS) {
            left = Expression::Binary(operator, Box::new(left), Box::new(self.unary()?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, String> {
        let Some(operator) = self.takes(&["-", "~", "!"]) else { return self.operand() };
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(format!("an expression may be nested {DEEPEST} times at most"));
        }
        let operand = self.unary()?;
        self.depth -= 1;
        Ok(Expression::Unary(operator, Box::new(operand)))
    }

    fn operand(&mut self) -> Result<Expression, String> {
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
            kind => return Err(format!("Expected operand at position {position} (got '{kind}')")),
        })
    }
}
