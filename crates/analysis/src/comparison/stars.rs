use std::collections::BTreeMap;

/// Pairs the texts that match the pattern `first` with the texts that match the pattern `second`. Returns pairs of
/// indices into `texts`.
///
/// - A star matches any string, and a question mark matches any one character.
/// - Two texts form a pair if the stars of the two patterns match the same strings. If each pattern matches only one
///   text, these two form a pair.
/// - A pattern with stars and without brackets matches ids with any parameters, and pairs ids with equal parameters.
/// - `[]` matches only ids without parameters.
pub fn pair_by_stars(first: &str, second: &str, texts: &[String]) -> Vec<(usize, usize)> {
    let matching = |pattern: &str| -> Vec<(usize, Vec<String>)> {
        texts.iter().enumerate().filter_map(|(index, text)| Some((index, stars_of_id(pattern, text)?))).collect()
    };
    let (one, two) = (matching(first), matching(second));
    if let ([(one, _)], [(two, _)]) = (&one[..], &two[..]) {
        return vec![(*one, *two)];
    }
    let by_stars: BTreeMap<&Vec<String>, usize> = two.iter().map(|(index, stars)| (stars, *index)).collect();
    let pairs = one.iter().filter_map(|(index, stars)| Some((*index, *by_stars.get(stars)?)));
    pairs.filter(|(one, two)| one != two).collect()
}

/// Like [`stars`], but if the pattern matches only the id without its parameters, the parameters count as one more
/// star.
fn stars_of_id(pattern: &str, id: &str) -> Option<Vec<String>> {
    if let Some((before, after)) = pattern.split_once("[]") {
        return stars(&format!("{before}{after}"), id).filter(|_| !id.contains('['));
    }
    let any_parameters = pattern.contains(['*', '?']) && !pattern.contains('[');
    stars(pattern, id).or_else(|| {
        let (name, rest) = id.split_once('[').filter(|_| any_parameters)?;
        let (parameters, provider) = rest.rsplit_once(']')?;
        let mut found = stars(pattern, &format!("{name}{provider}"))?;
        found.push(parameters.to_owned());
        Some(found)
    })
}

/// Returns what each star of `pattern` matches in `text`, or `None` if the pattern does not match. Every star except
/// the last matches as little as possible. `?` matches any one character.
fn stars(pattern: &str, text: &str) -> Option<Vec<String>> {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let mut found = Vec::new();
    filled(&pattern, &text, &mut found).then_some(found)
}

fn filled(pattern: &[char], text: &[char], found: &mut Vec<String>) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('*', rest)) => {
            let so_far = found.len();
            (0..=text.len()).any(|length| {
                found.truncate(so_far);
                found.push(text[..length].iter().collect());
                filled(rest, &text[length..], found)
            })
        }
        Some((wanted, rest)) => match text.split_first() {
            Some((character, text)) if wanted == character || *wanted == '?' => filled(rest, text, found),
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts() -> Vec<String> {
        ["kem/A/enc@x", "kem/A/dec@x", "kem/B/enc@x", "kem/A/enc@y", "kem/A/dec@y"].map(String::from).to_vec()
    }

    #[test]
    fn pairs_texts_whose_stars_match_the_same_strings() {
        assert_eq!(pair_by_stars("*@x", "*@y", &texts()), [(0, 3), (1, 4)]);
        assert_eq!(pair_by_stars("kem/A/*@*", "kem/B/*@*", &texts()), [(0, 2)]);
        assert_eq!(pair_by_stars("kem/A/enc@x", "kem/A/dec@y", &texts()), [(0, 4)]);
        // If each pattern matches only one text, pair the two, whatever the stars match.
        assert_eq!(pair_by_stars("kem/B*", "*dec@y", &texts()), [(2, 4)]);
        assert!(pair_by_stars("*", "*", &texts()).is_empty());
        assert!(pair_by_stars("nothing", "*", &texts()).is_empty());
    }

    #[test]
    fn patterns_without_brackets_pair_equal_parameters() {
        let ids = ["s/A/verify[len=1]@x", "s/A/verify[len=2]@x", "s/A/verify[len=2]@y", "s/A/verify[len=1]@y"];
        let ids = ids.map(String::from);
        assert_eq!(pair_by_stars("s/*/verify@x", "s/*/verify@y", &ids), [(0, 3), (1, 2)]);
        assert!(pair_by_stars("s/*/verify[]@x", "s/*/verify[]@y", &ids).is_empty());
        assert_eq!(pair_by_stars("*@x", "*@y", &ids), [(0, 3), (1, 2)]);
    }

    #[test]
    fn a_star_matches_as_little_as_possible() {
        assert_eq!(stars("*a*", "banana"), Some(vec!["b".into(), "nana".into()]));
        assert_eq!(stars("b?n*", "banana"), Some(vec!["ana".into()]));
        assert_eq!(stars("*x", "banana"), None);
        assert_eq!(stars("", ""), Some(vec![]));
    }
}
