//! Parses Rust sources for the layer tests: finds the modules that each file uses, and its string literals.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A source file without comments and tests.
pub(crate) struct Source {
    /// Path relative to the folder that was read.
    pub(crate) file: PathBuf,
    /// Module path from the root of the crate, such as `["areas", "hybrid"]`. Empty for the root.
    module: Vec<String>,
    /// Identifiers and punctuation.
    tokens: Vec<String>,
    /// String literals with their line numbers.
    pub(crate) texts: Vec<(usize, String)>,
}

/// The units of a crate, as [`units`] defines them. Maps each unit to the units that it uses. Each used unit has the
/// path of a file that uses it.
pub(crate) type Units = BTreeMap<String, BTreeMap<String, PathBuf>>;

/// Returns the sources below a crate's `src`, except those that contain only tests.
pub(crate) fn sources_of(src: &Path) -> Vec<Source> {
    let source = |file: PathBuf| {
        let text = fs::read_to_string(&file).expect("cannot read a source file");
        let file = file.strip_prefix(src).expect("the file must be below `src`").to_path_buf();
        let (tokens, texts) = read(crate::without_tests(&text));
        Source { module: module_of(&file), file, tokens, texts }
    };
    let mut all: Vec<Source> = crate::sources(src).into_iter().map(source).collect();
    let tests: Vec<Vec<String>> = all.iter().flat_map(Source::test_modules).collect();
    all.retain(|source| !tests.iter().any(|test| source.module.starts_with(test)));
    all
}

/// Returns the units of a crate. A unit is a file in `src`, or a folder with all its contents. In the folders that
/// `split` names, every part is a separate unit. The unit of such a folder then uses all of its parts.
pub(crate) fn units(src: &Path, split: &[&str]) -> Units {
    let sources = sources_of(src);
    let modules: BTreeSet<&[String]> = sources.iter().map(|source| &source.module[..]).collect();
    let is_split = |name: &str| split.contains(&name);
    let unit = |module: &[String]| -> String {
        let depth = if module.first().is_some_and(|first| is_split(first)) { 2 } else { 1 };
        module[..depth.min(module.len())].join("::")
    };
    let root = sources.iter().find(|source| source.module.is_empty()).expect("a crate must have a root module");
    let named_by_root = root.imports();
    // Resolve a path to the deepest module that it names. If it begins with a name that the root
    // imports, start from the module that defines the name.
    let target = |path: &[String]| -> String {
        let from_root = |path: &[String]| {
            let mut ways = (1..=path.len()).rev().map(|end| path[..end].to_vec());
            ways.find(|module| modules.contains(&module[..]))
        };
        let Some(first) = path.first() else { return String::new() };
        let module = from_root(path).or_else(|| {
            let origin = named_by_root.iter().find(|import| import.last() == Some(first))?;
            from_root(&[&origin[..], &path[1..]].concat())
        });
        let Some(module) = module else {
            // The root imports the name from another crate.
            assert!(root.tokens.contains(first), "no module for crate::{}", path.join("::"));
            return String::new();
        };
        unit(&module)
    };
    let mut found = Units::new();
    for source in sources.iter().filter(|source| !source.module.is_empty()) {
        let current = unit(&source.module);
        let uses = found.entry(current.clone()).or_default();
        let has_parts = source.module.len() == 1 && is_split(&source.module[0]);
        let parts = source.children().into_iter().filter(|_| has_parts).map(|child| unit(&child));
        let used = source.paths().into_iter().map(|path| target(&path));
        for used in parts.chain(used).filter(|used| *used != current && !used.is_empty()) {
            uses.entry(used).or_insert_with(|| source.file.clone());
        }
    }
    found
}

/// Finds a cycle of units in which each unit uses the next. Returns one line per unit, or `None` if there is no cycle.
pub(crate) fn cycle(units: &Units) -> Option<Vec<String>> {
    let mut free = BTreeSet::new();
    units.keys().find_map(|unit| cycle_through(units, &mut vec![unit], &mut free))
}

/// Searches for a cycle that can be reached from the last unit of the path `way`. Skips the units in `free`, which lead
/// to no cycle.
fn cycle_through<'r>(
    units: &'r Units,
    way: &mut Vec<&'r String>,
    free: &mut BTreeSet<&'r String>,
) -> Option<Vec<String>> {
    let here = *way.last()?;
    for next in units.get(here).into_iter().flat_map(BTreeMap::keys) {
        if let Some(start) = way.iter().position(|unit| *unit == next) {
            let cycle = way[start..].iter().copied().zip(way[start + 1..].iter().copied().chain([next]));
            let line =
                |(one, other): (&String, &String)| format!("{one} uses {other} in {}", units[one][other].display());
            return Some(cycle.map(line).collect());
        }
        if !free.contains(next) {
            way.push(next);
            let found = cycle_through(units, way, free);
            way.pop();
            if found.is_some() {
                return found;
            }
        }
    }
    free.insert(here);
    None
}

