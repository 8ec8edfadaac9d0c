//! The sponge (FIPS 202, section 4) over as many states as a register has words.

/// `digest` of so many messages of one length, over 25 registers of `$Words`. Expects in scope: `permute`, and `load_two` and
/// `store_two`, which bring two words that follow each other from and to a block of each message.
macro_rules! lane_sponge {
    ($Words:ty, $LANES:expr, $features:literal, xor = $xor:ident, zero = $zero:ident) => {
        /// # Safety
        /// The processor has the instructions; all messages are of one length, and so are all outputs.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn digest(function: Function, messages: &[&[u8]; $LANES], outs: &mut [&mut [u8]; $LANES]) {
            let suffix = function.suffix();
            // SAFETY: the caller's promise; the numbers of words are those of the rates.
            unsafe {
                match function.rate() / 8 {
                    9 => sponge::<9>(suffix, messages, outs),
                    13 => sponge::<13>(suffix, messages, outs),
                    17 => sponge::<17>(suffix, messages, outs),
                    18 => sponge::<18>(suffix, messages, outs),
                    _ => sponge::<21>(suffix, messages, outs),
                }
            }
        }

        /// The sponge (FIPS 202, section 4) with a rate of so many words.
        ///
        /// # Safety
        /// All messages are of one length, and so are all outputs.
        #[target_feature(enable = $features)]
        unsafe fn sponge<const WORDS: usize>(suffix: u8, messages: &[&[u8]; $LANES], outs: &mut [&mut [u8]; $LANES]) {
            let rate = 8 * WORDS;
            let mut state = [$zero(); 25];
            let blocks = messages.map(|message| message.as_ptr());
            let count = messages[0].len() / rate;
            let left = messages[0].len() % rate;
            // SAFETY: each message has so many whole blocks.
            unsafe { absorb::<WORDS>(&mut state, blocks, count) };

            let mut last = [[0_u8; LONGEST_RATE]; $LANES];
            for (block, message) in last.iter_mut().zip(messages) {
                block[..left].copy_from_slice(&message[message.len() - left..]);
                block[left] = suffix;
                block[rate - 1] |= 0x80;
            }
            // SAFETY: each of the blocks is as long as the longest rate.
            unsafe { absorb::<WORDS>(&mut state, last.each_ref().map(|block| block.as_ptr()), 1) };

            let length = outs[0].len();
            let mut done = 0;
            while length - done >= rate {
                let places = outs.each_mut().map(|out| out[done..].as_mut_ptr());
                // SAFETY: each output has room for a block from here on.
                unsafe { squeeze::<WORDS>(&state, &places) };
                done += rate;
                if done < length {
                    state = permute(state);
                }
            }
            if done < length {
                // SAFETY: each of the blocks is as long as the longest rate.
                unsafe { squeeze::<WORDS>(&state, &last.each_mut().map(|block| block.as_mut_ptr())) };
                for (out, block) in outs.iter_mut().zip(&last) {
                    out[done..].copy_from_slice(&block[..length - done]);
                }
            }
        }

        /// Adds `count` blocks of each message to the states, each followed by the permutation. The states stay in registers from
        /// block to block.
        ///
        /// # Safety
        /// So many blocks of so many words can be read from each of the pointers.
        #[target_feature(enable = $features)]
        unsafe fn absorb<const WORDS: usize>(state: &mut [$Words; 25], blocks: [*const u8; $LANES], count: usize) {
            let (mut words, mut blocks) = (*state, blocks);
            for _ in 0..count {
                // SAFETY: the caller's promise; each pointer is moved by a block at a time.
                unsafe { add::<WORDS>(&mut words, &blocks) };
                words = permute(words);
                blocks = blocks.map(|block| block.wrapping_add(8 * WORDS));
            }
            *state = words;
        }

        /// Adds a block of each message to the states. Written out, for otherwise the states are kept in memory.
        ///
        /// # Safety
        /// So many words can be read from each of the pointers.
        #[target_feature(enable = $features)]
        #[inline]
        unsafe fn add<const WORDS: usize>(state: &mut [$Words; 25], blocks: &[*const u8; $LANES]) {
            $crate::lane_sponge::pairs!(word in 0 2 4 6 8 10 12 14 16 18 => if word + 1 < WORDS {
                // SAFETY: the second word is within the block.
                let (first, second) = unsafe { load_two(blocks, word) };
                state[word] = $xor(state[word], first);
                state[word + 1] = $xor(state[word + 1], second);
            });
            if WORDS % 2 == 1 {
                // SAFETY: from the last word but one, so that nothing beyond the block is read.
                let (_, last) = unsafe { load_two(blocks, WORDS - 2) };
                state[WORDS - 1] = $xor(state[WORDS - 1], last);
            }
        }

        /// Writes a block of each state.
        ///
        /// # Safety
        /// So many words can be written to each of the pointers.
        #[target_feature(enable = $features)]
        #[inline]
        unsafe fn squeeze<const WORDS: usize>(state: &[$Words; 25], blocks: &[*mut u8; $LANES]) {
            for word in (0..WORDS - 1).step_by(2) {
                // SAFETY: the second word is within the block.
                unsafe { store_two(blocks, word, state[word], state[word + 1]) };
            }
            if WORDS % 2 == 1 {
                // SAFETY: the last word but one is written once more, so that nothing beyond the block is.
                unsafe { store_two(blocks, WORDS - 2, state[WORDS - 2], state[WORDS - 1]) };
            }
        }
    };
}
pub(crate) use lane_sponge;

/// Statements for each of the numbers, written out.
macro_rules! pairs {
    ($word:ident in $($number:literal)* => $body:expr) => { $({
        #[allow(non_upper_case_globals)]
        const $word: usize = $number;
        $body
    })* };
}
pub(crate) use pairs;
