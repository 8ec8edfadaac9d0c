//! Fields of a document, and changes to them.

use serde_json::Value;

/// Change to a field.
pub(crate) enum Change {
    /// The field is removed.
    Removed,
    /// The field occurs twice.
    Doubled,
    /// The value is replaced by this text, which need not be JSON.
    Written(String),
}

/// Returns all changes. Each has a name for failure messages.
pub(crate) fn changes() -> Vec<(&'static str, Change)> {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let long = format!("\"{}\"", "a".repeat(100_000));
    let written = [
        ("null", "null"),
        ("a boolean", "true"),
        ("a negative number", "-1"),
        ("zero", "0"),
        ("a huge number", "1e308"),
        ("a huge negative number", "-1e308"),
        ("a large number", "1e300"),
        ("the smallest number", "5e-324"),
        ("infinity", "1e999"),
        ("the largest whole number", "18446744073709551615"),
        ("2^64", "18446744073709551616"),
        ("NaN", "NaN"),
        ("NaN as a string", "\"NaN\""),
        ("an empty string", "\"\""),
        ("a long string", long.as_str()),
        ("control characters", "\"\\u0000\\u001b[2J\\r\\n\\t\""),
        ("right-to-left text", "\"\u{202e}\u{2066}txt.exe\""),
        ("a path", "\"../../x\""),
        ("a script", "\"</script><script>alert(1)</script>\""),
        ("an empty list", "[]"),
        ("an empty object", "{}"),
        ("nested lists", deep.as_str()),
    ];
    let written = written.map(|(name, text)| (name, Change::Written(text.to_owned())));
    [("nothing", Change::Removed), ("itself twice", Change::Doubled)].into_iter().chain(written).collect()
}

#[derive(Clone)]
pub(crate) enum Step {
    Key(String),
    Place(usize),
}

/// Path of a value in a document.
pub(crate) type Field = Vec<Step>;

pub(crate) fn name(field: &[Step]) -> String {
    let steps = field.iter().map(|step| match step {
        Step::Key(key) => key.clone(),
        Step::Place(place) => place.to_string(),
    });
    steps.collect::<Vec<_>>().join(".")
}

/// Returns the paths of all values in `value`, at any depth. For lists, returns only the first and the last element,
/// unless `all` is set.
pub(crate) fn fields(value: &Value, all: bool) -> Vec<Field> {
    fn walk(value: &Value, all: bool, above: &[Step], found: &mut Vec<Field>) {
        let mut below = |step: Step, value: &Value| {
            let field: Field = above.iter().cloned().chain([step]).collect();
            found.push(field.clone());
            walk(value, all, &field, found);
        };
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| below(Step::Key(key.clone()), value)),
            Value::Array(list) => {
                let wanted = |place: usize| all || place == 0 || place + 1 == list.len();
                let places = (0..list.len()).filter(|place| wanted(*place));
                places.for_each(|place| below(Step::Place(place), &list[place]));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(value, all, &[], &mut found);
    found
}

fn at<'v>(value: &'v mut Value, field: &[Step]) -> &'v mut Value {
    field.iter().fold(value, |value, step| match step {
        Step::Key(key) => &mut value[key.as_str()],
        Step::Place(place) => &mut value[*place],
    })
}

/// Returns the text of a document with changes to the given fields. No field may contain another.
pub(crate) fn changed(document: &Value, changes: &[(&Field, &Change)]) -> String {
    let mut document = document.clone();
    let mut written = Vec::new();
    for (number, (field, change)) in changes.iter().enumerate() {
        let (last, above) = field.split_last().unwrap();
        let mark = format!("@change {number}@");
        let was = at(&mut document, field).to_string();
        match (change, at(&mut document, above), last) {
            (Change::Removed, Value::Object(map), Step::Key(key)) => {
                map.remove(key);
            }
            (Change::Removed, Value::Array(list), Step::Place(place)) => {
                list.remove(*place);
            }
            (change, _, last) => {
                *at(&mut document, field) = Value::String(mark.clone());
                let text = match (change, last) {
                    (Change::Written(text), _) => text.clone(),
                    (_, Step::Key(key)) => format!("{was},{}:{was}", Value::String(key.clone())),
                    (_, Step::Place(_)) => format!("{was},{was}"),
                };
                written.push((format!("\"{mark}\""), text));
            }
        }
    }
    written.into_iter().fold(document.to_string(), |document, (mark, text)| document.replace(&mark, &text))
}

pub(crate) fn long() -> bool {
    std::env::var_os("PQLAB_MUTATIONS").is_some_and(|value| value == "long")
}
