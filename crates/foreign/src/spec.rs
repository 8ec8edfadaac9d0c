//! Library specifications on the command line and in suites: `[LABEL=]KIND:PATH[?prefix=...&algorithm=...]`, or
//! `[LABEL=]worker:NAME-or-PATH` for a program in another language.

use crate::{nist, process};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Specification of a provider: a shared library, or a program that speaks the protocol in `docs/workers.md`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LibrarySpec {
    /// The provider's name: letters, digits, `.`, `_` and `-`.
    pub label: String,
    /// Interface of the library or program.
    pub kind: LibraryKind,
    /// Path of the file, or the name of a worker that comes with pqlab. A worker's name does not contain a slash.
    pub path: PathBuf,
    /// Prefix of the library's function names; `None` if they have no prefix.
    pub prefix: Option<String>,
    /// The library's algorithm, for interfaces that do not report algorithms; otherwise `None`.
    pub algorithm: Option<String>,
}

/// Supported interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LibraryKind {
    /// liboqs 0.10 and later: `OQS_KEM`, `OQS_SIG`.
    Liboqs,
    /// A libcrypto of OpenSSL 3.0 and later: `EVP`.
    Openssl,
    /// The NIST competition's C interface, which PQClean and mlkem-native also offer. A specification names one
    /// algorithm.
    Nist,
    /// A program in any language that speaks the protocol in `docs/workers.md`.
    Worker,
}

/// Error for a string that is not a valid library specification.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid library `{text}`: {reason}; expected [LABEL=]KIND:PATH[?prefix=...&algorithm=...], such as \
     main=liboqs:/usr/lib/liboqs.so"
)]
pub struct WrongSpec {
    text: String,
    reason: String,
}

const KINDS: [LibraryKind; 4] = [LibraryKind::Liboqs, LibraryKind::Openssl, LibraryKind::Nist, LibraryKind::Worker];

impl LibraryKind {
    /// Returns the keyword of this kind in a specification, such as `liboqs`.
    pub fn name(self) -> &'static str {
        match self {
            LibraryKind::Liboqs => "liboqs",
            LibraryKind::Openssl => "openssl",
            LibraryKind::Nist => "nist",
            LibraryKind::Worker => "worker",
        }
    }

    /// Returns the kind with this keyword.
    pub fn parse(name: &str) -> Option<LibraryKind> {
        KINDS.into_iter().find(|kind| kind.name() == name)
    }
}

impl LibrarySpec {
    /// Parses a worker specification, `[LABEL=]NAME-or-PATH`. A path contains a slash; a name does not.
    ///
    /// # Errors
    /// [`WrongSpec`] if `text` does not name a worker.
    pub fn worker(text: &str) -> Result<LibrarySpec, WrongSpec> {
        let (label, program) = match text.split_once('=') {
            Some((label, program)) if !label.contains('/') => (format!("{label}="), program),
            _ => (String::new(), text),
        };
        // The last question mark begins the options. If the path contains a question mark, append another one.
        let end = if program.contains('?') { "?" } else { "" };
        format!("{label}worker:{program}{end}").parse()
    }

    /// Returns the name of a worker that comes with pqlab, or `None` for any other worker or library.
    pub fn name(&self) -> Option<&str> {
        let name = self.path.to_str().filter(|path| !path.contains('/'));
        name.filter(|_| self.kind == LibraryKind::Worker)
    }

    /// Returns the path of the library to open or the program to start.
    pub fn file(&self) -> PathBuf {
        match self.name() {
            Some(name) => process::folder().unwrap_or_default().join(name),
            None => self.path.clone(),
        }
    }

    /// Returns the default label: the kind and the file name, or only the file name for a worker.
    fn default_label(kind: LibraryKind, path: &Path) -> String {
        let worker = kind == LibraryKind::Worker;
        let file = if worker { path.file_stem() } else { path.file_name() };
        let file = file.unwrap_or_default().to_string_lossy();
        let file = file.chars().map(|letter| if of_a_label(letter) { letter } else { '-' });
        let kind = if worker { ["", ""] } else { [kind.name(), "-"] };
        kind.into_iter().flat_map(str::chars).chain(file).collect()
    }
}

impl FromStr for LibrarySpec {
    type Err = WrongSpec;

    fn from_str(text: &str) -> Result<LibrarySpec, WrongSpec> {
        parse(text).map_err(|reason| WrongSpec { text: text.to_owned(), reason })
    }
}

