//! Patterns of ids: what they match, and what was meant by one that matches nothing.

use wildmatch::WildMatch;

/// Ids that are named at most.
const NAMED: usize = 3;

/// Whether a text matches a pattern, in which `*` stands for any text and `?` for any one character. Everything else stands for
/// itself: brackets, which ids contain, are not character classes.
pub fn matches(pattern: &str, text: &str) -> bool {
    WildMatch::new(pattern).matches(text)
}

/// The ids nearest to a pattern that matches none of them: those that it matches once what it lacks is added (a provider,
/// brackets), or what it has too much is taken away; else those that look most like it.
pub fn nearest<'a>(pattern: &str, ids: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let rewritten = rewritten(pattern);
    let by = |pattern: &String| {
        let found = ids.clone().filter(|id| matches(pattern, &id.to_lowercase()));
        found.take(NAMED).map(str::to_owned).collect::<Vec<_>>()
    };
    rewritten.iter().map(by).find(|found| !found.is_empty()).unwrap_or_else(|| alike(pattern, ids))
}

/// The pattern in other words, the least changes first; all in lower case.
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
        // All that they say, in any order, and then without them.
        let parts: Vec<&str> = inside.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
        all.extend(parts.iter().map(|part| format!("{name}[*{part}*]@{provider}")));
    }
    all.extend([format!("{name}[*]@{provider}"), format!("{name}@{provider}"), format!("*{name}*@{provider}")]);
    all.extend([format!("{name}[*]@*"), format!("{name}@*"), format!("*{name}*")]);
    all
}

/// Those that look most like it.
fn alike<'a>(pattern: &str, ids: impl Iterator<Item = &'a str>) -> Vec<String> {
    let plain = pattern.to_lowercase().replace(['*', '?'], "");
    let mut ranked: Vec<(f64, &str)> = ids
        .map(|id| (strsim::jaro_winkler(&plain, &id.to_lowercase()), id))
        .filter(|(score, _)| *score > 0.8)
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
    fn what_lacks_a_provider_or_brackets_or_has_other_ones_is_told_what_there_is() {
        let of = |pattern: &str| nearest(pattern, IDS.into_iter());
        assert_eq!(of("kem/ML-KEM-768/decapsulate"), IDS[..2], "no provider");
        assert_eq!(of("kem/ml-kem-768/decapsulate@LIBOQS"), [IDS[1]], "another case");
        assert_eq!(of("signature/ML-DSA-65/verify@liboqs"), IDS[2..5], "no brackets");
        assert_eq!(of("signature/ML-DSA-65/verify[len=32,encoded]@liboqs"), [IDS[2], IDS[4]], "another order");
        assert_eq!(of("signature/ML-DSA-65/verify[len=33]@liboqs"), IDS[2..5], "another length");
        assert_eq!(of("ML-KEM-768/decapsulate@openssl"), IDS[..2], "no area, and no such provider");
        assert_eq!(of("kem/ML-KEM-768/decapsulat"), IDS[..2], "a slip");
        assert_eq!(of("zzz"), Vec::<String>::new());
    }
}
