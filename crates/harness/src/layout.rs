//! Memory layout of worker processes. The kernel places a process's stack at a random address, so processes differ in
//! layout, and some operations depend on it. Here, the position of stack, heap and keys within a page is planned and
//! recorded instead, so that an analysis can tell which of them matters. All of this happens before the timed code.

use pqlab_record::Offsets;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use std::hint::black_box;
use std::sync::atomic::{AtomicU16, Ordering};

/// Size of a page in bytes, for addresses.
const PAGE: usize = Offsets::PAGE as usize;
/// Number of processes whose offsets are spread evenly over a page.
const EVENLY: u32 = 8;
/// Distance in bytes between the parts of a page of which each gets one of these processes.
const PART: u16 = Offsets::PAGE / EVENLY as u16;
/// Length of a cache line in bytes.
const LINE: u16 = 64;
/// Minimum size in bytes of a block that moves later allocations. The size must exceed the gaps between earlier
/// allocations, and must be below the size at which allocators map memory for a single block (128 KiB in glibc).
const LEAST_BLOCK: usize = 64 << 10;
/// Number of stack frames after which the search for an offset ends. Every offset is reached within a page's
/// [steps](Offsets::STEP).
const MOST_FRAMES: u32 = (Offsets::PAGE / Offsets::STEP) as u32;

/// Layout and inputs of a worker process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Position of stack, heap and keys.
    pub offsets: Offsets,
    /// Number of the process whose inputs the process uses: usually its own number.
    pub inputs: u32,
}

/// Plan of the layouts of all processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layouts {
    /// Every process has its own inputs, and offsets that follow from the seed of the run. The offsets of processes 0
    /// to 7, 8 to 15, and so on are spread evenly over a page, and over a cache line.
    #[default]
    Spread,
    /// Layouts by number of the process. Further processes follow [`Spread`](Self::Spread).
    Listed(Vec<Layout>),
}

impl Layouts {
    /// Returns the layout of a process. `seed` is the seed of the run.
    pub fn of(&self, seed: u64, process: u32) -> Layout {
        match self {
            Layouts::Listed(layouts) if (process as usize) < layouts.len() => layouts[process as usize],
            _ => Layout { offsets: spread(seed, process), inputs: process },
        }
    }
}

fn spread(seed: u64, process: u32) -> Offsets {
    let [group, member] = [process / EVENLY, process % EVENLY];
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    // Use the stream number, so that this order is independent of others that follow from the seed.
    random.set_stream(u64::from(group) << 8 | 0x4c);
    let [stack, heap, keys] = [(); 3].map(|()| {
        let mut parts: Vec<u16> = (0..EVENLY as u16).collect();
        parts.shuffle(&mut random);
        let mut steps: Vec<u16> = (0..EVENLY as u16).map(|index| index % (LINE / Offsets::STEP)).collect();
        steps.shuffle(&mut random);
        let lines: Vec<u16> = (0..EVENLY).map(|_| random.random_range(0..PART / LINE)).collect();
        let member = member as usize;
        parts[member] * PART + lines[member] * LINE + steps[member] * Offsets::STEP
    });
    Offsets { stack, heap, keys }
}

/// Distance in bytes between the keys and the rest of the heap, modulo a page; [`UNPLANNED`] before
/// [`move_heap`].
static KEYS_AFTER_HEAP: AtomicU16 = AtomicU16::new(UNPLANNED);
/// Value of [`KEYS_AFTER_HEAP`] in a process without a planned layout.
const UNPLANNED: u16 = u16::MAX;

/// Moves all later allocations of this process by `offsets.heap`, and all later [keys](move_keys) by `offsets.keys`.
pub(crate) fn move_heap(offsets: Offsets) {
    take_block(offsets.heap);
    KEYS_AFTER_HEAP.store(offsets.keys.wrapping_sub(offsets.heap) % Offsets::PAGE, Ordering::Relaxed);
}

/// Moves the keys that the caller is about to generate, as the layout of this process requires. Does nothing in a
/// process without a planned layout.
pub fn move_keys() {
    match KEYS_AFTER_HEAP.load(Ordering::Relaxed) {
        UNPLANNED => {}
        distance => take_block(distance),
    }
}