/// Returns the module path of a file: `["areas", "hybrid"]` for `areas/hybrid/mod.rs`.
fn module_of(file: &Path) -> Vec<String> {
    let mut module: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if module.last().is_some_and(|last| last == "mod") || module == ["lib"] || module == ["main"] {
        module.pop();
    }
    module
}

impl Source {
    fn is(&self, at: usize, token: &str) -> bool {
        self.tokens.get(at).is_some_and(|there| there == token)
    }

    /// Returns the modules that the file declares without a body, because they are separate files.
    fn children(&self) -> Vec<Vec<String>> {
        let declared = (1..self.tokens.len()).filter(|at| self.is(at - 1, "mod") && self.is(at + 1, ";"));
        declared.map(|at| [&self.module[..], &self.tokens[at..=at]].concat()).collect()
    }

    /// Returns the declared modules that are compiled only for tests.
    fn test_modules(&self) -> Vec<Vec<String>> {
        const FOR_TESTS: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
        let for_tests = |child: &Vec<String>| {
            let name = &child[child.len() - 1];
            let declared = (1..self.tokens.len())
                .find(|at| self.tokens[*at] == *name && self.is(at - 1, "mod") && self.is(at + 1, ";"));
            let before = &self.tokens[..declared.unwrap_or(0).saturating_sub(1)];
            // `pub` or `pub(crate)` may come between the attribute and `mod`.
            let end = before.iter().rposition(|token| token == "]").map_or(0, |at| at + 1);
            let between = |token: &String| !["}", ";"].contains(&token.as_str());
            before[..end].ends_with(&FOR_TESTS.map(String::from)) && before[end..].iter().all(between)
        };
        self.children().into_iter().filter(for_tests).collect()
    }

    /// Returns the paths in the `use` declarations, as written.
    fn imports(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        for at in (0..self.tokens.len()).filter(|at| self.is(*at, "use")) {
            self.tree(Vec::new(), at + 1, &mut found);
        }
        found
    }

    /// Returns all paths in the file that begin with `crate` or `super`, converted to paths from the root of the crate.
    fn paths(&self) -> Vec<Vec<String>> {
        let mut found = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let begins = self.is(at, "crate") || self.is(at, "super");
            let goes_on = at > 0 && (self.is(at - 1, "::") || self.is(at - 1, "$"));
            let visibility = at > 1 && self.is(at - 1, "in") && self.is(at - 2, "(");
            if !begins || !self.is(at + 1, "::") || goes_on || visibility {
                at += 1;
                continue;
            }
            let mut from = Vec::new();
            if self.is(at, "super") {
                from.clone_from(&self.module);
                from.pop();
            }
            at += 2;
            while self.is(at, "super") && self.is(at + 1, "::") {
                from.pop();
                at += 2;
            }
            at = self.tree(from, at, &mut found);
        }
        found
    }

    /// Adds to `found` the paths of the use tree at position `at`, such as `comparison::{Standing, ratio}`. Returns the
    /// position after the tree.
    fn tree(&self, mut from: Vec<String>, at: usize, found: &mut Vec<Vec<String>>) -> usize {
        match self.tokens.get(at).map(String::as_str) {
            Some("{") => {
                let mut at = at + 1;
                while at < self.tokens.len() && !self.is(at, "}") {
                    at = if self.is(at, ",") { at + 1 } else { self.tree(from.clone(), at, found) };
                }
                at + 1
            }
            Some(name) => {
                if name != "self" && name != "*" {
                    from.push(name.to_owned());
                }
                if self.is(at + 1, "::") && !self.is(at + 2, "<") {
                    return self.tree(from, at + 2, found);
                }
                found.push(from);
                if self.is(at + 1, "as") { at + 3 } else { at + 1 }
            }
            None => at,
        }
    }
}

