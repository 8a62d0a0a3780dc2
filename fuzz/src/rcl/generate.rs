//! A generator of cases.
//!
//! Most cases are built from parts that parameter files and command lines have, and then changed at a random place.

use saltus_dynamic::arbitrary::Random;
use serde_json::{Value, json};

/// Returns an endless sequence of cases. A seed always gives the same ones.
pub fn cases(seed: u64) -> impl Iterator<Item = Value> {
    let mut random = Random::new(seed);
    std::iter::repeat_with(move || Source { random: &mut random }.case())
}

const SCALARS: [&str; 60] = [
    "5",
    "0",
    "-7",
    "+1",
    "0x1F",
    "0X1f",
    "017",
    "08",
    "0o17",
    "0b1",
    "1_000",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775809",
    "1.0",
    "1e3",
    ".5",
    "5.",
    "-0.0",
    "1e309",
    "1e-400",
    "0x1p3",
    "1e",
    ".inf",
    "-.inf",
    ".nan",
    "nan",
    "inf",
    "infinity",
    "true",
    "True",
    "tRue",
    "yes",
    "no",
    "on",
    "Off",
    "y",
    "N",
    "~",
    "null",
    "Null",
    "''",
    "\"\"",
    "\"5\"",
    "'true'",
    "'it''s'",
    "\"a\\tb\"",
    "hello world",
    "a:b",
    "map_frame",
    "12:30:45",
    "2001-01-01",
    "é",
    "!!str 5",
    "!!str true",
    "!!int '5'",
    "!!float 5",
    "!x 5",
    "a#b",
    "&a 5",
];
const ITEMS: [&str; 16] = [
    "1", "2", "-3", "1.5", "2.", "true", "false", "no", "a", "'b'", "\"c\"", "x_1", "0x10", ".nan", "null",
    "!!str 1",
];
const KEYS: [&str; 16] = [
    "a",
    "b",
    "rate",
    "use_sim_time",
    "frame_id",
    "a.b",
    "plugins",
    "x y",
    "'q'",
    "5",
    "true",
    "a/b",
    "<<",
    "é",
    "a..b",
    ".a",
];
const NODES: [&str; 20] = [
    "n",
    "/n",
    "/ns/n",
    "ns/n",
    "/**",
    "'**'",
    "/*",
    "/*/n",
    "/**/n",
    "/ns/*",
    "n*",
    "/a//b",
    "n-x",
    "1n",
    "~",
    "/ns/",
    "/",
    "controller_server",
    "local_costmap",
    "''",
];
const NAMES: [&str; 22] = [
    "a",
    "/a",
    "~/a",
    "b/c",
    "/ns/a",
    "~",
    "{node}",
    "{ns}/a",
    "1a",
    "a/",
    "a//b",
    "*",
    "/**",
    "a*",
    "a__b",
    "a-b",
    "_a",
    "",
    "é",
    "rostopic://a",
    "rosservice:///a",
    "rosaction://a",
];
const PREFIXES: [&str; 6] = ["n:", "m:", "/n:", "n:rostopic://", "n*:", "*:"];
const CHANGES: [&str; 24] = [
    " ", "\n", "\t", ":", ": ", "-", "- ", "[", "]", "{", "}", ",", "'", "\"", "#", " #", "&a ", "*a",
    "!!str ", "|", ">-", "---\n", "\\", "%",
];

struct Source<'a> {
    random: &'a mut Random,
}

