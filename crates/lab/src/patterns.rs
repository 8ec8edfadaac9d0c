//! Patterns for ids: matching, and suggestions for patterns without a match.

use wildmatch::WildMatch;

/// Maximum number of ids to suggest.
const NAMED: usize = 3;

/// Returns whether `text` matches `pattern`. `*` matches any text and `?` any single character. All other characters
/// match themselves, including brackets, which enclose the parameters in ids. A pattern with `*` or `?` but without
/// brackets matches ids with any parameters. A pattern with `[]` matches only ids without parameters.
pub fn matches(pattern: &str, text: &str) -> bool {
    if let Some((before, after)) = pattern.split_once("[]") {
        return !text.contains('[') && WildMatch::new(&format!("{before}{after}")).matches(text);
    }
    let whole = WildMatch::new(pattern);
    let any_parameters = pattern.contains(['*', '?']) && !pattern.contains('[');
    whole.matches(text) || any_parameters && without_parameters(text).is_some_and(|text| whole.matches(&text))
}

/// Returns whether `text` is a case id or a pattern for case ids, as opposed to a reference to a run.
pub fn is_pattern(text: &str) -> bool {
    text.contains(['/', '*', '@'])
}

/// Returns an id without its parameters and their brackets; `None` if the id has no parameters.
fn without_parameters(id: &str) -> Option<String> {
    let (name, rest) = id.split_once('[')?;
    let (_, provider) = rest.rsplit_once(']')?;
    Some(format!("{name}{provider}"))
}

/// Returns the ids closest to a pattern that matches no id, the most similar first. First tries changed patterns, with
/// missing parts (a provider, brackets) added or extra parts removed. If no changed pattern matches, tries all ids.
pub fn nearest<'a>(pattern: &str, ids: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let search = |changed: &String| {
        let found = ids.clone().filter(|id| matches(changed, &id.to_lowercase()));
        alike(pattern, found, 0.0)
    };
    rewritten(pattern).iter().map(search).find(|found| !found.is_empty()).unwrap_or_else(|| alike(pattern, ids, 0.8))
}

/// Returns variants of the pattern in lower case, starting with the smallest changes.
fn rewritten(pattern: &str) -> Vec<String> {
    let pattern = pattern.to_lowercase();
    let (case, provider) = match pattern.rsplit_once('@') {
        Some((case, provider)) => (case, provider),
        None => (pattern.as_str(), "*"),
    };
    let (name, brackets) = match case.split_once('[') {
        Some((name, inside)) => (name, Some(inside.trim_end_matches(['*', ']']))),
        None => (case, None),
    };
    let mut all = vec![format!("{case}@{provider}"), format!("{case}@{provider}*")];
    if let Some(inside) = brackets {
        // Try each parameter alone, wherever it appears; then try without parameters.
        let parts: Vec<&str> = inside.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        all.extend(parts.iter().map(|part| format!("{name}[*{part}*]@{provider}")));
    }
    all.extend([format!("{name}[*]@{provider}"), format!("{name}@{provider}"), format!("*{name}*@{provider}")]);
    all.extend([format!("{case}@*"), format!("{name}[*]@*"), format!("{name}@*"), format!("*{name}*")]);
    all
}

/// Returns the ids most similar to the pattern, with a similarity above `least`, which is from 0 to 1.
fn alike<'a>(pattern: &str, ids: impl Iterator<Item = &'a str>, least: f64) -> Vec<String> {
    let plain = pattern.to_lowercase().replace(['*', '?'], "");
    let mut ranked: Vec<(f64, &str)> = ids
        .map(|id| (strsim::jaro_winkler(&plain, &id.to_lowercase()), id))
        .filter(|(score, _)| *score > least)
        .collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0));
    ranked.into_iter().take(NAMED).map(|(_, id)| id.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 6] = [
        "kem/ML-KEM-768/decapsulate@aws-lc",
        "kem/ML-KEM-768/decapsulate@liboqs",
        "signature/ML-DSA-65/verify[len=32]@liboqs",
        "signature/ML-DSA-65/verify[len=1024]@liboqs",
        "signature/ML-DSA-65/verify[encoded,len=32]@liboqs",
        "hash/SHA3-256/digest[len=64]@keccak",
    ];

    #[test]
    fn patterns_without_brackets_match_any_parameters() {
        let find = |pattern: &str| IDS.iter().filter(|id| matches(pattern, id)).count();
        assert_eq!(find("signature/ML-DSA-65/verify@lib*"), 3);
        assert_eq!(find("*/verify@*"), 3);
        assert_eq!(find("signature/ML-DSA-65/verify@liboqs"), 0, "an id matches only itself");
        assert_eq!((find("*/verify[]@*"), find("kem/*[]@*"), find("kem/*[*]@*")), (0, 2, 0));
        assert_eq!(find("signature/ML-DSA-65/verify[len=32]@*"), 1);
        assert_eq!(find("signature/ML-DSA-65/verify[*len=32]@*"), 2);
        assert_eq!(find("signature/ML-DSA-65/verif@*"), 0);
        assert_eq!(find("kem/*@liboqs"), 1);
    }

    #[test]
    fn suggests_ids_for_patterns_without_a_match() {
        let find = |pattern: &str| nearest(pattern, IDS.into_iter());
        assert_eq!(find("kem/ML-KEM-768/decapsulate"), IDS[..2], "no provider");
        assert_eq!(find("kem/ml-kem-768/decapsulate@LIBOQS"), [IDS[1]], "another case");
        assert_eq!(find("signature/ML-DSA-65/verify@liboqs"), IDS[2..5], "no brackets");
        assert_eq!(find("signature/ML-DSA-65/verify[len=32,encoded]@liboqs"), [IDS[4], IDS[2]], "another order");
        assert_eq!(find("signature/ML-DSA-65/verify[len=33]@liboqs"), IDS[2..5], "a different length");
        assert_eq!(find("ML-KEM-768/decapsulate@openssl"), [IDS[1], IDS[0]], "no area, and no such provider");
        assert_eq!(find("kem/ML-KEM-768/decapsulat"), IDS[..2], "a typo");
        assert_eq!(find("zzz"), Vec::<String>::new());
    }
}
