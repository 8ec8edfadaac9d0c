//! Opens a file as a provider in this process.

use crate::process::{self, Listing, ProcessError};
use crate::{Description, LibraryKind, LibrarySpec, liboqs, nist, openssl};
use libloading::os::unix::{Library as Handle, RTLD_LOCAL, RTLD_NOW};
use pqlab_primitives::{Language, Provider};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::fs::{self, File};
use std::io::{self, Read};
use std::mem::{ManuallyDrop, MaybeUninit};
use std::os::unix::ffi::OsStrExt;
use std::path::{self, Path, PathBuf};
use std::ptr::NonNull;

/// Error from opening a library or program. The message is one line and names the file.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file does not exist or cannot be read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// The file that cannot be opened.
        path: PathBuf,
        /// The operating system's error.
        error: io::Error,
    },
    /// The file is not a shared library.
    #[error("{} is not a shared library: {reason}", path.display())]
    NoLibrary {
        /// The file that cannot be opened.
        path: PathBuf,
        /// What the file is instead, with advice.
        reason: String,
    },
    /// The library was built for another machine.
    #[error("{} is built for {its}, but this program is built for {ours}: rebuild the library", path.display())]
    OtherMachine {
        /// The file that cannot be opened.
        path: PathBuf,
        /// The machine that the library was built for.
        its: String,
        /// The machine that this program was built for.
        ours: String,
    },
    /// The dynamic loader rejects the library, for example because a dependency or a symbol is missing.
    #[error("cannot load {}: {message}{}", path.display(), loader_hint(message))]
    Refused {
        /// The file that cannot be opened.
        path: PathBuf,
        /// The dynamic loader's message.
        message: String,
    },
    /// The library lacks a symbol that this kind of library must export.
    #[error("{} has no symbol {symbol}: {hint}", path.display())]
    NoSymbol {
        /// The file that cannot be opened.
        path: PathBuf,
        /// The missing symbol.
        symbol: String,
        /// Likely cause of the error, or what to do.
        hint: String,
    },
    /// The library cannot be used although the required symbols are present.
    #[error("{}: {reason}", path.display())]
    Unusable {
        /// The file that cannot be opened.
        path: PathBuf,
        /// Reason why the library cannot be used.
        reason: String,
    },
    /// The program is missing, cannot be started or does not speak the protocol.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

/// Opens a library or program as a provider. A library's constructors run in this process, so only worker processes may
/// call this.
///
/// The library's symbols are not visible to other libraries (`RTLD_LOCAL`), and all symbols are resolved immediately
/// (`RTLD_NOW`). The library stays open until the process ends.
///
/// `listing` applies only to programs, and comes from [`describe`]. With a listing, the program starts at the first
/// call; without a listing, it starts immediately. `now` is a monotonic clock in ns for the program's time limits.
///
/// # Errors
/// [`OpenError`] if the library or program cannot be used.
pub fn open(spec: &LibrarySpec, listing: Option<&Listing>, now: fn() -> u64) -> Result<Provider, OpenError> {
    let library = || Library::open(&spec.path, spec.kind);
    let mut provider = match spec.kind {
        LibraryKind::Liboqs => liboqs::provider(library()?, &spec.label)?,
        LibraryKind::Openssl => openssl::provider(library()?, &spec.label)?,
        LibraryKind::Nist => nist::provider(library()?, spec)?,
        LibraryKind::Worker => {
            let program = process::Program::find(spec, now)?;
            return Ok(match listing {
                Some(listing) => process::open_listed(program, listing)?,
                None => process::open(program)?.0,
            });
        }
    };
    spec.kind.name().clone_into(&mut provider.code);
    provider.language = Some(Language { name: "c".to_owned(), runtime: None });
    Ok(provider)
}

/// Opens a library or starts a program, and returns its algorithms and functions. Only worker processes may call this,
/// because it runs the library's code.
///
/// # Errors
/// [`OpenError`] if the library or program cannot be used.
pub fn describe(spec: &LibrarySpec, now: fn() -> u64) -> Result<Description, OpenError> {
    if spec.kind == LibraryKind::Worker {
        let (provider, listing) = process::open(process::Program::find(spec, now)?)?;
        return Ok(Description::new(&provider).listed(listing));
    }
    open(spec, None, now).map(|provider| Description::new(&provider))
}

