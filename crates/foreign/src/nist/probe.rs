//! Checks the lengths of a library's keys, which the interface does not report, against the algorithm that the user
//! named.

/// Byte that fills the buffers before the library writes keys to them.
const UNTOUCHED: u8 = 0xA5;
/// Extra buffer space after a key, in bytes. Larger than the difference in key length between any two parameter sets of
/// a family.
const ROOM: usize = 16 * 1024;
/// Number of bytes at the end of a key to compare with the fill byte. If all of them equal the fill byte, the key is
/// too short. A key of the right length fails this check with probability 2^-128.
const END: usize = 16;

/// Calls `make` with oversized buffers for a public and a private key. Checks that the keys have the two `lengths`, in
/// bytes. The error names the key that has the wrong length.
pub(super) fn key_pair(lengths: (usize, usize), make: impl FnOnce(*mut u8, *mut u8) -> bool) -> Result<(), String> {
    let (mut public, mut private) = (vec![UNTOUCHED; lengths.0 + ROOM], vec![UNTOUCHED; lengths.1 + ROOM]);
    if !make(public.as_mut_ptr(), private.as_mut_ptr()) {
        return Err("the library failed to generate a key pair".to_owned());
    }
    for (what, bytes, length) in [("public", &public, lengths.0), ("private", &private, lengths.1)] {
        let untouched = |bytes: &[u8]| bytes.iter().all(|byte| *byte == UNTOUCHED);
        let (key, behind) = bytes.split_at(length);
        if !untouched(behind) {
            return Err(format!("the library's {what} keys are longer than {length} bytes: is the algorithm correct?"));
        }
        if untouched(&key[length - END..]) {
            return Err(format!(
                "the library's {what} keys are shorter than {length} bytes: is the algorithm correct?"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn making(public: usize, private: usize) -> Result<(), String> {
        key_pair((32, 64), |first, second| {
            // SAFETY: the buffers are much longer than `public` and `private`.
            unsafe {
                first.write_bytes(1, public);
                second.write_bytes(2, private);
            }
            true
        })
    }

    #[test]
    fn detects_keys_of_other_lengths() {
        assert_eq!(making(32, 64), Ok(()));
        for (result, part) in [
            (making(33, 64), "public keys are longer than 32"),
            (making(16, 64), "public keys are shorter than 32"),
            (making(32, 100), "private keys are longer than 64"),
            (making(32, 48), "private keys are shorter than 64"),
            (key_pair((32, 64), |_, _| false), "failed to generate a key pair"),
        ] {
            assert!(result.as_ref().is_err_and(|reason| reason.contains(part)), "{result:?}");
        }
    }
}
