//! Measures peak heap use, by counting the requests of one thread to the C library's allocator.
//!
//! A dynamically linked program calls `malloc` and related functions through slots. The loader fills the slots with the
//! addresses of the C library's functions (System V ABI, chapter 5, "Relocation"). [`install`] redirects the main
//! program's slots to the functions below, which forward to the C library. The slots stay redirected until the process
//! ends.

use crate::trial::Fault;
use libc::{c_int, c_void};
use std::ffi::{CStr, c_char};
use std::hint::black_box;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

/// Thread (`pthread_self`) whose calls are counted; 0 for none.
static COUNTED: AtomicUsize = AtomicUsize::new(0);
/// Bytes that the counted thread has allocated since counting began, minus those it freed.
static LIVE: AtomicIsize = AtomicIsize::new(0);
/// Maximum of [`LIVE`].
static PEAK: AtomicIsize = AtomicIsize::new(0);
/// The C library's functions, found before any slot is changed.
static REAL: OnceLock<Real> = OnceLock::new();

struct Real {
    malloc: unsafe extern "C" fn(usize) -> *mut c_void,
    calloc: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    realloc: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
    memalign: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    aligned_alloc: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    posix_memalign: unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int,
    usable_size: unsafe extern "C" fn(*mut c_void) -> usize,
}

/// Redirects the main program's slots to the counting functions. Only the first call has an effect.
///
/// # Errors
/// The reason why this program's allocations cannot be counted.
pub(super) fn install() -> Result<(), &'static str> {
    static INSTALLED: OnceLock<Result<(), &'static str>> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        let real = real().ok_or("the C library's allocator was not found")?;
        REAL.get_or_init(|| real);
        let program = program().ok_or("the program's global offset table was not found")?;
        // SAFETY: the loader provided this description of the program. Each replacement has the
        // signature of the function that it replaces.
        unsafe { program.redirect() }?;
        count();
        drop(black_box(Vec::<u8>::with_capacity(4096)));
        if counted() >= 4096 { Ok(()) } else { Err("this program does not call the C library's allocator directly") }
    })
}

/// Returns the operation's peak heap use on this thread, in bytes.
pub(super) fn peak(operation: &mut (dyn FnMut() -> Result<(), Fault> + Send)) -> Result<usize, Fault> {
    /// Stops counting even if the operation panics.
    struct Ended;
    impl Drop for Ended {
        fn drop(&mut self) {
            COUNTED.store(0, Ordering::Relaxed);
        }
    }
    let _ended = Ended;
    count();
    operation()?;
    Ok(counted())
}

fn count() {
    LIVE.store(0, Ordering::Relaxed);
    PEAK.store(0, Ordering::Relaxed);
    COUNTED.store(this_thread(), Ordering::Relaxed);
}

fn counted() -> usize {
    COUNTED.store(0, Ordering::Relaxed);
    PEAK.load(Ordering::Relaxed).unsigned_abs()
}

fn this_thread() -> usize {
    // SAFETY: `pthread_self` takes no arguments and cannot fail.
    unsafe { libc::pthread_self() as usize }
}

fn counting() -> bool {
    let counted = COUNTED.load(Ordering::Relaxed);
    counted != 0 && counted == this_thread()
}

/// Returns the usable size, in bytes, of a block from the C library's allocator; 0 for a null pointer.
///
/// # Safety
/// `block` must be null or live.
unsafe fn usable(real: &Real, block: *mut c_void) -> isize {
    // SAFETY: the caller guarantees that `block` is null or live.
    unsafe { (real.usable_size)(block) as isize }
}

fn change(bytes: isize) {
    let live = LIVE.fetch_add(bytes, Ordering::Relaxed).wrapping_add(bytes);
    PEAK.fetch_max(live, Ordering::Relaxed);
}

/// Counts a newly allocated block, which is null if the allocation failed.
fn track(real: &Real, block: *mut c_void) -> *mut c_void {
    if counting() {
        // SAFETY: the allocator has just returned `block`.
        change(unsafe { usable(real, block) });
    }
    block
}

unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    let Some(real) = REAL.get() else { return std::ptr::null_mut() };
    // SAFETY: the caller's arguments are forwarded unchanged.
    track(real, unsafe { (real.malloc)(size) })
}

unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let Some(real) = REAL.get() else { return std::ptr::null_mut() };
    // SAFETY: the caller's arguments are forwarded unchanged.
    track(real, unsafe { (real.calloc)(count, size) })
}

unsafe extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    let Some(real) = REAL.get() else { return std::ptr::null_mut() };
    // SAFETY: the caller's arguments are forwarded unchanged.
    track(real, unsafe { (real.memalign)(alignment, size) })
}

