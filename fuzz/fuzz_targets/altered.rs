//! Mutation of honest messages.

/// Returns `bytes` if `choice` is even. Otherwise XORs `bytes` into the honest message, and appends
/// the bytes that do not fit.
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
