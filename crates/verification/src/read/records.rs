//! Reads text files with lines `field = value`: NIST's response files (`.rsp`) and similar files.

use super::{ReadError, ReadFault, text};

/// A line with a field and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Number of the line, from 1.
    pub line: usize,
    /// Text before the first `=`.
    pub field: String,
    /// Text after the first `=`.
    pub value: String,
    /// Whether the line is in brackets and therefore applies to all following lines.
    pub section: bool,
}

/// Returns the lines of a file, in blocks separated by empty lines. Skips comments, which begin with `#`.
///
/// # Errors
/// [`ReadError`] if the file is not UTF-8, if a line is neither a field nor a comment, or if the file contains no fields.
pub fn blocks(file: &str, bytes: &[u8]) -> Result<Vec<Vec<Entry>>, ReadError> {
    let text = text(file, bytes)?;
    let mut blocks = vec![Vec::new()];
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() {
            blocks.push(Vec::new());
        } else if !line.starts_with('#') {
            let entry = entry(index + 1, line);
            let entry = entry.ok_or_else(|| error(file, index + 1, ReadFault::NotAField))?;
            if let Some(block) = blocks.last_mut() {
                block.push(entry);
            }
        }
    }
    blocks.retain(|block| !block.is_empty());
    if blocks.is_empty() { Err(ReadError::whole(file, ReadFault::Empty)) } else { Ok(blocks) }
}

fn entry(line: usize, content: &str) -> Option<Entry> {
    let bracketed = content.strip_prefix('[');
    let content = match bracketed {
        Some(rest) => rest.strip_suffix(']')?,
        None => content,
    };
    // Accept a line in brackets without a value, because it may be a remark.
    let (field, value) = content.split_once('=').or(bracketed.map(|_| (content, "")))?;
    let (field, value) = (field.trim().to_owned(), value.trim().to_owned());
    Some(Entry { line, field, value, section: bracketed.is_some() })
}

pub(super) fn error(file: &str, line: usize, fault: ReadFault) -> ReadError {
    ReadError::new(file, format_args!("line {line}"), fault)
}

/// A block whose fields are looked up by name.
pub(super) struct Block<'a> {
    pub(super) file: &'a str,
    pub(super) entries: &'a [Entry],
}

impl<'a> Block<'a> {
    /// Returns the number of the first line.
    pub(super) fn line(&self) -> usize {
        self.entries.first().map_or(0, |entry| entry.line)
    }

    /// Returns the entry for a field, or `None` if the block does not contain the field. Fails if the field occurs
    /// twice.
    pub(super) fn optional(&self, field: &'static str) -> Result<Option<&'a Entry>, ReadError> {
        let mut found = self.entries.iter().filter(|entry| entry.field == field && !entry.section);
        match (found.next(), found.next()) {
            (entry, None) => Ok(entry),
            (_, Some(again)) => Err(error(self.file, again.line, ReadFault::unexpected(field, &again.value))),
        }
    }

    pub(super) fn entry(&self, field: &'static str) -> Result<&'a Entry, ReadError> {
        self.optional(field)?.ok_or_else(|| error(self.file, self.line(), ReadFault::Missing(field)))
    }

    pub(super) fn number(&self, field: &'static str) -> Result<usize, ReadError> {
        number(self.file, field, self.entry(field)?)
    }

    pub(super) fn bytes(&self, field: &'static str) -> Result<Vec<u8>, ReadError> {
        bytes(self.file, field, self.entry(field)?)
    }
}

pub(super) fn number(file: &str, field: &'static str, entry: &Entry) -> Result<usize, ReadError> {
    entry.value.parse().map_err(|_| error(file, entry.line, ReadFault::unexpected(field, &entry.value)))
}

pub(super) fn bytes(file: &str, field: &'static str, entry: &Entry) -> Result<Vec<u8>, ReadError> {
    hex::decode(&entry.value)
        .map_err(|_| error(file, entry.line, ReadFault::unexpected(field, shortened(&entry.value))))
}

fn shortened(value: &str) -> String {
    let mut start: String = value.chars().take(40).collect();
    if start.len() < value.len() {
        start.push_str("...");
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_blocks_fields_sections_and_comments() {
        let file = b"# note\r\n[L = 224]\r\n\r\nLen = 0\r\nMsg = 00\r\n\r\n\r\nLen = 8\r\nMsg =\r\n";
        let blocks = blocks("f.rsp", file).unwrap();
        assert_eq!(blocks.len(), 3);
        assert!(blocks[0][0].section);
        assert_eq!((blocks[0][0].field.as_str(), blocks[0][0].value.as_str()), ("L", "224"));
        let block = Block { file: "f.rsp", entries: &blocks[1] };
        assert_eq!((block.number("Len").unwrap(), block.bytes("Msg").unwrap()), (0, vec![0]));
        let missing = block.bytes("MD").unwrap_err();
        assert_eq!(missing.to_string(), "f.rsp, line 4: no field `MD`");
    }

    #[test]
    fn rejects_invalid_lines_with_their_number() {
        for (file, expected) in [
            (&b"Len 8\n"[..], "f, line 1: expected `field = value`"),
            (b"a = 1\n[L = 224\n", "f, line 2: expected `field = value`"),
            (b"# nothing\n", "f: no vectors"),
            (b"\xff = 1\n", "f: not text"),
        ] {
            assert_eq!(blocks("f", file).unwrap_err().to_string(), expected);
        }
        let twice = blocks("f", b"a = 1\na = 2\n").unwrap();
        let error = Block { file: "f", entries: &twice[0] }.number("a").unwrap_err();
        assert_eq!(error.to_string(), "f, line 2: invalid field `a`: \"2\"");
    }
}