unsafe extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    let Some(real) = REAL.get() else { return std::ptr::null_mut() };
    // SAFETY: the caller's arguments are forwarded unchanged.
    track(real, unsafe { (real.aligned_alloc)(alignment, size) })
}

unsafe extern "C" fn posix_memalign(place: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    let Some(real) = REAL.get() else { return libc::ENOMEM };
    // SAFETY: the caller's arguments are forwarded unchanged.
    let outcome = unsafe { (real.posix_memalign)(place, alignment, size) };
    if outcome == 0 {
        // SAFETY: on success `place` holds the new block.
        track(real, unsafe { *place });
    }
    outcome
}

unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    let Some(real) = REAL.get() else { return std::ptr::null_mut() };
    let counting = counting();
    // SAFETY: the caller guarantees that the block is null or live.
    let before = if counting { unsafe { usable(real, block) } } else { 0 };
    // SAFETY: the caller's arguments are forwarded unchanged.
    let moved = unsafe { (real.realloc)(block, size) };
    if counting && (!moved.is_null() || size == 0) {
        // SAFETY: `moved` is null or was just returned by the allocator. For size 0, null means that the block was
        // freed.
        change(unsafe { usable(real, moved) } - before);
    }
    moved
}

unsafe extern "C" fn free(block: *mut c_void) {
    let Some(real) = REAL.get() else { return };
    if counting() {
        // SAFETY: the caller guarantees that the block is null or live.
        change(-unsafe { usable(real, block) });
    }
    // SAFETY: the caller's argument is forwarded unchanged.
    unsafe { (real.free)(block) }
}

/// Returns the address of the function that replaces the allocator function `name`; `None` for other names.
fn replacement(name: &CStr) -> Option<usize> {
    let function = match name.to_bytes() {
        b"malloc" => malloc as *const (),
        b"calloc" => calloc as *const (),
        b"realloc" => realloc as *const (),
        b"free" => free as *const (),
        b"memalign" => memalign as *const (),
        b"aligned_alloc" => aligned_alloc as *const (),
        b"posix_memalign" => posix_memalign as *const (),
        _ => return None,
    };
    Some(function.expose_provenance())
}

/// Looks up the C library's functions, skipping the main program.
fn real() -> Option<Real> {
    let find = |name: &CStr| {
        // SAFETY: the name ends with a null byte.
        let function = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
        (!function.is_null()).then_some(function)
    };
    // SAFETY: the functions have these signatures (ISO C 7.22.3, POSIX, malloc_usable_size(3)).
    unsafe {
        Some(Real {
            malloc: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(usize) -> *mut c_void>(find(c"malloc")?),
            calloc: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(usize, usize) -> *mut c_void>(find(
                c"calloc",
            )?),
            realloc: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void>(find(
                c"realloc",
            )?),
            free: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void)>(find(c"free")?),
            memalign: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(usize, usize) -> *mut c_void>(find(
                c"memalign",
            )?),
            aligned_alloc: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(usize, usize) -> *mut c_void>(find(
                c"aligned_alloc",
            )?),
            posix_memalign: std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int,
            >(find(c"posix_memalign")?),
            usable_size: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void) -> usize>(find(
                c"malloc_usable_size",
            )?),
        })
    }
}

/// Location of the main program in memory.
#[derive(Default)]
struct Program {
    base: usize,
    dynamic: usize,
    /// Addresses that the loader made read-only after filling the slots.
    read_only: std::ops::Range<usize>,
}

fn program() -> Option<Program> {
    /// Callback of `dl_iterate_phdr`, which reports the main program first. Returns 1 to end the iteration there.
    unsafe extern "C" fn first(info: *mut libc::dl_phdr_info, _size: usize, program: *mut c_void) -> c_int {
        // SAFETY: `info` comes from the loader and lives at least as long as this call. `program` is the caller's
        // `Program`.
        let (info, program) = unsafe { (&*info, &mut *program.cast::<Program>()) };
        program.base = info.dlpi_addr as usize;
        for index in 0..usize::from(info.dlpi_phnum) {
            // SAFETY: the array holds `dlpi_phnum` headers.
            let header = unsafe { &*info.dlpi_phdr.add(index) };
            let start = program.base.wrapping_add(header.p_vaddr as usize);
            match header.p_type {
                libc::PT_DYNAMIC => program.dynamic = start,
                libc::PT_GNU_RELRO => program.read_only = start..start + header.p_memsz as usize,
                _ => {}
            }
        }
        1
    }
    let mut program = Program::default();
    // SAFETY: the callback has the right signature, and `program` lives until the call returns.
    unsafe { libc::dl_iterate_phdr(Some(first), (&raw mut program).cast()) };
    (program.dynamic != 0).then_some(program)
}

