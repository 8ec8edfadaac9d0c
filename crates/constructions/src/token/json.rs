//! Parses JSON objects and rejects duplicate members at any depth, because parsers disagree on which duplicate to use.

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// Parses an object and returns its members.
///
/// # Errors
/// Returns a predicate for an error message, such as `is not a JSON object`.
pub(super) fn object(bytes: &[u8]) -> Result<Map<String, Value>, &'static str> {
    match serde_json::from_slice(bytes) {
        Ok(Unique(Value::Object(members))) => Ok(members),
        Ok(_) => Err("is not a JSON object"),
        Err(_) => Err("is not valid JSON or has a duplicate member"),
    }
}

struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unique, D::Error> {
        deserializer.deserialize_any(Reader).map(Unique)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON without duplicate members")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a JSON number"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Unique(item)) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let Unique(value) = map.next_value()?;
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("a duplicate member"));
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn rejects_duplicate_members_at_any_depth() {
        for right in [r#"{"a":1,"b":{"a":[null,true,-2,1.5,"x"]}}"#, "{}", r#" {"a" : {"b":1} } "#] {
            let members = object(right.as_bytes()).unwrap();
            assert_eq!(Value::Object(members), serde_json::from_str::<Value>(right).unwrap());
        }
        for wrong in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"b":{"a":1,"a":2}}"#,
            r#"{"b":[{"a":1,"a":2}]}"#,
            "[1]",
            "1",
            "",
            r#"{"a":1}x"#,
            r#"{"a":1"#,
        ] {
            assert!(object(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(object(&[b"{\"a\":".repeat(10_000), b"1".to_vec()].concat()).is_err());
    }
}