fn parse(text: &str) -> Result<LibrarySpec, String> {
    let (front, rest) = text.split_once(':').ok_or("missing colon after the kind")?;
    let (label, kind) = match front.split_once('=') {
        Some((label, kind)) => (Some(label), kind),
        None => (None, front),
    };
    let kind = LibraryKind::parse(kind)
        .ok_or_else(|| format!("unknown kind `{kind}`; expected one of {}", KINDS.map(LibraryKind::name).join(", ")))?;
    if let Some(label) = label
        && (label.is_empty() || label.starts_with('.') || !label.chars().all(of_a_label))
    {
        return Err(format!(
            "the label `{label}` must consist of letters, digits, `.`, `_` and `-`, and must not begin with `.`"
        ));
    }
    // The last question mark begins the options. A path that contains a question mark therefore needs another question
    // mark after it, even without options.
    let (path, options) = rest.rsplit_once('?').unwrap_or((rest, ""));
    let path = PathBuf::from(path);
    if path.file_name().is_none() {
        return Err("the path does not name a file".to_owned());
    }
    let (mut prefix, mut algorithm) = (None, None);
    for option in options.split('&').filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').ok_or_else(|| format!("option `{option}` has no value"))?;
        let place = match name {
            "prefix" => &mut prefix,
            "algorithm" => &mut algorithm,
            _ => return Err(format!("unknown option `{name}`; expected prefix or algorithm")),
        };
        if value.is_empty() || place.replace(value.to_owned()).is_some() {
            return Err(format!("give option `{name}` only once, with a value"));
        }
    }
    check_options(kind, prefix.as_deref(), algorithm.as_deref())?;
    let label = label.map_or_else(|| LibrarySpec::default_label(kind, &path), str::to_owned);
    Ok(LibrarySpec { label, kind, path, prefix, algorithm })
}

fn check_options(kind: LibraryKind, prefix: Option<&str>, algorithm: Option<&str>) -> Result<(), String> {
    if kind != LibraryKind::Nist {
        return match (prefix, algorithm) {
            (None, None) => Ok(()),
            _ => Err(format!("kind `{}` takes no options: the library reports its algorithms", kind.name())),
        };
    }
    if let Some(prefix) = prefix
        && !prefix.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    {
        return Err(format!("the prefix `{prefix}` is not valid in a C symbol"));
    }
    let list = || nist::algorithms().collect::<Vec<_>>().join(", ");
    match algorithm {
        Some(algorithm) if nist::algorithms().any(|name| name == algorithm) => Ok(()),
        Some(algorithm) => Err(format!("kind `nist` does not support `{algorithm}`; supported algorithms: {}", list())),
        None => Err(format!("kind `nist` requires ?algorithm=NAME; supported algorithms: {}", list())),
    }
}

fn of_a_label(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-')
}

impl fmt::Display for LibrarySpec {
    /// Writes the canonical specification, which omits a default label. Parsing the result returns the same
    /// specification.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.label != LibrarySpec::default_label(self.kind, &self.path) {
            write!(out, "{}=", self.label)?;
        }
        let path = self.path.display().to_string();
        write!(out, "{}:{path}", self.kind.name())?;
        let options = [("prefix", &self.prefix), ("algorithm", &self.algorithm)];
        let mut mark = '?';
        for (name, value) in options.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
            write!(out, "{mark}{name}={value}")?;
            mark = '&';
        }
        if mark == '?' && path.contains('?') { out.write_str("?") } else { Ok(()) }
    }
}