/// Entry of the dynamic section (System V ABI, `Elf64_Dyn`).
#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

/// Relocation with an addend (System V ABI, chapter 4, "Relocation").
#[repr(C)]
struct Relocation {
    offset: u64,
    /// Symbol number in the upper 32 bits, type in the lower 32.
    info: u64,
    addend: i64,
}

/// Relocation types that store a symbol's plain address: in data, in the global offset table (`GLOB_DAT`), and for
/// calls (`JUMP_SLOT`).
#[cfg(target_arch = "x86_64")]
const SLOTS: [u64; 3] = [1, 6, 7];
#[cfg(target_arch = "aarch64")]
const SLOTS: [u64; 3] = [257, 1025, 1026];

impl Program {
    /// Redirects every slot for an allocator function to the counting replacement.
    ///
    /// # Safety
    /// `self` must describe the running program, as reported by the loader.
    unsafe fn redirect(&self) -> Result<(), &'static str> {
        // Tags from the System V ABI, chapter 5, "Dynamic Section".
        const CALLS_SIZE: i64 = 2;
        const NAMES: i64 = 5;
        const SYMBOLS: i64 = 6;
        const RELOCATIONS: i64 = 7;
        const RELOCATIONS_SIZE: i64 = 8;
        const CALLS: i64 = 23;
        let (mut names, mut symbols, mut tables) = (0, 0, [(0, 0); 2]);
        let mut entry = std::ptr::with_exposed_provenance::<Dynamic>(self.dynamic);
        // SAFETY: the section ends with an entry whose tag is 0.
        while let Dynamic { tag: tag @ 1.., value } = unsafe { &*entry } {
            let value = *value as usize;
            // A value below the base is still an offset, because the loader turns offsets into addresses only if the
            // section is writable.
            let address = if value < self.base { self.base + value } else { value };
            match *tag {
                NAMES => names = address,
                SYMBOLS => symbols = address,
                RELOCATIONS => tables[0].0 = address,
                RELOCATIONS_SIZE => tables[0].1 = value,
                CALLS => tables[1].0 = address,
                CALLS_SIZE => tables[1].1 = value,
                _ => {}
            }
            entry = entry.wrapping_add(1);
        }
        if names == 0 || symbols == 0 {
            return Err("the program has no symbol table");
        }
        for (start, length) in tables {
            let first = std::ptr::with_exposed_provenance::<Relocation>(start);
            for index in 0..length / size_of::<Relocation>() {
                // SAFETY: `index` is within the table.
                let relocation = unsafe { &*first.add(index) };
                let symbol = (relocation.info >> 32) as usize;
                if relocation.addend != 0 || symbol == 0 || !SLOTS.contains(&(relocation.info & 0xffff_ffff)) {
                    continue;
                }
                let symbol = std::ptr::with_exposed_provenance::<libc::Elf64_Sym>(symbols).wrapping_add(symbol);
                // SAFETY: the relocation names an entry of the symbol table, and the symbol a
                // string of the string table.
                let name = unsafe {
                    let offset = (*symbol).st_name as usize;
                    CStr::from_ptr(std::ptr::with_exposed_provenance::<c_char>(names + offset))
                };
                if let Some(function) = replacement(name) {
                    let slot = self.base.wrapping_add(relocation.offset as usize);
                    // SAFETY: the loader filled this slot with the address of the function that is being replaced.
                    unsafe { self.point(slot, function) }?;
                }
            }
        }
        Ok(())
    }

    /// Writes the address of `function` to a slot.
    ///
    /// # Safety
    /// The slot must belong to the program and hold the address of a function with the same signature.
    unsafe fn point(&self, slot: usize, function: usize) -> Result<(), &'static str> {
        // SAFETY: `sysconf` takes only a number, and `_SC_PAGESIZE` cannot fail.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let start = slot / page * page;
        let read_only = self.read_only.contains(&slot) && start + page <= self.read_only.end;
        let protect = |protection| {
            let address = std::ptr::with_exposed_provenance_mut::<c_void>(start);
            // SAFETY: the page holds the program's slots, and nothing else changes its protection.
            !read_only || unsafe { libc::mprotect(address, page, protection) } == 0
        };
        if !protect(libc::PROT_READ | libc::PROT_WRITE) {
            return Err("the program's global offset table cannot be made writable");
        }
        // SAFETY: a slot is an aligned word, now writable. Other threads load it with one
        // instruction.
        let slot = unsafe { AtomicUsize::from_ptr(std::ptr::with_exposed_provenance_mut::<usize>(slot)) };
        slot.store(function, Ordering::Release);
        protect(libc::PROT_READ);
        Ok(())
    }
}
