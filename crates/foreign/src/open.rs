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

/// Error of opening a library or program. Its message is one line and names the file.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file does not exist or cannot be read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The file is not a shared library.
    #[error("{} is not a shared library: missing ELF magic (7f 45 4c 46)", path.display())]
    NoLibrary {
        /// The file.
        path: PathBuf,
    },
    /// The library was built for another machine.
    #[error("{} is built for {its}, but this program for {ours}: build the library for this machine", path.display())]
    OtherMachine {
        /// The file.
        path: PathBuf,
        /// The library's machine.
        its: String,
        /// This program's machine.
        ours: String,
    },
    /// The system's loader rejects the library, for example because a dependency or one of its symbols is missing.
    #[error("cannot load {}: {said}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The loader's message.
        said: String,
    },
    /// The library lacks a symbol that its kind requires.
    #[error("{} has no symbol {symbol}: {hint}", path.display())]
    NoSymbol {
        /// The file.
        path: PathBuf,
        /// The missing symbol.
        symbol: String,
        /// A likely cause.
        hint: &'static str,
    },
    /// The library has the right kind but cannot be used.
    #[error("{}: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The program is missing, cannot be started or does not speak the protocol.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

/// Opens a library in this process and returns its provider. The library's constructors run in this process, so only
/// worker processes may call this.
///
/// The library's symbols are not visible to others (`RTLD_LOCAL`), and all its symbols are resolved now (`RTLD_NOW`).
/// It stays open until the process ends.
///
/// A program starts at its first call if the `listing` that it gave when it was described is known, otherwise now.
/// `now` is a monotonic clock in ns, for the time limits of a program.
///
/// # Errors
/// [`OpenError`] if the library or program cannot be used.
pub fn open(spec: &LibrarySpec, listing: Option<&Listing>, now: fn() -> u64) -> Result<Provider, OpenError> {
    let library = || Library::open(&spec.path);
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

/// Opens a library or program as [`open`] does and returns what it offers.
///
/// # Errors
/// [`OpenError`] if the library or program cannot be used.
pub fn describe(spec: &LibrarySpec, now: fn() -> u64) -> Result<Description, OpenError> {
    if spec.kind == LibraryKind::Worker {
        let (provider, listing) = process::open(process::Program::find(spec, now)?)?;
        return Ok(Description::of(&provider).listed(listing));
    }
    open(spec, None, now).map(|provider| Description::of(&provider))
}

/// Returns the first 8 bytes of a digest in hexadecimal.
pub(crate) fn short_hex(digest: &[u8]) -> String {
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A library that stays open until the process ends.
pub(crate) struct Library {
    path: PathBuf,
    handle: ManuallyDrop<Handle>,
    /// The `libcrypto` files that the process had mapped before the library was opened.
    before: BTreeSet<PathBuf>,
}

impl Library {
    fn open(path: &Path) -> Result<Library, OpenError> {
        let unreadable = |error| OpenError::Unreadable { path: path.to_path_buf(), error };
        // The loader would look for a name without a slash in the system's folders.
        let path = path::absolute(path).map_err(unreadable)?;
        check_machine(&path)?;
        let before = mapped();
        // SAFETY: the user named the library in order to run its code. What its constructors do cannot be checked.
        let handle = unsafe { Handle::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
        let handle = handle.map_err(|error| {
            let said = error.to_string().replace('\n', " ");
            // The loader's message repeats the path.
            let said = said.trim_start_matches(&*path.to_string_lossy()).trim_start_matches(": ").to_owned();
            OpenError::Refused { path: path.clone(), said }
        })?;
        Ok(Library { path, handle: ManuallyDrop::new(handle), before })
    }

    /// Returns an error that only the library's kind can detect.
    pub(crate) fn unusable(&self, reason: impl Into<String>) -> OpenError {
        OpenError::Unusable { path: self.path.clone(), reason: reason.into() }
    }

    /// Returns the error for a missing symbol.
    pub(crate) fn lacks(&self, symbol: impl Into<String>, hint: &'static str) -> OpenError {
        OpenError::NoSymbol { path: self.path.clone(), symbol: symbol.into(), hint }
    }

    /// Returns the address of a symbol of the library or of its dependencies.
    fn address(&self, symbol: &str) -> Option<NonNull<c_void>> {
        let name = CString::new(symbol).ok()?;
        // SAFETY: only looks up an address, which is not dereferenced here.
        let found = unsafe { self.handle.get::<*mut c_void>(name.as_bytes_with_nul()) }.ok()?;
        NonNull::new(found.into_raw())
    }

    /// Checks that a symbol belongs to this file and not to a dependency.
    pub(crate) fn has_itself(&self, symbol: &str) -> Result<(), OpenError> {
        match self.address(symbol).and_then(file_of) {
            Some(file) if !same_file(&file, &self.path) => {
                Err(self.unusable(format!("its {symbol} comes from {}: name that file instead", file.display())))
            }
            _ => Ok(()),
        }
    }

    /// Returns a function by its symbol.
    ///
    /// # Safety
    /// `F` must be the type of a function pointer, and the named function must have this type.
    pub(crate) unsafe fn function<F: Copy>(&self, symbol: &str) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "a function pointer is an address") };
        let address = self.address(symbol)?;
        // SAFETY: the sizes are equal, the address is not null, and the caller guarantees the type.
        Some(unsafe { std::mem::transmute_copy(&address) })
    }

    /// Returns file name, size and digest, which distinguish builds of a library that does not report its build.
    pub(crate) fn file(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match fs::read(&self.path) {
            Ok(bytes) => {
                format!("{name} of {} bytes, SHA-256 {}...", bytes.len(), short_hex(&Sha256::digest(&bytes)))
            }
            Err(error) => format!("{name}: {error}"),
        }
    }

    /// Returns which `libcrypto` the library uses. Call it after initialisation, because some libraries open theirs
    /// then.
    pub(crate) fn libcrypto(&self) -> String {
        if let Some(address) = self.address("OpenSSL_version") {
            // SAFETY: every libcrypto since 1.1 has this function, which accepts any number and returns a string that
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

/// Returns the file that an address was loaded from.
fn file_of(address: NonNull<c_void>) -> Option<PathBuf> {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: all zeros is a valid value of the structure, which the call fills. A returned name lives as long as the
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

/// Returns the `libcrypto` files that this process has mapped, or none if the system does not list mappings.
fn mapped() -> BTreeSet<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps.lines().filter_map(|line| line.find('/').map(|start| PathBuf::from(&line[start..])));
    paths.filter(|path| path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"libcrypto"))).collect()
}

/// Machine-independent part of an ELF header: magic, class, byte order, ..., machine.
type Header = [u8; 20];

/// Checks that a library was built for this machine, because the loader reports other libraries as missing files. If
/// this program is not an ELF file, the check is left to the loader.
fn check_machine(path: &Path) -> Result<(), OpenError> {
    let theirs = header(path).map_err(|error| OpenError::Unreadable { path: path.to_path_buf(), error })?;
    let Some(ours) = std::env::current_exe().ok().and_then(|program| header(&program).ok()?) else { return Ok(()) };
    if !is_elf(&ours) {
        return Ok(());
    }
    let Some(theirs) = theirs.filter(is_elf) else { return Err(OpenError::NoLibrary { path: path.to_path_buf() }) };
    if machine(&theirs) == machine(&ours) {
        return Ok(());
    }
    Err(OpenError::OtherMachine { path: path.to_path_buf(), its: machine(&theirs), ours: machine(&ours) })
}

/// Reads the header. Returns `None` if the file is shorter.
fn header(path: &Path) -> io::Result<Option<Header>> {
    let mut header = [0; size_of::<Header>()];
    match File::open(path)?.read_exact(&mut header) {
        Ok(()) => Ok(Some(header)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_elf(header: &Header) -> bool {
    header.starts_with(b"\x7fELF")
}

/// Returns machine, word length and byte order as text.
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
    format!("{name} ({bits} bits, {} end first)", if little { "little" } else { "big" })
}
