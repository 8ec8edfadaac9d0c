//! Measures peak stack use: paints the stack, performs the operation, and finds the lowest changed word.

use crate::memory::UNSEEN;
use crate::trial::Fault;
use std::hint::black_box;

const PAINT: u64 = 0xa5c3_96e1_7b2d_f084;
/// Size of a painted word, in bytes.
const WORD: usize = size_of::<u64>();

/// Returns the number of bytes of this thread's stack that the operation uses below this frame; 0 if less than
/// [`UNSEEN`].
#[inline(never)]
pub(super) fn peak(operation: &mut (dyn FnMut() -> Result<(), Fault> + Send)) -> Result<usize, Fault> {
    let low = low_end()?;
    let frame = frame();
    // Align to words, and start far enough below this frame to spare the frame of `paint`.
    let high = (frame - UNSEEN) & !(WORD - 1);
    paint(low, high);
    operation()?;
    let lowest = first_changed(low, high);
    Ok(if lowest < high { frame - lowest } else { 0 })
}

/// Returns the address at which the frames of functions called by the caller begin, or an address a few bytes lower.
#[inline(never)]
fn frame() -> usize {
    let byte = 0_u8;
    black_box(&raw const byte).addr()
}

#[inline(never)]
fn paint(low: usize, high: usize) {
    let mut word = std::ptr::with_exposed_provenance_mut::<u64>(low);
    while word.addr() < high {
        // SAFETY: the word is aligned, within this thread's stack, and below every frame in use.
        unsafe { word.write_volatile(PAINT) };
        word = word.wrapping_add(1);
    }
}

/// Returns the address of the lowest changed word, or `high` if no word changed.
#[inline(never)]
fn first_changed(low: usize, high: usize) -> usize {
    let mut word = std::ptr::with_exposed_provenance::<u64>(low);
    // SAFETY: the word is aligned, within this thread's stack, and was written by `paint`.
    while word.addr() < high && unsafe { word.read_volatile() } == PAINT {
        word = word.wrapping_add(1);
    }
    word.addr()
}

/// Returns the lowest writable address of this thread's stack.
fn low_end() -> Result<usize, Fault> {
    let unknown = || Fault::Unsupported("the C library does not report the address of this thread's stack".to_owned());
    let (mut start, mut size, mut guard) = (std::ptr::null_mut(), 0, 0);
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    // SAFETY: `pthread_getattr_np` initialises the attributes, which are destroyed once. All
    // pointers refer to writable variables.
    let known = unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return Err(unknown());
        }
        let known = libc::pthread_attr_getstack(attributes.as_ptr(), &mut start, &mut size) == 0
            && libc::pthread_attr_getguardsize(attributes.as_ptr(), &mut guard) == 0;
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        known
    };
    // Skip the guard, which only some versions of the C library count as part of the stack.
    let low = start.expose_provenance().next_multiple_of(WORD) + guard;
    if known && guard < size { Ok(low) } else { Err(unknown()) }
}