impl Serialize for LibrarySpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LibrarySpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<LibrarySpec, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> LibrarySpec {
        text.parse().unwrap_or_else(|wrong: WrongSpec| panic!("{wrong}"))
    }

    #[test]
    fn parses_kind_and_path() {
        let plain = spec("liboqs:/usr/lib/liboqs.so.7");
        assert_eq!((plain.kind, plain.label.as_str()), (LibraryKind::Liboqs, "liboqs-liboqs.so.7"));
        assert_eq!((plain.path.as_path(), plain.prefix), (Path::new("/usr/lib/liboqs.so.7"), None));
        assert_eq!(spec("openssl:lib crypto+1.so").label, "openssl-lib-crypto-1.so");
        assert_eq!(spec("main=openssl:/a=b/libcrypto.so").label, "main");
        let nist = spec("nist:/x/lib.so?prefix=PQCLEAN_MLKEM768_CLEAN_&algorithm=ML-KEM-768");
        assert_eq!(nist.prefix.as_deref(), Some("PQCLEAN_MLKEM768_CLEAN_"));
        assert_eq!(nist.algorithm.as_deref(), Some("ML-KEM-768"));
    }

    #[test]
    fn displayed_specs_parse_back() {
        for text in [
            "liboqs:/usr/lib/liboqs.so",
            "branch=liboqs:relative/liboqs.so",
            "openssl:/odd?name=x/lib.so?",
            "a.b_c-1=nist:/x/lib.so?prefix=P_&algorithm=ML-KEM-768",
            "nist:/x/li?b.so?algorithm=SLH-DSA-SHA2-128f",
            "worker:go",
            "mine=worker:./my worker.py",
        ] {
            let parsed = spec(text);
            assert_eq!(parsed.to_string(), text);
            let json = serde_json::to_string(&parsed).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<LibrarySpec>(&json).unwrap(), parsed);
        }
        assert_eq!(spec("liboqs-x.so=liboqs:/x.so").to_string(), "liboqs:/x.so", "must omit the default label");
        assert_eq!(
            spec("nist:/x.so?algorithm=ML-DSA-65&prefix=p").to_string(),
            "nist:/x.so?prefix=p&algorithm=ML-DSA-65"
        );
    }

    #[test]
    fn parses_workers_by_name_or_path() {
        let worker = |text: &str| LibrarySpec::worker(text).unwrap_or_else(|wrong| panic!("{wrong}"));
        for (text, label, name, whole) in [
            ("go", "go", Some("go"), "worker:go"),
            ("mine=go", "mine", Some("go"), "mine=worker:go"),
            ("./go", "go", None, "worker:./go"),
            ("/x/my worker.py", "my-worker", None, "worker:/x/my worker.py"),
            ("/x/a=b", "a-b", None, "worker:/x/a=b"),
            ("/x/a?b", "a-b", None, "worker:/x/a?b?"),
        ] {
            let spec = worker(text);
            assert_eq!((spec.label.as_str(), spec.name()), (label, name), "{text}");
            assert_eq!(spec.to_string(), whole);
            assert_eq!(spec, worker(text).to_string().parse().unwrap());
        }
        assert!(worker("go").file().ends_with("workers/go"));
        assert_eq!(worker("./go").file(), Path::new("./go"));
        assert_eq!(spec("liboqs:x.so").name(), None);
        for wrong in ["", "=go", "a b=go", "/"] {
            assert!(LibrarySpec::worker(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn errors_show_the_valid_form() {
        for (text, part) in [
            ("", "missing colon after the kind"),
            ("/usr/lib/liboqs.so", "missing colon after the kind"),
            ("oqs:/usr/lib/liboqs.so", "expected one of liboqs, openssl, nist, worker"),
            ("=liboqs:/x.so", "the label ``"),
            ("a b=liboqs:/x.so", "the label `a b`"),
            ("a=b=liboqs:/x.so", "unknown kind `b=liboqs`"),
            ("liboqs:", "does not name a file"),
            ("liboqs:/", "does not name a file"),
            ("liboqs:/x.so?prefix=a", "takes no options"),
            ("nist:/x.so", "requires ?algorithm=NAME; supported algorithms: ML-KEM-512"),
            ("nist:/x.so?algorithm=ML-KEM-769", "does not support `ML-KEM-769`; supported algorithms: ML-KEM-512"),
            ("nist:/x.so?algorithm=X25519", "does not support `X25519`; supported"),
            ("nist:/x.so?algorithm=ML-KEM-768&algorithm=ML-KEM-512", "only once"),
            ("nist:/x.so?algorithm", "has no value"),
            ("nist:/x.so?algorithm=", "with a value"),
            ("nist:/x.so?symbol=a&algorithm=ML-KEM-768", "expected prefix or algorithm"),
            ("nist:/x.so?prefix=a-b&algorithm=ML-KEM-768", "the prefix `a-b`"),
        ] {
            let wrong = text.parse::<LibrarySpec>().expect_err(text).to_string();
            assert!(wrong.contains(part) && wrong.contains("[LABEL=]KIND:PATH"), "{text}: {wrong}");
            assert_eq!(wrong.lines().count(), 1);
        }
    }
}
