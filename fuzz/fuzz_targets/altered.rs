//! What becomes of an honest message.

/// The bytes themselves where the choice is even, else the honest message with them added to its bits, and with them at its end
/// where they are more.
pub fn altered(choice: u8, bytes: &[u8], honest: &[u8]) -> Vec<u8> {
    if choice % 2 == 0 {
        return bytes.to_vec();
    }
    let mut message = honest.to_vec();
    for (place, byte) in bytes.iter().enumerate() {
        match message.get_mut(place) {
            Some(at) => *at ^= byte,
            None => message.push(*byte),
        }
    }
    message
}
