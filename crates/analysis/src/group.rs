/// Things that have the same key, in the order in which they first appear.
pub fn grouped<'r, K: PartialEq, T>(
    things: impl Iterator<Item = &'r T>,
    key: impl Fn(&T) -> K,
) -> Vec<(K, Vec<&'r T>)> {
    let mut groups: Vec<(K, Vec<&'r T>)> = Vec::new();
    for thing in things {
        let key = key(thing);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, things)) => things.push(thing),
            None => groups.push((key, vec![thing])),
        }
    }
    groups
}