/// Allocates a block and never frees it, so that the next allocations lie `distance` bytes higher, modulo a page. The
/// block is never written, so it takes address space only.
fn take_block(distance: u16) {
    black_box(Vec::<u8>::with_capacity(LEAST_BLOCK + usize::from(distance)).leak());
}

/// Calls `run` from a stack frame whose address is `offset` modulo a page. Returns whether that was possible. If not,
/// `run` was not called.
pub(crate) fn with_stack_at(offset: u16, run: &mut dyn FnMut()) -> bool {
    // The sizes of the two kinds of frames differ by one step, so one of them is an odd number of steps. Such frames
    // reach every offset within a page.
    with_stack_below::<16>(offset, MOST_FRAMES, run) || with_stack_below::<32>(offset, MOST_FRAMES, run)
}

#[repr(align(16))]
struct Filler<const SIZE: usize>([u8; SIZE]);

/// Adds up to `left` stack frames until the frame's address is `offset` modulo a page.
#[inline(never)]
fn with_stack_below<const SIZE: usize>(offset: u16, left: u32, run: &mut dyn FnMut()) -> bool {
    let filler = Filler([0_u8; SIZE]);
    let address = black_box(&raw const filler.0).addr();
    let found = if address % PAGE == usize::from(offset) {
        run();
        true
    } else {
        left > 0 && with_stack_below::<SIZE>(offset, left - 1, run)
    };
    // Keep the frame until `run` has returned.
    black_box(&filler.0);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_stack_reaches_every_offset() {
        #[inline(never)]
        fn address() -> usize {
            let byte = 0_u8;
            black_box(&raw const byte).addr()
        }
        let mut distances = BTreeSet::new();
        for offset in (0..Offsets::PAGE).step_by(usize::from(Offsets::STEP)) {
            let mut calls = 0;
            let placed = with_stack_at(offset, &mut || {
                calls += 1;
                distances.insert((usize::from(offset) + PAGE - address() % PAGE) % PAGE);
            });
            assert!(placed && calls == 1, "{offset}: {placed} {calls}");
        }
        assert!(distances.len() <= 2, "the distance to the frames of a library must not vary: {distances:?}");
    }

    #[test]
    fn unreachable_offsets_are_reported() {
        assert!(!with_stack_at(8, &mut || panic!("no frame has this offset")));
    }

    #[test]
    fn spread_offsets_cover_a_page_and_a_line_evenly() {
        for seed in 0..50 {
            for group in 0..3 {
                let offsets: Vec<Offsets> =
                    (0..8).map(|member| Layouts::Spread.of(seed, 8 * group + member).offsets).collect();
                for part in 0..3 {
                    let of_part: Vec<u16> = offsets.iter().map(|offsets| offsets.parts()[part].1).collect();
                    let eighths: BTreeSet<u16> = of_part.iter().map(|offset| offset / PART).collect();
                    assert_eq!(eighths, (0..8).collect(), "{of_part:?}");
                    let mut steps: Vec<u16> = of_part.iter().map(|offset| offset % LINE).collect();
                    steps.sort_unstable();
                    assert_eq!(steps, [0, 0, 16, 16, 32, 32, 48, 48], "{of_part:?}");
                }
            }
        }
    }

    #[test]
    fn layouts_follow_from_the_seed() {
        let layouts = |seed| (0..24).map(|process| Layouts::Spread.of(seed, process)).collect::<Vec<_>>();
        assert_eq!(layouts(7), layouts(7));
        assert_ne!(layouts(7), layouts(8));
        assert!(layouts(7).iter().zip(0..).all(|(layout, process)| layout.inputs == process));
    }

    #[test]
    fn listed_layouts_come_first() {
        let first = Layout { offsets: Offsets { stack: 16, heap: 0, keys: 0 }, inputs: 9 };
        let layouts = Layouts::Listed(vec![first]);
        assert_eq!(layouts.of(3, 0), first);
        assert_eq!(layouts.of(3, 1), Layouts::Spread.of(3, 1));
    }
}
