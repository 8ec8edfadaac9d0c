//! Which cores are measured on: a lock a core, so that programs that measure at the same time keep off each other's.
//!
//! The locks are advisory, on files in the folder for temporary files that all users share. The system releases them when the
//! process ends, however it does. The files stay: to remove one while another program opens it would make two locks of one.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Bytes of the longest process id, with a line feed.
const LONGEST_PID: u64 = 11;

/// A core that is ours until this is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    _locked: File,
}

/// What came of asking for a core.
#[derive(Debug)]
pub(crate) enum Claimed {
    /// It is ours.
    Ours(Claim),
    /// Another run measures on it: in which process, where its file says so.
    Taken(Option<u32>),
    /// There is no telling: the folder takes no file of ours, or files cannot be locked there.
    Unknown,
}

/// Asks for a core, by a file in that folder.
pub(crate) fn claim(folder: &Path, core: u32) -> Claimed {
    let Some(mut file) = opened(&folder.join(format!("pqlab-core-{core}.lock"))) else { return Claimed::Unknown };
    match file.try_lock() {
        Ok(()) => {
            // Without it others say no more than that somebody is there.
            sign(&mut file).ok();
            Claimed::Ours(Claim { _locked: file })
        }
        Err(fs::TryLockError::WouldBlock) => Claimed::Taken(signature(&mut file)),
        Err(fs::TryLockError::Error(_)) => Claimed::Unknown,
    }
}

/// The file of a core, made where there is none. Whatever is no plain file, such as a link that somebody has put there, is
/// left alone.
fn opened(path: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    match options.clone().create_new(true).open(path) {
        Ok(file) => {
            // Other users lock and sign it too.
            file.set_permissions(Permissions::from_mode(0o666)).ok();
            Some(file)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let plain = fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
            plain.then(|| options.open(path).or_else(|_| File::open(path)).ok())?
        }
        Err(_) => None,
    }
}

/// Puts our process id into the file, in place of that of whoever had it before.
fn sign(file: &mut File) -> std::io::Result<()> {
    if file.metadata()?.len() > 0 && signature(file).is_none() {
        // Not written by us.
        return Ok(());
    }
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

fn signature(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(LONGEST_PID).read_to_string(&mut text).ok()?;
    text.trim_end().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_has_one_owner_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let Claimed::Ours(first) = claim(folder.path(), 1) else { panic!("nobody has it") };
        assert!(matches!(claim(folder.path(), 1), Claimed::Taken(Some(pid)) if pid == std::process::id()));
        assert!(matches!(claim(folder.path(), 0), Claimed::Ours(_)), "another core is free");
        drop(first);
        assert!(matches!(claim(folder.path(), 1), Claimed::Ours(_)));
    }

    #[test]
    fn what_is_no_file_of_ours_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (letter, lock) = (folder.path().join("letter"), folder.path().join("pqlab-core-0.lock"));
        fs::write(&letter, "Dear").unwrap();
        std::os::unix::fs::symlink(&letter, &lock).unwrap();
        assert!(matches!(claim(folder.path(), 0), Claimed::Unknown));
        fs::rename(&letter, &lock).unwrap();
        assert!(matches!(claim(folder.path(), 0), Claimed::Ours(_)));
        assert_eq!(fs::read_to_string(&lock).unwrap(), "Dear");
        assert!(matches!(claim(Path::new("/nowhere"), 0), Claimed::Unknown));
    }
}
