/// Formats a number with thousands separators.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puts_commas_between_thousands() {
        let formatted = [0, 7, 999, 1000, 12_345, 1_000_000].map(thousands);
        assert_eq!(formatted, ["0", "7", "999", "1,000", "12,345", "1,000,000"]);
    }
}