/// Returns the first 8 bytes of a digest in hexadecimal.
pub(crate) fn short_hex(digest: &[u8]) -> String {
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A library that stays open until the process ends.
pub(crate) struct Library {
    path: PathBuf,
    /// The interface that the user named, such as `liboqs`.
    kind: LibraryKind,
    handle: ManuallyDrop<Handle>,
    /// Paths of the `libcrypto` files that were mapped into the process before the library was opened.
    before: BTreeSet<PathBuf>,
}

impl Library {
    fn open(path: &Path, kind: LibraryKind) -> Result<Library, OpenError> {
        let unreadable = |error| OpenError::Unreadable { path: path.to_path_buf(), error };
        // For a name without a slash, the loader would search the system's folders.
        let path = path::absolute(path).map_err(unreadable)?;
        check_file(&path)?;
        let before = mapped();
        // SAFETY: the user asked to run the library's code. We cannot check what the library's constructors do.
        let handle = unsafe { Handle::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
        let handle = handle.map_err(|error| {
            let message = error.to_string().replace('\n', " ");
            // The loader's message repeats the path.
            let message = message.trim_start_matches(&*path.to_string_lossy()).trim_start_matches(": ").to_owned();
            OpenError::Refused { path: path.clone(), message }
        })?;
        Ok(Library { path, kind, handle: ManuallyDrop::new(handle), before })
    }

    /// Returns the error for a library that cannot be used.
    pub(crate) fn unusable(&self, reason: impl Into<String>) -> OpenError {
        OpenError::Unusable { path: self.path.clone(), reason: reason.into() }
    }

    /// Returns the error for a missing symbol.
    pub(crate) fn lacks(&self, symbol: impl Into<String>, hint: &'static str) -> OpenError {
        let hint = self.other_kind().map_or_else(|| hint.to_owned(), |kind| format!("{hint}; {kind}"));
        OpenError::NoSymbol { path: self.path.clone(), symbol: symbol.into(), hint }
    }

    /// Returns advice if the file is a well-known library with an interface other than the one that the user named.
    pub(crate) fn other_kind(&self) -> Option<&'static str> {
        let own = |symbol: &str| {
            let file = self.address(symbol).and_then(file_of);
            file.is_some_and(|file| same_file(&file, &self.path))
        };
        let other = |(symbol, kind, _): &&(&str, Option<LibraryKind>, &str)| *kind != Some(self.kind) && own(symbol);
        KINDS.iter().find(other).map(|(_, _, advice)| *advice)
    }

    /// Returns the address of a symbol in the library or in one of the library's dependencies. `None` if none of them
    /// defines the symbol.
    fn address(&self, symbol: &str) -> Option<NonNull<c_void>> {
        let name = CString::new(symbol).ok()?;
        // SAFETY: the call only looks up an address, and nothing dereferences it here.
        let found = unsafe { self.handle.get::<*mut c_void>(name.as_bytes_with_nul()) }.ok()?;
        NonNull::new(found.into_raw())
    }

    /// Returns an error if a dependency of the library, not the library itself, defines the symbol.
    pub(crate) fn has_itself(&self, symbol: &str) -> Result<(), OpenError> {
        match self.address(symbol).and_then(file_of) {
            Some(file) if !same_file(&file, &self.path) => {
                Err(self.unusable(format!("{symbol} comes from {}: name that file instead", file.display())))
            }
            _ => Ok(()),
        }
    }

    /// Returns the function that a symbol names, or `None` if the symbol is missing.
    ///
    /// # Safety
    /// `F` must be a function pointer type, and the named function must have this type.
    pub(crate) unsafe fn function<F: Copy>(&self, symbol: &str) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "function pointers must be address-sized") };
        let address = self.address(symbol)?;
        // SAFETY: the sizes are equal, the address is not null, and the caller guarantees the type.
        Some(unsafe { std::mem::transmute_copy(&address) })
    }

    /// Describes the file by name, size and digest, which identify the build of a library that reports no version.
    pub(crate) fn file(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match fs::read(&self.path) {
            Ok(bytes) => {
                format!("{name} of {} bytes, SHA-256 {}...", bytes.len(), short_hex(&Sha256::digest(&bytes)))
            }
            Err(error) => format!("{name}: {error}"),
        }
    }

    /// Describes the `libcrypto` that the library uses, with its version if known. Call this after the library is
    /// initialized, because some libraries open `libcrypto` during initialization.
    pub(crate) fn libcrypto(&self) -> String {
        if let Some(address) = self.address("OpenSSL_version") {
            // SAFETY: libcrypto 1.1 and later export this function. It accepts any number and returns a string that
            // lives as long as the library.
            let version = unsafe {
                let ask: extern "C" fn(c_int) -> *const c_char = std::mem::transmute(address);
                CStr::from_ptr(ask(0)).to_string_lossy().into_owned()
            };
            return match file_of(address) {
                Some(file) if same_file(&file, &self.path) => format!("libcrypto: built in, {version}"),
                Some(file) => format!("libcrypto: {}, {version}", file.display()),
                None => format!("libcrypto: {version}"),
            };
        }
        let new: Vec<String> = mapped().difference(&self.before).map(|file| file.display().to_string()).collect();
        if new.is_empty() { "libcrypto: none".to_owned() } else { format!("libcrypto: {}", new.join(", ")) }
    }
}

