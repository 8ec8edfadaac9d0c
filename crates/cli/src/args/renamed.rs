//! Old verb and option names. They still work for one release, with a note that gives the new name.

use std::ffi::OsString;

/// Options that were renamed: the verb, the old option and the new one.
const OPTIONS: &[(&str, &str, &str)] = &[("run", "--workers", "--pool-threads"), ("ledger", "--batch", "--at-once")];

/// Options of `pqlab doctor` that moved to `pqlab calibrate`.
const CALIBRATING: [&str; 3] = ["--aa", "--independence", "--between"];

/// Replaces old names with new ones. Returns the arguments and a note for each old name.
pub(crate) fn with_new_names(arguments: Vec<OsString>) -> (Vec<OsString>, Vec<String>) {
    let verb = arguments.get(1).and_then(|verb| verb.to_str()).unwrap_or_default().to_owned();
    let mut notes = Vec::new();
    let option = |argument: &OsString| argument.to_str().map(|text| text.split('=').next().unwrap_or(text).to_owned());
    let calibrates = arguments.iter().filter_map(option).any(|name| CALIBRATING.contains(&&*name));
    let mut renamed = Vec::new();
    for (place, argument) in arguments.into_iter().enumerate() {
        let name = option(&argument).unwrap_or_default();
        if verb == "doctor" && calibrates && place == 1 {
            notes.push("`pqlab doctor` with measurements is now `pqlab calibrate`".to_owned());
            renamed.push("calibrate".into());
        } else if verb == "doctor" && name == "--aa" {
            // Drop `--aa`: comparing a case with itself is what `pqlab calibrate` does by default.
        } else if let Some((_, old, new)) = OPTIONS.iter().find(|(of, old, _)| *of == verb && *old == name) {
            notes.push(format!("{old} is now {new}"));
            let value = argument.to_str().and_then(|text| text.split_once('='));
            renamed.push(value.map_or((*new).into(), |(_, value)| format!("{new}={value}").into()));
        } else {
            renamed.push(argument);
        }
    }
    (renamed, notes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(line: &str) -> (String, usize) {
        let (arguments, notes) = with_new_names(line.split(' ').map(OsString::from).collect());
        let words: Vec<&str> = arguments.iter().map(|argument| argument.to_str().unwrap()).collect();
        (words.join(" "), notes.len())
    }

    #[test]
    fn old_names_become_new_ones_with_a_note() {
        for (old, new) in [
            ("pqlab run scaling --workers 2", "pqlab run scaling --pool-threads 2"),
            ("pqlab run scaling --workers=2", "pqlab run scaling --pool-threads=2"),
            ("pqlab ledger verify x --batch 9", "pqlab ledger verify x --at-once 9"),
            ("pqlab doctor --aa --comparisons 5", "pqlab calibrate --comparisons 5"),
            ("pqlab doctor --between=4 kem", "pqlab calibrate --between=4 kem"),
        ] {
            assert_eq!(renamed(old), (new.to_owned(), 1));
        }
        for same in ["pqlab run --batch 9", "pqlab doctor --json", "pqlab run kem --worker go"] {
            assert_eq!(renamed(same), (same.to_owned(), 0));
        }
    }
}
