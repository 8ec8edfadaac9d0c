//! From a file to a provider, in this process.

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

/// Why a library gives no provider: one line that names the file.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such file, or it cannot be read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is a file of another kind.
    #[error("{} is no shared library: it is no ELF file, which begins with the bytes 7f 45 4c 46", path.display())]
    NoLibrary {
        /// The file.
        path: PathBuf,
    },
    /// It was built for another machine.
    #[error("{} is built for {its}, and this program for {ours}: build the library for this machine", path.display())]
    OtherMachine {
        /// The file.
        path: PathBuf,
        /// Its machine.
        its: String,
        /// This program's machine.
        ours: String,
    },
    /// The system's loader refuses it: a dependency is missing, or a symbol that it wants from elsewhere.
    #[error("the loader refuses {}: {said}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What the loader says.
        said: String,
    },
    /// It lacks what its kind cannot do without.
    #[error("{} has no symbol {symbol}: {hint}", path.display())]
    NoSymbol {
        /// The file.
        path: PathBuf,
        /// What was looked for.
        symbol: String,
        /// What might be wrong.
        hint: &'static str,
    },
    /// It is there and of the right kind, and of no use.
    #[error("{}: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// It is a program that is not to be had, or does not speak the protocol.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

/// Opens a library in this process and hands out what it offers. Its constructors run, and whatever they do is done to this
/// process: only worker processes may call this.
///
/// Its symbols serve nobody else (`RTLD_LOCAL`), and everything that it needs is found now (`RTLD_NOW`). It stays open as
/// long as the process lives.
///
/// A program is started when it is called first, if there is the `listing` that it gave when it was described; else now. `now` is
/// a monotonic clock in ns, for the limits of a program's time.
///
/// # Errors
/// [`OpenError`].
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

/// Opens it likewise, and says what it offers.
///
/// # Errors
/// [`OpenError`].
pub fn describe(spec: &LibrarySpec, now: fn() -> u64) -> Result<Description, OpenError> {
    if spec.kind == LibraryKind::Worker {
        let (provider, listing) = process::open(process::Program::find(spec, now)?)?;
        return Ok(Description::of(&provider).listed(listing));
    }
    open(spec, None, now).map(|provider| Description::of(&provider))
}

/// The first 8 bytes of a digest, in hexadecimal.
pub(crate) fn short_hex(digest: &[u8]) -> String {
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A library that was opened and stays so.
pub(crate) struct Library {
    path: PathBuf,
    handle: ManuallyDrop<Handle>,
    /// The files called `libcrypto` that the process had mapped before.
    before: BTreeSet<PathBuf>,
}

impl Library {
    fn open(path: &Path) -> Result<Library, OpenError> {
        let unreadable = |error| OpenError::Unreadable { path: path.to_path_buf(), error };
        // A name without a slash would be looked for in the system's folders.
        let path = path::absolute(path).map_err(unreadable)?;
        check_machine(&path)?;
        let before = mapped();
        // SAFETY: whoever names a library wants its code to run; what its constructors do cannot be known.
        let handle = unsafe { Handle::open(Some(&path), RTLD_NOW | RTLD_LOCAL) };
        let handle = handle.map_err(|error| {
            let said = error.to_string().replace('\n', " ");
            // The loader says the path again.
            let said = said.trim_start_matches(&*path.to_string_lossy()).trim_start_matches(": ").to_owned();
            OpenError::Refused { path: path.clone(), said }
        })?;
        Ok(Library { path, handle: ManuallyDrop::new(handle), before })
    }

    /// The library, for an error that only its kind can know.
    pub(crate) fn unusable(&self, reason: impl Into<String>) -> OpenError {
        OpenError::Unusable { path: self.path.clone(), reason: reason.into() }
    }

    /// Its lack of a symbol.
    pub(crate) fn lacks(&self, symbol: impl Into<String>, hint: &'static str) -> OpenError {
        OpenError::NoSymbol { path: self.path.clone(), symbol: symbol.into(), hint }
    }

    /// Where a symbol of the library, or of what it was linked with, stands.
    fn address(&self, symbol: &str) -> Option<NonNull<c_void>> {
        let name = CString::new(symbol).ok()?;
        // SAFETY: an address is only looked up; what is behind it is the caller's to know.
        let found = unsafe { self.handle.get::<*mut c_void>(name.as_bytes_with_nul()) }.ok()?;
        NonNull::new(found.into_raw())
    }

    /// That a symbol is of this file, and not of another one that it was linked with.
    pub(crate) fn has_itself(&self, symbol: &str) -> Result<(), OpenError> {
        match self.address(symbol).and_then(file_of) {
            Some(file) if !same_file(&file, &self.path) => {
                Err(self.unusable(format!("its {symbol} is that of {}: name that file", file.display())))
            }
            _ => Ok(()),
        }
    }

    /// A function by its symbol.
    ///
    /// # Safety
    /// `F` is the type of a function pointer, and the function of that name has this type.
    pub(crate) unsafe fn function<F: Copy>(&self, symbol: &str) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "a function pointer is an address") };
        let address = self.address(symbol)?;
        // SAFETY: of one size, not null, and of this type by the caller's promise.
        Some(unsafe { std::mem::transmute_copy(&address) })
    }

    /// File, size and digest: what tells one build from another where the library says nothing of itself.
    pub(crate) fn file(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        match fs::read(&self.path) {
            Ok(bytes) => {
                format!("{name} of {} bytes, SHA-256 {}...", bytes.len(), short_hex(&Sha256::digest(&bytes)))
            }
            Err(error) => format!("{name}: {error}"),
        }
    }

    /// Which `libcrypto` the library got for itself. To be asked when it was initialised: some open theirs then.
    pub(crate) fn libcrypto(&self) -> String {
        if let Some(address) = self.address("OpenSSL_version") {
            // SAFETY: every libcrypto since 1.1 has this function, which takes any number and answers with a string that
            // lives as long as the library.
            let version = unsafe {
                let ask: extern "C" fn(c_int) -> *const c_char = std::mem::transmute(address);
                CStr::from_ptr(ask(0)).to_string_lossy().into_owned()
            };
            return match file_of(address) {
                Some(file) if same_file(&file, &self.path) => format!("libcrypto: inside of it, {version}"),
                Some(file) => format!("libcrypto: {}, {version}", file.display()),
                None => format!("libcrypto: {version}"),
            };
        }
        let new: Vec<String> = mapped().difference(&self.before).map(|file| file.display().to_string()).collect();
        if new.is_empty() { "libcrypto: none".to_owned() } else { format!("libcrypto: {}", new.join(", ")) }
    }
}

/// The file from which an address was loaded.
fn file_of(address: NonNull<c_void>) -> Option<PathBuf> {
    let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the call fills the structure, which is as good all zero; a name that it gives lives as long as the library.
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

/// The files called `libcrypto` that this process has mapped; none where the system does not tell.
fn mapped() -> BTreeSet<PathBuf> {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps.lines().filter_map(|line| line.find('/').map(|start| PathBuf::from(&line[start..])));
    paths.filter(|path| path.file_name().is_some_and(|name| name.as_bytes().starts_with(b"libcrypto"))).collect()
}

/// The part of an ELF file's header that is the same for all machines: magic, class, byte order, ..., machine.
type Header = [u8; 20];

/// The loader calls a library for another machine a file that is not there. Where this program is no ELF file, it is left to
/// the loader.
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

/// `None` for a file that is shorter.
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

/// Machine, word length, byte order.
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