/// Well-known libraries. Each entry gives a symbol that identifies the library, the kind that opens it, and advice for
/// users who named another kind.
const KINDS: [(&str, Option<LibraryKind>, &str); 5] = [
    (
        "OSSL_provider_init",
        None,
        "this is a provider module, which only OpenSSL can load; to measure its algorithms, name the library that it \
         wraps, such as liboqs.so with kind liboqs",
    ),
    ("SSL_CTX_new", None, "this is libssl, which has no algorithms; use the libcrypto.so in the same folder"),
    ("OQS_KEM_new", Some(LibraryKind::Liboqs), "this is liboqs; use kind liboqs"),
    ("OPENSSL_init_crypto", Some(LibraryKind::Openssl), "this is libcrypto; use kind openssl"),
    ("crypto_kem_keypair", Some(LibraryKind::Nist), "this has the NIST competition's interface; use kind nist"),
];

/// Returns advice on a message from the dynamic loader.
fn loader_hint(message: &str) -> &'static str {
    if message.contains("undefined symbol") {
        "; link the library with the code that defines this symbol (`-Wl,-z,defs` finds all such symbols)"
    } else if message.contains("cannot open shared object file") {
        "; install this dependency, or add its folder to LD_LIBRARY_PATH"
    } else if message.contains("position-independent executable") {
        "; this is a program, so build a shared library with `-shared` instead"
    } else if message.contains("version `") {
        "; rebuild the library on this system"
    } else {
        ""
    }
}

/// Returns the path of the library or program that contains an address. `None` if the loader does not know the address.
fn file_of(address: NonNull<c_void>) -> Option<PathBuf> {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: all zeros is a valid `Dl_info`. The name that `dladdr` returns lives as long as the
    // library.
    unsafe {
        if libc::dladdr(address.as_ptr(), info.as_mut_ptr()) == 0 {
            return None;
        }
        let name = info.assume_init().dli_fname;
        (!name.is_null()).then(|| PathBuf::from(OsStr::from_bytes(CStr::from_ptr(name).to_bytes())))
    }
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Returns the `libcrypto` files that are mapped into this process. The set is empty if the system does not list
/// mappings.
fn mapped() -> BTreeSet<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps.lines().filter_map(|line| line.find('/').map(|start| PathBuf::from(&line[start..])));
    paths.filter(|path| path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"libcrypto"))).collect()
}

/// First bytes of an ELF header, from the magic to the machine number. Their layout is the same on all machines.
type Header = [u8; 20];

/// ELF type of an object file that is not linked (`ET_REL`). The header contains the type at offset 16.
const RELOCATABLE: u8 = 1;

/// Checks that a file is a complete shared library for this machine. Without this check, the loader might report that
/// the file does not exist, or crash the process. Accepts every library if this program is not an ELF file.
fn check_file(path: &Path) -> Result<(), OpenError> {
    let unreadable = |error| OpenError::Unreadable { path: path.to_path_buf(), error };
    let no_library = |reason: String| OpenError::NoLibrary { path: path.to_path_buf(), reason };
    let theirs = start(path).map_err(unreadable)?;
    let Some(ours) = std::env::current_exe().ok().and_then(|program| header(&start(&program).ok()?)) else {
        return Ok(());
    };
    if !is_elf(&ours) {
        return Ok(());
    }
    let Some(header) = header(&theirs).filter(is_elf) else { return Err(no_library(other_format(&theirs).to_owned())) };
    if machine(&header) != machine(&ours) {
        return Err(OpenError::OtherMachine { path: path.to_path_buf(), its: machine(&header), ours: machine(&ours) });
    }
    if header[16..18].contains(&RELOCATABLE) {
        return Err(no_library("it is an object file; link it with `cc -shared -o lib.so FILE.o`".to_owned()));
    }
    let length = fs::metadata(path).map_err(unreadable)?.len();
    match described_length(&theirs) {
        Some(described) if described > length => Err(no_library(format!(
            "it has {length} bytes, but its header describes {described}, so it is truncated; copy or build it again"
        ))),
        _ => Ok(()),
    }
}

