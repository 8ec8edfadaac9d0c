use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, Error, ErrorKind, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, fchown};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// As many links as Linux follows.
const LINKS: usize = 40;
/// What may be done with a file by whom; the bits above it are not passed on.
const RIGHTS: u32 = 0o777;

/// Where the bytes go that a user asked for as a file: the one place that knows what may be replaced and what must not.
///
/// A regular file appears under its name when it is whole, or not at all, and keeps the permissions of the file that it
/// replaces. Symbolic links are followed and stay. What is no regular file (a device, a pipe, a socket) is written to, and
/// `-` is standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    place: Place,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    StandardOutput,
    /// Exists, and is written to as it is.
    Opened(PathBuf),
    Socket(PathBuf),
    /// A regular file, or nothing yet; no link.
    Replaced(PathBuf),
}

/// What is being written. Dropped without [`keep`](Self::keep), it leaves nothing of a regular file behind.
#[derive(Debug)]
pub struct Writing {
    end: End,
}

#[derive(Debug)]
enum End {
    /// What was written is where it belongs.
    There,
    /// A temporary file is copied there.
    Copied(File),
    /// A file beside the wanted one gets its name.
    Named { partial: TempPath, wanted: PathBuf, replaced: Option<Replaced> },
}

/// Whose the file is that is replaced, and who may do what with it.
#[derive(Clone, Copy, Debug)]
struct Replaced {
    user: u32,
    group: u32,
    rights: u32,
}

impl Destination {
    /// What `path` names; nothing is created yet.
    ///
    /// # Errors
    /// Where it is a folder, and where the links or the folder that it names cannot be followed.
    pub fn of(path: &Path) -> io::Result<Destination> {
        let place = if path == Path::new("-") { Place::StandardOutput } else { Place::of(path)? };
        Ok(Destination { place })
    }

    /// Whether the bytes go to standard output, which should then hear of nothing else.
    pub fn is_standard_output(&self) -> bool {
        self.place == Place::StandardOutput
    }

    /// Opens it, to be written from the beginning to the end. A pipe waits here for its reader.
    ///
    /// # Errors
    /// What the system reports.
    pub fn create(&self) -> io::Result<(Writing, File)> {
        let (end, file) = match &self.place {
            Place::StandardOutput => (End::There, File::from(io::stdout().as_fd().try_clone_to_owned()?)),
            Place::Opened(path) => (End::There, OpenOptions::new().write(true).truncate(true).open(path)?),
            Place::Socket(path) => (End::There, File::from(OwnedFd::from(UnixStream::connect(path)?))),
            Place::Replaced(wanted) => beside(wanted)?,
        };
        Ok((Writing { end }, file))
    }

    /// As [`create`](Self::create), for a writer that goes back to what it wrote before: where that cannot be done, it
    /// writes to a temporary file, which is copied when it is whole.
    ///
    /// # Errors
    /// What the system reports.
    pub fn create_seekable(&self) -> io::Result<(Writing, File)> {
        match self.create()? {
            (Writing { end: End::There }, file) => Ok((Writing { end: End::Copied(file) }, tempfile::tempfile()?)),
            named => Ok(named),
        }
    }
}

impl Writing {
    /// Ends the writing to `file`, the one that came with this: makes sure that a regular file is on the disk and gives it
    /// its name.
    ///
    /// # Errors
    /// What the system reports.
    pub fn keep(self, file: &mut File) -> io::Result<()> {
        match self.end {
            End::There => file.flush(),
            End::Copied(mut out) => {
                file.rewind()?;
                io::copy(file, &mut out)?;
                out.flush()
            }
            End::Named { partial, wanted, replaced } => {
                if let Some(replaced) = replaced {
                    // Only the superuser can give a file away. For everybody else it is theirs from now on, as after
                    // any other replacement.
                    fchown(&file, Some(replaced.user), Some(replaced.group)).ok();
                    file.set_permissions(Permissions::from_mode(replaced.rights))?;
                }
                file.sync_all()?;
                let folder = wanted.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let folder = folder.to_owned();
                partial.persist(wanted).map_err(|error| error.error)?;
                // Otherwise a power failure could undo the rename. Some file systems cannot sync a folder.
                File::open(folder).and_then(|folder| folder.sync_all()).ok();
                Ok(())
            }
        }
    }
}

impl Place {
    fn of(path: &Path) -> io::Result<Place> {
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(folder());
        }
        let mut place = path.to_owned();
        for _ in 0..LINKS {
            match fs::symlink_metadata(&place) {
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Place::Replaced(place)),
                Err(error) => return Err(error),
                Ok(found) if !found.is_symlink() => return Place::existing(place, &found),
                // Links to open files (`/dev/stdout`) name no file that could be replaced.
                Ok(_) if names_a_descriptor(&place) => return Place::existing(place.clone(), &fs::metadata(&place)?),
                Ok(_) => {
                    let target = fs::read_link(&place)?;
                    place = place.parent().unwrap_or(Path::new("")).join(target);
                }
            }
        }
        Err(Error::other(format!("more than {LINKS} symbolic links lead from one to the next")))
    }

    fn existing(path: PathBuf, found: &Metadata) -> io::Result<Place> {
        let kind = found.file_type();
        match () {
            () if kind.is_dir() => Err(folder()),
            () if kind.is_socket() => Ok(Place::Socket(path)),
            () if kind.is_file() && !names_a_descriptor(&path) => Ok(Place::Replaced(path)),
            () => Ok(Place::Opened(path)),
        }
    }
}

fn folder() -> Error {
    Error::new(ErrorKind::IsADirectory, "this is a folder: name a file in it")
}

/// Whether the file stands for one that is open already: such a folder takes no other files.
fn names_a_descriptor(path: &Path) -> bool {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.is_some_and(|folder| folder.starts_with("/proc") || folder == Path::new("/dev/fd"))
}

/// A file beside the wanted one, so that renaming it is one step.
fn beside(wanted: &Path) -> io::Result<(End, File)> {
    let name = wanted.file_name().ok_or_else(|| Error::new(ErrorKind::InvalidInput, "this is no file name"))?;
    let folder = wanted.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let replaced = match fs::metadata(wanted) {
        Ok(found) => Some(Replaced { user: found.uid(), group: found.gid(), rights: found.mode() & RIGHTS }),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    // Nobody may read the new file who must not read the old one; of a new name the umask decides.
    let rights = replaced.map_or(0o666, |replaced| replaced.rights);
    let mut prefix = name.to_owned();
    prefix.push(".");
    let partial = tempfile::Builder::new()
        .prefix(&prefix)
        .suffix(".partial")
        .permissions(Permissions::from_mode(rights))
        .tempfile_in(folder)
        .map_err(|error| Error::new(error.kind(), plain(&error)))?;
    let (file, partial) = partial.into_parts();
    Ok((End::Named { partial, wanted: wanted.to_owned(), replaced }, file))
}

/// The system's own words, without the temporary name, which means nothing to anybody.
fn plain(error: &Error) -> String {
    let text = error.to_string();
    text.split(" at path ").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests;
