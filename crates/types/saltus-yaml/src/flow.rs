//! What libyaml, and so ROS 2, reads, and the parser library refuses: lines within brackets and quotes that are not
//! indented more than the key above them, comments directly behind a bracket or a quote, and tabs behind a colon.

/// The largest number of blanks that a line gets. It limits the size of the result.
const MAX_BLANKS: usize = 64;

/// A text that YAML 1.2 accepts.
pub(crate) struct Repaired {
    /// The text.
    pub(crate) text: String,
    /// The number of blanks that each line has got at its start.
    blanks: Vec<usize>,
}

impl Repaired {
    /// Returns the column that a column has in the text before. Both count from 1.
    pub(crate) fn column_before(&self, line: usize, column: usize) -> usize {
        let blanks = self.blanks.get(line.saturating_sub(1)).copied().unwrap_or(0);
        column.saturating_sub(blanks).max(1)
    }
}

/// Indents the lines that begin within brackets or quotes, puts a blank before each comment, and replaces tabs behind
/// colons. Returns `None` if this changes nothing, or if a line needs too many blanks.
pub(crate) fn repaired(text: &str) -> Option<Repaired> {
    let mut result = Repaired { text: String::new(), blanks: Vec::new() };
    let mut lines = Lines::default();
    for line in text.split_inclusive('\n') {
        let content: Vec<char> = line.trim_end_matches(['\n', '\r']).chars().collect();
        let blanks = lines.blanks(&content);
        if blanks > MAX_BLANKS {
            return None;
        }
        result.text.extend(std::iter::repeat_n(' ', blanks));
        lines.read(&content);
        let comment = lines.comment.take();
        let mut tabs = std::mem::take(&mut lines.tabs).into_iter().peekable();
        for (at, c) in line.chars().enumerate() {
            if comment == Some(at) {
                result.text.push(' ');
            }
            result.text.push(if tabs.next_if_eq(&at).is_some() { ' ' } else { c });
        }
        result.blanks.push(blanks);
    }
    (result.text != text).then_some(result)
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
    /// The index of a comment in the line that has no blank before it.
    comment: Option<usize>,
    /// The indices of the tabs in the line that follow a colon.
    tabs: Vec<usize>,
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
            '#' => {
                self.comment = (at > 0 && !is_blank(line[at - 1])).then_some(at);
                line.len()
            }
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
            ':' if next == '\t' => self.colon(line, at),
            ',' | ':' | '?' if self.depth > 0 => at + 1,
            '!' | '&' | '*' => self.property(line, at),
            _ if self.depth > 0 => self.word(line, at),
            _ => self.outside(line, at, c, next),
        }
    }

    /// Reads a colon with the tabs behind it.
    fn colon(&mut self, line: &[char], at: usize) -> usize {
        if self.depth == 0 {
            self.column = self.start;
        }
        let tabs = line[at + 1..].iter().take_while(|c| **c == '\t').count();
        self.tabs.extend(at + 1..=at + tabs);
        at + 1 + tabs
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
