//! The sponge construction (FIPS 202, section 4) over one state per vector lane.

/// Defines `digest` for messages of equal length, with the states in 25 registers of type `$Words`. The caller must
/// define `permute`. It must also define `load_two` and `store_four`, which load two or store four consecutive words of
/// each message's block.
macro_rules! lane_sponge {
    ($Words:ty, $LANES:expr, $features:literal, xor = $xor:ident, zero = $zero:ident) => {
        /// Computes the digest of each message.
        ///
        /// # Safety
        /// The processor must support `$features`. All messages must have the same length, and so must all outputs.
        #[target_feature(enable = $features)]
        pub(crate) unsafe fn digest(function: Function, messages: &[&[u8]; $LANES], outs: &mut [&mut [u8]; $LANES]) {
            let suffix = function.suffix();
            // SAFETY: the caller guarantees support for `$features`, messages of equal length, and
            // outputs of equal length.
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

        /// Runs the sponge construction (FIPS 202, section 4) with a rate of `WORDS` words.
        ///
        /// # Safety
        /// All messages must have the same length, and so must all outputs.
        #[target_feature(enable = $features)]
        unsafe fn sponge<const WORDS: usize>(suffix: u8, messages: &[&[u8]; $LANES], outs: &mut [&mut [u8]; $LANES]) {
            let rate = 8 * WORDS;
            let mut state = [$zero(); 25];
            let blocks = messages.map(|message| message.as_ptr());
            let count = messages[0].len() / rate;
            let left = messages[0].len() % rate;
            // SAFETY: each message contains at least `count` whole blocks.
            unsafe { absorb::<WORDS>(&mut state, blocks, count) };

            let mut last = [[0_u8; LONGEST_RATE]; $LANES];
            for (block, message) in last.iter_mut().zip(messages) {
                block[..left].copy_from_slice(&message[message.len() - left..]);
                block[left] = suffix;
                block[rate - 1] |= 0x80;
            }
            // SAFETY: each padded block is as long as the longest rate.
            unsafe { absorb::<WORDS>(&mut state, last.each_ref().map(|block| block.as_ptr()), 1) };

            let length = outs[0].len();
            let mut done = 0;
            while length - done >= rate {
                let places = outs.each_mut().map(|out| out[done..].as_mut_ptr());
                // SAFETY: each output has room for a whole block at `places`.
                unsafe { squeeze::<WORDS>(&state, &places) };
                done += rate;
                if done < length {
                    permute(&mut state);
                }
            }
            if done < length {
                // SAFETY: each buffer is as long as the longest rate.
                unsafe { squeeze::<WORDS>(&state, &last.each_mut().map(|block| block.as_mut_ptr())) };
                for (out, block) in outs.iter_mut().zip(&last) {
                    out[done..].copy_from_slice(&block[..length - done]);
                }
            }
        }

        /// Absorbs `count` blocks of each message: adds each block to the states, then permutes. The states stay in
        /// registers between blocks.
        ///
        /// # Safety
        /// `count` blocks of `WORDS` words must be readable at each pointer.
        #[target_feature(enable = $features)]
        unsafe fn absorb<const WORDS: usize>(state: &mut [$Words; 25], blocks: [*const u8; $LANES], count: usize) {
            let (mut words, mut blocks) = (*state, blocks);
            for _ in 0..count {
                // SAFETY: the caller guarantees `count` readable blocks, and each iteration moves the pointers forward
                // by one block.
                unsafe { add::<WORDS>(&mut words, &blocks) };
                permute(&mut words);
                blocks = blocks.map(|block| block.wrapping_add(8 * WORDS));
            }
            *state = words;
        }

        /// Adds a block of each message to the states. The loop is unrolled, because otherwise the compiler keeps the
        /// states in memory.
        ///
        /// # Safety
        /// `WORDS` words must be readable at each pointer.
        #[target_feature(enable = $features)]
        #[inline]
        unsafe fn add<const WORDS: usize>(state: &mut [$Words; 25], blocks: &[*const u8; $LANES]) {
            $crate::lane_sponge::pairs!(word in 0 2 4 6 8 10 12 14 16 18 => if word + 1 < WORDS {
                // SAFETY: both words are inside the block.
                let (first, second) = unsafe { load_two(blocks, word) };
                state[word] = $xor(state[word], first);
                state[word + 1] = $xor(state[word + 1], second);
            });
            if WORDS % 2 == 1 {
                // SAFETY: the call loads the last two words of a block, so it does not read beyond the block.
                let (_, last) = unsafe { load_two(blocks, WORDS - 2) };
                state[WORDS - 1] = $xor(state[WORDS - 1], last);
            }
        }

        /// Writes a block of each state.
        ///
        /// # Safety
        /// `WORDS` words must be writable at each pointer.
        #[target_feature(enable = $features)]
        #[inline]
        unsafe fn squeeze<const WORDS: usize>(state: &[$Words; 25], blocks: &[*mut u8; $LANES]) {
            let store = |word: usize| {
                let words = [state[word], state[word + 1], state[word + 2], state[word + 3]];
                // SAFETY: all four words are inside the block.
                unsafe { store_four(blocks, word, words) };
            };
            for word in (0..WORDS - 3).step_by(4) {
                store(word);
            }
            // A block is not a multiple of four words, so write some of them again with the last ones.
            store(WORDS - 4);
        }
    };
}
pub(crate) use lane_sponge;

/// Evaluates an expression once for each number, without a loop.
macro_rules! pairs {
    ($word:ident in $($number:literal)* => $body:expr) => { $({
        #[allow(non_upper_case_globals)]
        const $word: usize = $number;
        $body
    })* };
}
pub(crate) use pairs;
