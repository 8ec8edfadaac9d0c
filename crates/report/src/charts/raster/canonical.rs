//! Canonical form of a PDF. `svg2pdf` writes fonts and resources in the order of a hash map, which changes from call to
//! call. The canonical form sorts the resources and numbers the objects in the order in which they are first
//! referenced.

use std::collections::BTreeMap;

/// Length in bytes of an entry in the cross-reference table (ISO 32000-1, 7.5.4).
const ENTRY: usize = 20;

/// A PDF object: its dictionary as text, and its stream. The stream is empty if the object has none.
struct Object {
    head: String,
    stream: Vec<u8>,
}

/// Returns the canonical form of a PDF, or `None` if the file does not have the layout that `svg2pdf` writes.
pub(super) fn canonical(pdf: &[u8]) -> Option<Vec<u8>> {
    let end = find_last(pdf, b"startxref\n")?;
    let tail = std::str::from_utf8(pdf.get(end..)?).ok()?;
    let table: usize = tail.lines().nth(1)?.parse().ok()?;
    let after = std::str::from_utf8(pdf.get(table..end)?).ok()?;
    let (first, rest) = after.strip_prefix("xref\n0 ")?.split_once('\n')?;
    let count: usize = first.parse().ok()?;
    let trailer = rest.get(count.checked_mul(ENTRY)?..)?;
    let mut offsets: Vec<(usize, usize)> = Vec::new();
    for number in 1..count {
        let entry = rest.get(number * ENTRY..(number + 1) * ENTRY)?;
        if entry.contains(" n") {
            offsets.push((entry.get(..10)?.parse().ok()?, number));
        }
    }
    offsets.sort_unstable();
    let mut objects = BTreeMap::new();
    for (place, (from, number)) in offsets.iter().enumerate() {
        let to = offsets.get(place + 1).map_or(table, |(next, _)| *next);
        objects.insert(*number, object(pdf.get(*from..to)?, *number)?);
    }
    let start = offsets.first()?.0;
    let order = order(trailer, &objects);
    let renumbered: BTreeMap<usize, usize> = order.iter().copied().zip(1..).collect();
    let mut out = pdf.get(..start)?.to_vec();
    let mut entries = vec!["0000000000 65535 f\r\n".to_owned()];
    for number in &order {
        let object = objects.get(number)?;
        entries.push(format!("{:010} 00000 n\r\n", out.len()));
        out.extend(format!("{} 0 obj", renumbered.get(number)?).bytes());
        out.extend(with_references(&object.head, |old| renumbered.get(&old).copied().unwrap_or(old)).bytes());
        out.extend(&object.stream);
    }
    let table = out.len();
    out.extend(format!("xref\n0 {}\n{}", entries.len(), entries.concat()).bytes());
    out.extend(with_references(trailer, |old| renumbered.get(&old).copied().unwrap_or(old)).bytes());
    out.extend(format!("startxref\n{table}\n%%EOF").bytes());
    Some(out)
}

fn find_last(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).rposition(|part| part == wanted)
}

/// Splits an object, without its number, into dictionary and stream, and sorts its resources.
fn object(bytes: &[u8], number: usize) -> Option<Object> {
    let bytes = bytes.strip_prefix(format!("{number} 0 obj").as_bytes())?;
    let marker = b"\nstream\n";
    let at = bytes.windows(marker.len()).position(|part| part == marker).unwrap_or(bytes.len());
    let (head, stream) = bytes.split_at(at);
    Some(Object { head: sorted(std::str::from_utf8(head).ok()?), stream: stream.to_vec() })
}

/// Returns whether a line of a dictionary defines a resource. `svg2pdf` names resources with two letters and a number:
/// `/gs0 12 0 R`.
fn is_resource(line: &str) -> bool {
    let name = line.trim_start().as_bytes();
    matches!(name, [b'/', one, two, digit, ..] if one.is_ascii_lowercase() && two.is_ascii_lowercase() && digit.is_ascii_digit())
}

/// Sorts each run of consecutive lines that define resources.
fn sorted(head: &str) -> String {
    let mut lines: Vec<&str> = head.split('\n').collect();
    let mut from = 0;
    while from < lines.len() {
        let length = lines[from..].iter().take_while(|line| is_resource(line)).count();
        lines[from..from + length].sort_unstable_by_key(|line| (line.len(), *line));
        from += length + 1;
    }
    lines.join("\n")
}

/// Returns the numbers of all objects in the order in which they are first referenced.
fn order(trailer: &str, objects: &BTreeMap<usize, Object>) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    let add = |text: &str, order: &mut Vec<usize>| {
        with_references(text, |number| {
            if objects.contains_key(&number) && !order.contains(&number) {
                order.push(number);
            }
            number
        });
    };
    add(trailer, &mut order);
    let mut next = 0;
    while let Some(object) = order.get(next).and_then(|number| objects.get(number)) {
        add(&object.head, &mut order);
        next += 1;
    }
    let others: Vec<usize> = objects.keys().copied().filter(|number| !order.contains(number)).collect();
    order.extend(others);
    order
}

/// Replaces the object number in each reference, such as `12 0 R`, with the result of `renumber`.
fn with_references(text: &str, mut renumber: impl FnMut(usize) -> usize) -> String {
    let mut out = String::new();
    let mut parts = text.split(" 0 R").peekable();
    while let Some(part) = parts.next() {
        let digits = part.len() - part.trim_end_matches(|character: char| character.is_ascii_digit()).len();
        let (before, number) = part.split_at(part.len() - digits);
        match (parts.peek().is_some(), number.parse()) {
            (true, Ok(number)) => out.push_str(&format!("{before}{} 0 R", renumber(number))),
            (true, Err(_)) => out.push_str(&format!("{part} 0 R")),
            (false, _) => out.push_str(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_renumbered() {
        assert_eq!(with_references("/A 1 0 R [2 0 R] /B 10 0 R\n", |old| old + 1), "/A 2 0 R [3 0 R] /B 11 0 R\n");
        assert_eq!(with_references("10 20 0 RG", |old| old), "10 20 0 RG");
    }

    #[test]
    fn resources_are_sorted_by_name() {
        assert_eq!(sorted("a\n  /gs10 1 0 R\n  /gs2 2 0 R\nb"), "a\n  /gs2 2 0 R\n  /gs10 1 0 R\nb");
    }

    #[test]
    fn other_files_are_left_alone() {
        assert_eq!(canonical(b"%PDF-1.7"), None);
        assert_eq!(canonical(b"startxref\n99999\n%%EOF"), None);
    }
}