/// Returns the identifiers and punctuation of a source text, and its string literals with their line numbers.
fn read(text: &str) -> (Vec<String>, Vec<(usize, String)>) {
    let text: Vec<char> = text.chars().collect();
    let (mut tokens, mut texts) = (Vec::new(), Vec::new());
    let (mut at, mut line) = (0, 1);
    let there = |at: usize| text.get(at).copied().unwrap_or('\0');
    let ends = |at: usize, end: &str| end.chars().enumerate().all(|(offset, sign)| there(at + offset) == sign);
    while at < text.len() {
        let start = at;
        match there(at) {
            '/' if there(at + 1) == '/' => {
                while at < text.len() && there(at) != '\n' {
                    at += 1;
                }
            }
            '/' if there(at + 1) == '*' => {
                let mut depth = 0;
                while at < text.len() {
                    let change = i32::from(ends(at, "/*")) - i32::from(ends(at, "*/"));
                    depth += change;
                    at += if change == 0 { 1 } else { 2 };
                    if depth == 0 {
                        break;
                    }
                }
            }
            '"' => {
                at += 1;
                while at < text.len() && there(at) != '"' {
                    at += if there(at) == '\\' { 2 } else { 1 };
                }
                texts.push((line, text[start + 1..at.min(text.len())].iter().collect()));
                at += 1;
            }
            // A character literal: an apostrophe followed by a backslash cannot begin a lifetime.
            '\'' if there(at + 1) == '\\' => {
                at += 3;
                while at < text.len() && there(at) != '\'' {
                    at += 1;
                }
                at += 1;
            }
            '\'' if there(at + 2) == '\'' => at += 3,
            sign if sign.is_alphanumeric() || sign == '_' => {
                while there(at).is_alphanumeric() || there(at) == '_' {
                    at += 1;
                }
                let name: String = text[start..at].iter().collect();
                let hashes = (at..text.len()).take_while(|at| there(*at) == '#').count();
                if ["r", "br", "cr"].contains(&name.as_str()) && there(at + hashes) == '"' {
                    let end = format!("\"{}", "#".repeat(hashes));
                    let first = at + hashes + 1;
                    at = first;
                    while at < text.len() && !ends(at, &end) {
                        at += 1;
                    }
                    texts.push((line, text[first..at].iter().collect()));
                    at += end.len();
                } else {
                    tokens.push(name);
                }
            }
            ':' if there(at + 1) == ':' => {
                tokens.push("::".to_owned());
                at += 2;
            }
            sign => {
                if !sign.is_whitespace() {
                    tokens.push(sign.to_string());
                }
                at += 1;
            }
        }
        line += text[start..at.min(text.len())].iter().filter(|sign| **sign == '\n').count();
    }
    (tokens, texts)
}

#[test]
fn ignores_comments_and_string_literals() {
    let (tokens, texts) =
        read("use a::b; // \"c\"\nlet x: &'static str = r#\"d\"e\"#; /* f /* g */ */ '\"'; \"h\\\"\" 'i'");
    let wanted = "use a :: b ; let x : & ' static str = ; ;";
    assert_eq!(tokens, wanted.split(' ').collect::<Vec<_>>());
    assert_eq!(texts, [(2, "d\"e".to_owned()), (2, "h\\\"".to_owned())]);
}

#[test]
fn resolves_paths_from_the_root() {
    let source = |module: &[&str], text: &str| {
        let (tokens, texts) = read(text);
        Source { file: PathBuf::new(), module: module.iter().map(|part| (*part).to_owned()).collect(), tokens, texts }
    };
    let text = "use crate::a::{self, b::{C, D as E}}; pub(in crate::x) fn f() -> super::G { $crate::h!() }";
    let paths: Vec<String> = source(&["m", "n"], text).paths().iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["a", "a::b::C", "a::b::D", "m::G"]);
    let tests =
        source(&["m"], "mod a; #[cfg(test)] mod b; #[cfg(test)] pub(crate) mod c; #[doc] mod d;").test_modules();
    assert_eq!(tests.iter().map(|module| module.join("::")).collect::<Vec<_>>(), ["m::b", "m::c"]);
}

#[test]
fn finds_cycles_that_begin_behind_other_units() {
    let find = |all: &[(&str, &str)]| {
        let mut units = Units::new();
        for (one, other) in all {
            units.entry((*one).to_owned()).or_default().insert((*other).to_owned(), PathBuf::from("f.rs"));
        }
        cycle(&units)
    };
    assert_eq!(find(&[("a", "b"), ("a", "c"), ("b", "c"), ("c", "d")]), None);
    let wanted = ["b uses c in f.rs", "c uses b in f.rs"].map(String::from).to_vec();
    assert_eq!(find(&[("a", "b"), ("b", "c"), ("c", "b")]), Some(wanted));
}