/// First bytes of other formats, with a description.
const FORMATS: [(&[u8], &str); 12] = [
    (b"\xcf\xfa\xed\xfe", "it is a Mach-O file, for macOS"),
    (b"\xce\xfa\xed\xfe", "it is a Mach-O file, for macOS"),
    (b"\xca\xfe\xba\xbe", "it is a universal Mach-O file, for macOS, or a Java class"),
    (b"MZ", "it is a PE file, for Windows"),
    (b"\0asm", "it is a WebAssembly module"),
    (b"\x1f\x8b", "it is compressed with gzip; unpack it with `gunzip`"),
    (b"\xfd7zXZ\0", "it is compressed with xz; unpack it with `xz -d`"),
    (b"\x28\xb5\x2f\xfd", "it is compressed with zstd; unpack it with `zstd -d`"),
    (b"BZh", "it is compressed with bzip2; unpack it with `bunzip2`"),
    (b"PK\x03\x04", "it is a ZIP archive, such as a Python wheel; unpack it"),
    (b"BC\xc0\xde", "it is LLVM bitcode; compile it without -flto or -emit-llvm"),
    (b"#!", "it is a script"),
];

/// Describes a file that is not an ELF file, with advice if the first bytes show a known format.
fn other_format(start: &[u8]) -> &'static str {
    if start.is_empty() {
        "it is empty"
    } else if start.starts_with(b"!<arch>\n") {
        "it is a static library; link it with `cc -shared -Wl,--whole-archive FILE.a -o lib.so`"
    } else if [&b"/* GNU ld script"[..], b"INPUT(", b"INPUT (", b"GROUP(", b"GROUP (", b"OUTPUT_FORMAT("]
        .iter()
        .any(|begin| start.starts_with(begin))
    {
        "it is a linker script; name the library in its INPUT or GROUP line"
    } else if let Some((_, format)) = FORMATS.iter().find(|(begin, _)| start.starts_with(begin)) {
        format
    } else if start.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e)) {
        "it is a text file: missing ELF magic (7f 45 4c 46)"
    } else {
        "missing ELF magic (7f 45 4c 46)"
    }
}

/// Returns the length in bytes that the header implies: the end of the section headers, which linkers write last.
/// `None` if the file has no section headers, or is not a 64-bit ELF file with this machine's byte order.
fn described_length(start: &[u8]) -> Option<u64> {
    const WORDS_64: u8 = 2;
    let here = if cfg!(target_endian = "little") { 1 } else { 2 };
    if start.len() < ELF_HEADER || start[4] != WORDS_64 || start[5] != here {
        return None;
    }
    let half = |at: usize| u64::from(u16::from_ne_bytes([start[at], start[at + 1]]));
    let offset = u64::from_ne_bytes(start[0x28..0x30].try_into().ok()?);
    let (entry, entries) = (half(0x3a), half(0x3c));
    (offset != 0).then(|| offset.saturating_add(entry * entries))
}

/// Length of the header of a 64-bit ELF file in bytes.
const ELF_HEADER: usize = 64;

/// Reads a file's first bytes, at most [`ELF_HEADER`].
fn start(path: &Path) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    File::open(path)?.take(ELF_HEADER as u64).read_to_end(&mut start)?;
    Ok(start)
}

/// Returns the part of the header whose layout is the same on all machines. `None` if the file is shorter.
fn header(start: &[u8]) -> Option<Header> {
    start.first_chunk().copied()
}

fn is_elf(header: &Header) -> bool {
    header.starts_with(b"\x7fELF")
}

/// Formats the machine, the word length and the byte order in an ELF header: `x86-64 (64-bit, little-endian)`.
fn machine(header: &Header) -> String {
    let little = header[5] == 1;
    let number = [header[18], header[19]];
    let number = if little { u16::from_le_bytes(number) } else { u16::from_be_bytes(number) };
    let name = match number {
        3 => "x86".to_owned(),
        20 | 21 => "PowerPC".to_owned(),
        22 => "S/390".to_owned(),
        40 => "ARM".to_owned(),
        62 => "x86-64".to_owned(),
        183 => "AArch64".to_owned(),
        243 => "RISC-V".to_owned(),
        258 => "LoongArch".to_owned(),
        other => format!("machine {other}"),
    };
    let bits = if header[4] == 2 { 64 } else { 32 };
    format!("{name} ({bits}-bit, {}-endian)", if little { "little" } else { "big" })
}
