//! Lines within brackets and quotes. YAML 1.2 requires that they are indented more than the key above them. libyaml, and
//! so ROS 2, does not.

/// The largest number of blanks that a line gets. It limits the size of the result.
const MAX_BLANKS: usize = 64;

/// A text whose lines within brackets and quotes are indented.
pub(crate) struct Indented {
    /// The text.
    pub(crate) text: String,
    /// The number of blanks that each line has got.
    blanks: Vec<usize>,
}

impl Indented {
    /// Returns the column that a column has in the text before. Both count from 1.
    pub(crate) fn column_before(&self, line: usize, column: usize) -> usize {
        let blanks = self.blanks.get(line.saturating_sub(1)).copied().unwrap_or(0);
        column.saturating_sub(blanks).max(1)
    }
}

/// Indents the lines that begin within brackets or quotes. Returns `None` if there are none, or if they need too many
/// blanks.
pub(crate) fn indented(text: &str) -> Option<Indented> {
    let mut result = Indented { text: String::new(), blanks: Vec::new() };
    let mut lines = Lines::default();
    for line in text.split_inclusive('\n') {
        let content: Vec<char> = line.trim_end_matches(['\n', '\r']).chars().collect();
        let blanks = lines.blanks(&content);
        if blanks > MAX_BLANKS {
            return None;
        }
        result.text.extend(std::iter::repeat_n(' ', blanks));
        result.text.push_str(line);
        result.blanks.push(blanks);
        lines.read(&content);
    }
    result.blanks.iter().any(|blanks| *blanks > 0).then_some(result)
}

/// The place in a document at the end of a line.
#[derive(Default)]
struct Lines {
    /// The column of the last key or dash outside of brackets.
    column: usize,
    /// The column of the last scalar or bracket outside of brackets, which may be a key.
    start: usize,
    /// The number of open brackets.
    depth: usize,
    /// The quote that is open.
    quote: Option<char>,
    /// The column of the key of a text whose next lines are indented more.
    text_of: Option<usize>,
}

impl Lines {
    /// Returns the number of blanks that the next line needs.
    fn blanks(&self, line: &[char]) -> usize {
        let is_marker = line.starts_with(&['-'; 3]) || line.starts_with(&['.'; 3]);
        let is_blank = line.iter().all(|c| c.is_whitespace());
        if self.is_inside() && !is_marker && !is_blank { self.column + 1 } else { 0 }
    }

    fn is_inside(&self) -> bool {
        self.depth > 0 || self.quote.is_some()
    }

    fn read(&mut self, line: &[char]) {
        let mut at = 0;
        if !self.is_inside() {
            at = line.iter().take_while(|c| **c == ' ').count();
            if at == line.len() || self.text_of.is_some_and(|column| at > column) {
                return;
            }
            (self.column, self.start, self.text_of) = (at, at, None);
            if line.starts_with(&['-'; 3]) {
                at = 3;
            }
        }
        while at < line.len() {
            at = self.token(line, at);
        }
    }

    /// Reads a token, or a part of one. Returns the index behind it.
    fn token(&mut self, line: &[char], at: usize) -> usize {
        let (c, next) = (line[at], line.get(at + 1).copied().unwrap_or(' '));
        match c {
            _ if self.quote.is_some() => self.quoted(c, next, at),
            ' ' | '\t' => at + 1,
            '#' if at == 0 || is_blank(line[at - 1]) => line.len(),
            '"' | '\'' => {
                self.begin(at);
                self.quote = Some(c);
                at + 1
            }
            '[' | '{' => {
                self.begin(at);
                self.depth += 1;
                at + 1
            }
            ']' | '}' if self.depth > 0 => {
                self.depth -= 1;
                at + 1
            }
            ',' | ':' | '?' if self.depth > 0 => at + 1,
            '!' | '&' | '*' => self.property(line, at),
            _ if self.depth > 0 => self.word(line, at),
            _ => self.outside(line, at, c, next),
        }
    }

    /// Notes where a scalar or a bracket outside of brackets begins.
    fn begin(&mut self, at: usize) {
        if self.depth == 0 {
            self.start = at;
        }
    }

    /// Reads a character within quotes.
    fn quoted(&mut self, c: char, next: char, at: usize) -> usize {
        match (self.quote, c) {
            (Some('"'), '\\') => return at + 2,
            (Some('\''), '\'') if next == '\'' => return at + 2,
            (quote, c) if quote == Some(c) => self.quote = None,
            _ => {}
        }
        at + 1
    }

    /// Reads a token outside of brackets.
    fn outside(&mut self, line: &[char], at: usize, c: char, next: char) -> usize {
        match c {
            '-' | '?' if is_blank(next) => {
                (self.column, self.start) = (at, at);
                at + 1
            }
            ':' if is_blank(next) => {
                self.column = self.start;
                at + 1
            }
            '|' | '>' => {
                self.text_of = Some(self.column);
                line.len()
            }
            _ => {
                self.start = at;
                let end = self.word(line, at);
                if line.get(end) != Some(&':') {
                    self.text_of = Some(self.column);
                }
                end
            }
        }
    }

    /// Whether a character ends a word within brackets.
    fn is_flow(&self, c: char) -> bool {
        self.depth > 0 && ",[]{}".contains(c)
    }

    /// Returns the end of a tag, an anchor or an alias.
    fn property(&self, line: &[char], at: usize) -> usize {
        let ends = |i: &usize| is_blank(line[*i]) || self.is_flow(line[*i]);
        (at + 1..line.len()).find(ends).unwrap_or(line.len())
    }

    /// Returns the end of a scalar without quotes. It is behind its first character.
    fn word(&self, line: &[char], at: usize) -> usize {
        let ends = |i: &usize| {
            let next = line.get(i + 1).copied().unwrap_or(' ');
            match line[*i] {
                ':' => is_blank(next) || self.is_flow(next),
                '#' => is_blank(line[i - 1]),
                c => self.is_flow(c),
            }
        };
        (at + 1..line.len()).find(ends).unwrap_or(line.len())
    }
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}
