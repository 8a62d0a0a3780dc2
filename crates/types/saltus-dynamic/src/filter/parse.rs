//! The parser for conditions, by recursive descent.

use std::str::FromStr;

use super::{Comparison, Constant, Expression, Filter, FilterError, Function, error};

/// The largest depth of nested expressions.
const MAX_DEPTH: usize = 64;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Integer(i128),
    Float(f64),
    Text(String),
    Name(String),
    Symbol(&'static str),
}

/// The symbols. The order matters: if a symbol begins with another symbol, it comes before that symbol.
const SYMBOLS: [&str; 19] =
    ["==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "[", "]", ".", ",", "=", "!"];

/// Returns the tokens of a text, each with its column, and the column of the end.
fn tokens(text: &str) -> Result<(Vec<(usize, Token)>, usize), FilterError> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let column = text[..text.len() - rest.len()].chars().count() + 1;
        let Some(first) = rest.chars().next() else { return Ok((tokens, column)) };
        let (token, len) = match first {
            '0'..='9' => number(rest, column)?,
            'a'..='z' | 'A'..='Z' | '_' => {
                let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                (Token::Name(rest[..len].into()), len)
            }
            '\'' | '"' => {
                let end = rest[1..].find(first);
                let Some(end) = end else {
                    return error(format!("column {column}: the text has no closing quote"));
                };
                (Token::Text(rest[1..=end].into()), end + 2)
            }
            _ => match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                Some(symbol) => (Token::Symbol(symbol), symbol.len()),
                None => return error(format!("column {column}: unexpected `{first}`")),
            },
        };
        tokens.push((column, token));
        rest = &rest[len..];
    }
}

fn number(text: &str, column: usize) -> Result<(Token, usize), FilterError> {
    let mut len = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    if let Some(exponent) = text[len..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let digits = exponent[sign..].find(|c: char| !c.is_ascii_digit()).unwrap_or(exponent.len() - sign);
        len += if digits > 0 { 1 + sign + digits } else { 0 };
    }
    let word = &text[..len];
    let token = match word.parse() {
        Ok(integer) => Some(Token::Integer(integer)),
        Err(_) => word.parse().ok().map(Token::Float),
    };
    let token = token.ok_or_else(|| FilterError(format!("column {column}: `{word}` is not a number")))?;
    Ok((token, len))
}

struct Parser {
    tokens: Vec<(usize, Token)>,
    end: usize,
    next: usize,
    depth: usize,
}

