use crate::args::InspectArgs;
use crate::output::{self, Terminal};
use crate::table::table;
use crate::{DONE, FAILED};
use pqlab_lab::analysis::text::neutral;
use pqlab_lab::report::terminal::TextStyle;
use pqlab_lab::{
    Check, FileBlock, FileInspection, InspectRequest, Inspection, Item, ItemPart, LabError, round_three_note,
};
use std::path::{Path, PathBuf};

/// Number of bytes to show at each end of a long value.
const SHOWN: usize = 16;

pub(crate) fn run(arguments: &InspectArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    let [algorithm] = &arguments.what[..] else { return files(arguments, terminal) };
    if InspectRequest::is_path(algorithm) {
        return files(arguments, terminal);
    }
    let (algorithm, providers) = (algorithm.clone(), arguments.provider.clone());
    let request = InspectRequest { algorithm, providers, seed: arguments.seed };
    let inspections = match arguments.foreign.laboratory()?.inspect(&request) {
        // The name is not an algorithm, but a file that `is_path` does not recognize by its name.
        Err(LabError::Unknown { .. }) if Path::new(&request.algorithm).is_file() => return files(arguments, terminal),
        found => found?,
    };
    if let Some(note) = round_three_note(&request.algorithm) {
        output::talk(&note);
    }
    if arguments.output.is_json() {
        output::json(&serde_json::to_string_pretty(&inspections)?)?;
    } else {
        for inspection in &inspections {
            output::data(&page(inspection, arguments, terminal))?;
        }
    }
    Ok(if inspections.iter().all(Inspection::sound) { DONE } else { FAILED })
}

fn files(arguments: &InspectArgs, terminal: &Terminal) -> anyhow::Result<u8> {
    let paths: Vec<PathBuf> = arguments.what.iter().map(PathBuf::from).collect();
    let found = arguments.foreign.laboratory()?.inspect_files(&paths, &arguments.provider)?;
    match &found[..] {
        [one] if arguments.output.is_json() => output::json(&serde_json::to_string_pretty(one)?)?,
        all if arguments.output.is_json() => output::json(&serde_json::to_string_pretty(all)?)?,
        [one] => output::data(&file_page(one, terminal))?,
        all => {
            for one in all {
                let name = terminal.palette.paint(TextStyle::Strong, &neutral(&one.file));
                output::data(&format!("{name}\n{}", file_page(one, terminal)))?;
            }
        }
    }
    Ok(if found.iter().all(FileInspection::sound) { DONE } else { FAILED })
}

fn file_page(found: &FileInspection, terminal: &Terminal) -> String {
    let palette = terminal.palette;
    let blocks = found.blocks.iter().map(|block| {
        let FileBlock { place, kind, algorithm, facts, checks, refused } = block;
        let kind = kind.as_ref().map_or_else(String::new, |kind| match algorithm {
            Some(algorithm) => format!(": {kind}, {algorithm}"),
            None => format!(": {kind}"),
        });
        let mut out = format!("{}{kind}\n", palette.paint(TextStyle::Strong, place));
        for fact in facts {
            // Names in a certificate may contain line breaks.
            let value: String =
                fact.value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
            out.push_str(&format!("  {}: {value}\n", fact.name));
        }
        if let Some(reason) = refused {
            out.push_str(&format!("  {}  {reason}\n", palette.paint(TextStyle::Bad, "not readable")));
        }
        out + &check_lines(checks, terminal)
    });
    blocks.collect::<Vec<_>>().join("\n")
}

fn page(inspection: &Inspection, arguments: &InspectArgs, terminal: &Terminal) -> String {
    let palette = terminal.palette;
    let Inspection { kind, algorithm, provider, standard, category, seeded, items, checks, .. } = inspection;
    let category = category.map_or_else(String::new, |category| format!(", NIST category {category}"));
    let key = match seeded {
        _ if kind == "certificate" => format!("keys from seed {}, if the libraries accept one", arguments.seed),
        true => format!("key from seed {}", arguments.seed),
        false => "key from the library's own randomness, because the library accepts no seed".to_owned(),
    };
    let mut out = format!(
        "{}\n{standard}{category}; {key}\n\n",
        palette.paint(TextStyle::Strong, &format!("{algorithm} by {provider}"))
    );
    if arguments.full {
        for item in items {
            out.push_str(&format!("{} ({})\n{}", item.name, length(item), in_lines(&item.bytes)));
            for part in &item.parts {
                out.push_str(&format!("  {}\n", words(part)));
            }
            out.push('\n');
        }
    } else {
        let mut rows = Vec::new();
        for item in items {
            rows.push(vec![format!("  {}", item.name), length(item), abridged(&item.bytes)]);
            for part in &item.parts {
                let bytes = item.bytes.get(part.begin..part.end).unwrap_or_default();
                rows.push(vec![format!("    {}", words(part)), format!("{} B", bytes.len()), abridged(bytes)]);
            }
        }
        out.push_str(&table(&["  item", "length", "bytes"], rows, terminal.width));
        out.push('\n');
    }
    out.push('\n');
    out + &check_lines(checks, terminal)
}

fn check_lines(checks: &[Check], terminal: &Terminal) -> String {
    let palette = terminal.palette;
    let line = |Check { name, passed, detail }: &Check| {
        let mark = match passed {
            Some(true) => palette.paint(TextStyle::Good, "passed"),
            Some(false) => palette.paint(TextStyle::Bad, "FAILED"),
            None => palette.paint(TextStyle::Faint, "not offered"),
        };
        let detail = detail.as_ref().map_or_else(String::new, |detail| format!(": {detail}"));
        format!("  {mark}  {name}{detail}\n")
    };
    checks.iter().map(line).collect()
}

/// Describes a part of a key, signature or ciphertext, with its byte range.
fn words(part: &ItemPart) -> String {
    format!("bytes {} to {}: {}", part.begin, part.end.saturating_sub(1), part.name)
}

fn length(item: &Item) -> String {
    match item.length == item.longest {
        true => format!("{} B", item.length),
        false => format!("{} B (at most {})", item.length, item.longest),
    }
}

fn abridged(bytes: &[u8]) -> String {
    if bytes.len() <= 2 * SHOWN {
        return hex::encode(bytes);
    }
    format!("{}...{}", hex::encode(&bytes[..SHOWN]), hex::encode(&bytes[bytes.len() - SHOWN..]))
}

fn in_lines(bytes: &[u8]) -> String {
    bytes.chunks(32).map(|line| format!("  {}\n", hex::encode(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_bytes_are_abridged() {
        assert_eq!(abridged(&[0xab; 32]), "ab".repeat(32));
        let long: Vec<u8> = (0..=255).collect();
        assert_eq!(abridged(&long), "000102030405060708090a0b0c0d0e0f...f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
        assert_eq!(in_lines(&[1; 33]), format!("  {}\n  01\n", "01".repeat(32)));
    }
}