impl Source<'_> {
    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.random.below(end)
    }

    fn one<'b>(&mut self, of: &[&'b str]) -> &'b str {
        of[self.below(of.len())]
    }

    /// Returns true once in `times`.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn case(&mut self) -> Value {
        match self.below(10) {
            0..5 => {
                let text = self.file();
                json!({"kind": "file", "text": self.changed(text, 3)})
            }
            5 | 6 => {
                let text = self.value(2);
                json!({"kind": "value", "text": self.changed(text, 2)})
            }
            _ => self.arguments(),
        }
    }

    /// Changes a text at a random place, once in `times`.
    fn changed(&mut self, mut text: String, times: usize) -> String {
        if !self.once_in(times) {
            return text;
        }
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        match self.below(3) {
            0 if at < text.len() => drop(text.remove(at)),
            1 => text.truncate(at),
            _ => text.insert_str(at, self.one(&CHANGES)),
        }
        text
    }

    /// Returns a value in the style of flow.
    fn value(&mut self, depth: usize) -> String {
        match self.below(10) {
            0..6 => self.one(&SCALARS).into(),
            6..9 => {
                let first = self.one(&ITEMS);
                let count = self.below(4);
                // Most lists have items of one type.
                let is_mixed = self.once_in(4);
                let items = (0..count).map(|_| if is_mixed { self.one(&ITEMS) } else { first });
                format!("[{}]", items.collect::<Vec<_>>().join(", "))
            }
            _ if depth > 0 => {
                let pairs: Vec<String> = (0..self.below(3))
                    .map(|_| format!("{}: {}", self.one(&KEYS), self.value(depth - 1)))
                    .collect();
                format!("{{{}}}", pairs.join(", "))
            }
            _ => "{}".into(),
        }
    }

    /// Returns the lines of a mapping.
    fn block(&mut self, indent: usize, depth: usize) -> String {
        let mut text = String::new();
        let blanks = " ".repeat(indent);
        for _ in 0..=self.below(3) {
            let key = self.one(&KEYS);
            match self.below(8) {
                0 if depth > 0 => text += &format!("{blanks}{key}:\n{}", self.block(indent + 2, depth - 1)),
                1 => {
                    let dash = if self.once_in(2) { "- " } else { "  - " };
                    let items: Vec<String> = (0..=self.below(2))
                        .map(|_| format!("{blanks}{dash}{}\n", self.one(&ITEMS)))
                        .collect();
                    text += &format!("{blanks}{key}:\n{}", items.concat());
                }
                2 if self.once_in(3) => {
                    let style = self.one(&["|", ">-", "|+"]);
                    text += &format!("{blanks}{key}: {style}\n{blanks}  {}\n", self.one(&ITEMS));
                }
                _ => text += &format!("{blanks}{key}: {}{}\n", self.value(1), self.one(&["", "", " # note"])),
            }
        }
        text
    }

    fn file(&mut self) -> String {
        let mut text = String::from(self.one(&["", "", "", "# note\n", "---\n", "\n"]));
        for _ in 0..=self.below(2) {
            let node = self.one(&NODES);
            let (outer, indent) = match self.once_in(4) {
                true => (format!("{}:\n  {node}:\n", self.one(&NODES)), 4),
                false => (format!("{node}:\n"), 2),
            };
            let block = self.block(indent + 2, 2);
            text += &format!("{outer}{}ros__parameters:\n{block}", " ".repeat(indent));
        }
        text
    }

    fn rule(&mut self) -> String {
        if self.once_in(4) {
            let (left, right) =
                (self.one(&["__node", "__name", "__ns", "n:__node", "__foo"]), self.one(&NAMES));
            return format!("{left}:={right}");
        }
        let prefix = if self.once_in(4) { self.one(&PREFIXES) } else { "" };
        format!("{prefix}{}:={}", self.one(&NAMES), self.one(&NAMES))
    }

    fn parameter(&mut self) -> String {
        let prefix = if self.once_in(4) { self.one(&PREFIXES) } else { "" };
        format!("{prefix}{}:={}", self.one(&KEYS), self.value(1))
    }

    fn level(&mut self) -> String {
        let level = self.one(&["debug", "INFO", "Warn", "error", "fatal", "unset", "trace", "10", ""]);
        let logger = self.one(&["", "", "a:=", "b.c:=", ":=", "a/b:="]);
        format!("{logger}{level}")
    }

    fn arguments(&mut self) -> Value {
        let mut argv = vec!["prog".to_owned()];
        let mut files = serde_json::Map::new();
        if self.once_in(6) {
            argv.push("--flag".into());
        }
        argv.push("--ros-args".into());
        for _ in 0..=self.below(3) {
            let (flag, value) = match self.below(10) {
                0..4 => (self.one(&["-r", "--remap"]), self.rule()),
                4..7 => (self.one(&["-p", "--param"]), self.parameter()),
                7 => ("--log-level", self.level()),
                8 => ("-e", self.one(&["/e", "e", "/a/b"]).into()),
                _ => {
                    let name = format!("{}.yaml", files.len());
                    files.insert(name.clone(), json!(self.file()));
                    ("--params-file", name)
                }
            };
            argv.push(flag.into());
            if !self.once_in(40) {
                argv.push(self.changed(value, 12));
            }
        }
        if self.once_in(8) {
            argv.push(
                self.one(&["--", "--ros-args", "--foo", "foo", "--disable-rosout-logs", "--enable-x-logs"])
                    .into(),
            );
            argv.push("rest".into());
        }
        let names = ["/a", "/b/c", "/ns/a", "/ns/b/c", "/n/a", "/ns/n/a"];
        json!({
            "kind": "args", "argv": argv, "files": files, "node": "n", "namespace": self.one(&["/", "/ns"]),
            "topics": names, "services": names,
        })
    }
}
