//! Whether a library's keys have the lengths that the named algorithm's have: the interface does not tell.

/// What is written before the call, and the room behind each key, in bytes: more than any other parameter set of a family
/// needs beyond the smallest.
const UNTOUCHED: u8 = 0xA5;
const ROOM: usize = 16 * 1024;
/// So many bytes of a key are not all untouched by chance: the odds are 2^-128.
const END: usize = 16;

/// Makes a key pair with room to spare and says what does not fit.
pub(super) fn key_pair(lengths: (usize, usize), make: impl FnOnce(*mut u8, *mut u8) -> bool) -> Result<(), String> {
    let (mut public, mut private) = (vec![UNTOUCHED; lengths.0 + ROOM], vec![UNTOUCHED; lengths.1 + ROOM]);
    if !make(public.as_mut_ptr(), private.as_mut_ptr()) {
        return Err("it makes no key pair".to_owned());
    }
    for (what, bytes, length) in [("public", &public, lengths.0), ("private", &private, lengths.1)] {
        let untouched = |bytes: &[u8]| bytes.iter().all(|byte| *byte == UNTOUCHED);
        let (key, behind) = bytes.split_at(length);
        if !untouched(behind) {
            return Err(format!("its {what} keys are longer than {length} bytes: is the algorithm the right one?"));
        }
        if untouched(&key[length - END..]) {
            return Err(format!("its {what} keys are shorter than {length} bytes: is the algorithm the right one?"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn making(public: usize, private: usize) -> Result<(), String> {
        key_pair((32, 64), |first, second| {
            // SAFETY: there is far more room.
            unsafe {
                first.write_bytes(1, public);
                second.write_bytes(2, private);
            }
            true
        })
    }

    #[test]
    fn keys_of_other_lengths_are_found_out() {
        assert_eq!(making(32, 64), Ok(()));
        for (made, said) in [
            (making(33, 64), "public keys are longer than 32"),
            (making(16, 64), "public keys are shorter than 32"),
            (making(32, 100), "private keys are longer than 64"),
            (making(32, 48), "private keys are shorter than 64"),
            (key_pair((32, 64), |_, _| false), "no key pair"),
        ] {
            assert!(made.as_ref().is_err_and(|reason| reason.contains(said)), "{made:?}");
        }
    }
}