type Parsed = Result<Expression, FilterError>;

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(text: &str) -> Result<Self, FilterError> {
        let (tokens, end) = tokens(text)?;
        let mut parser = Parser { tokens, end, next: 0, depth: 0 };
        let expression = parser.or()?;
        match parser.peek() {
            None => Ok(Self(expression)),
            Some(Token::Symbol("=")) => parser.expected("`==`"),
            Some(_) => parser.expected("the end"),
        }
    }
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(_, token)| token)
    }

    fn take(&mut self, wanted: &Token) -> bool {
        let is_it = self.peek() == Some(wanted);
        self.next += usize::from(is_it);
        is_it
    }

    fn take_word(&mut self, word: &str) -> bool {
        self.take(&Token::Name(word.into()))
    }

    fn expect(&mut self, symbol: &'static str) -> Result<(), FilterError> {
        if self.take(&Token::Symbol(symbol)) { Ok(()) } else { self.expected(&format!("`{symbol}`")) }
    }

    fn expected<T>(&self, what: &str) -> Result<T, FilterError> {
        let (column, found) = match self.tokens.get(self.next) {
            None => (self.end, "the end".into()),
            Some((column, Token::Name(word))) => (*column, format!("`{word}`")),
            Some((column, Token::Symbol(symbol))) => (*column, format!("`{symbol}`")),
            Some((column, Token::Integer(value))) => (*column, format!("`{value}`")),
            Some((column, Token::Float(value))) => (*column, format!("`{value}`")),
            Some((column, Token::Text(_))) => (*column, "text".into()),
        };
        error(format!("column {column}: expected {what}, found {found}"))
    }

    /// Parses one level deeper. Returns an error if that is more than [`MAX_DEPTH`].
    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth == MAX_DEPTH {
            return error(format!("the condition is nested more than {MAX_DEPTH} levels deep"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn or(&mut self) -> Parsed {
        let mut left = self.and()?;
        while self.take_word("or") {
            left = Expression::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Parsed {
        let mut left = self.not()?;
        while self.take_word("and") {
            left = Expression::And(Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Parsed {
        if self.take_word("not") {
            return Ok(Expression::Not(Box::new(self.nested(Self::not)?)));
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parsed {
        let first = self.sum()?;
        // `a not in b` is `not (a in b)`; it is not chained.
        let ahead = self.tokens.get(self.next + 1).map(|(_, token)| token);
        if self.peek() == Some(&Token::Name("not".into())) && ahead == Some(&Token::Name("in".into())) {
            self.next += 2;
            let whole = (Comparison::In, self.sum()?);
            return Ok(Expression::Not(Box::new(Expression::Compare(Box::new(first), vec![whole]))));
        }
        let mut rest = Vec::new();
        while let Some(comparison) = self.take_comparison() {
            rest.push((comparison, self.sum()?));
        }
        Ok(if rest.is_empty() { first } else { Expression::Compare(Box::new(first), rest) })
    }

    fn take_comparison(&mut self) -> Option<Comparison> {
        if self.take_word("in") {
            return Some(Comparison::In);
        }
        let all = [
            ("==", Comparison::Equal),
            ("!=", Comparison::NotEqual),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        let found = all.into_iter().find(|(symbol, _)| self.peek() == Some(&Token::Symbol(symbol)))?;
        self.next += 1;
        Some(found.1)
    }

    fn sum(&mut self) -> Parsed {
        self.chain(&[("+", '+'), ("-", '-')], Self::product)
    }

    fn product(&mut self) -> Parsed {
        self.chain(&[("*", '*'), ("/", '/'), ("%", '%')], Self::sign)
    }

    fn chain(&mut self, operators: &[(&'static str, char)], operand: fn(&mut Self) -> Parsed) -> Parsed {
        let mut left = operand(self)?;
        while let Some((_, operator)) = operators.iter().find(|(symbol, _)| self.take(&Token::Symbol(symbol)))
        {
            left = Expression::Calculate(Box::new(left), *operator, Box::new(operand(self)?));
        }
        Ok(left)
    }

    fn sign(&mut self) -> Parsed {
        if self.take(&Token::Symbol("-")) {
            return Ok(Expression::Negative(Box::new(self.nested(Self::sign)?)));
        }
        self.path()
    }

    /// Parses a value and the field names and indices that follow it.
    fn path(&mut self) -> Parsed {
        let mut here = self.value()?;
        loop {
            if self.take(&Token::Symbol(".")) {
                let Some(Token::Name(name)) = self.peek().cloned() else {
                    return self.expected("a field's name");
                };
                self.next += 1;
                here = Expression::Field(Box::new(here), name);
            } else if self.take(&Token::Symbol("[")) {
                let index = self.nested(Self::or)?;
                self.expect("]")?;
                here = Expression::Element(Box::new(here), Box::new(index));
            } else {
                return Ok(here);
            }
        }
    }

    fn value(&mut self) -> Parsed {
        let Some((column, token)) = self.tokens.get(self.next).cloned() else {
            return self.expected("a value");
        };
        if let Token::Symbol(symbol) = token {
            if symbol != "(" {
                return self.expected("a value");
            }
            self.next += 1;
            let inner = self.nested(Self::or)?;
            self.expect(")")?;
            return Ok(inner);
        }
        self.next += 1;
        let constant = |item| Ok(Expression::Constant(item));
        match token {
            Token::Integer(value) => constant(Constant::Integer(value)),
            Token::Float(value) => constant(Constant::Float(value)),
            Token::Text(text) => constant(Constant::Text(text)),
            Token::Name(name) => match &*name {
                "m" => Ok(Expression::Message),
                "True" => constant(Constant::Bool(true)),
                "False" => constant(Constant::Bool(false)),
                "len" => self.call(Function::Len),
                "abs" => self.call(Function::Abs),
                _ => error(format!("column {column}: unknown name `{name}`")),
            },
            Token::Symbol(_) => self.expected("a value"),
        }
    }

    fn call(&mut self, function: Function) -> Parsed {
        self.expect("(")?;
        let argument = self.nested(Self::or)?;
        self.expect(")")?;
        Ok(Expression::Call(function, Box::new(argument)))
    }
}
