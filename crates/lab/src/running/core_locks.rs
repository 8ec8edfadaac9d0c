//! Locks on cores, which make concurrent pqlab runs use different cores.
//!
//! The locks are advisory locks on files in the temporary folder, which all users share. Each user writes only to their
//! own subfolder, and reads the subfolders of other users. The system releases a lock when the process that holds it
//! ends. pqlab never removes a lock file. If it removed a file that another program had just opened, that program and a
//! third one could both hold the lock.

use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
use nix::unistd::geteuid;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Prefix of the name of a user's folder. The numeric user id follows.
const FOLDER: &str = "pqlab-";

/// Maximum length of a lock file in bytes: a decimal process id and a line feed.
const LONGEST_PID: u64 = 11;

/// Claim on a core. The process holds the core until the claim is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    _locked: File,
}

/// Result of claiming a core.
#[derive(Debug)]
pub(crate) enum Claimed {
    /// This process holds the core.
    Ours(Claim),
    /// Another run measures on the core. Contains the id of that run's process, if the lock file states it.
    Taken(Option<u32>),
    /// It is unknown whether the core is in use, because the lock file cannot be created or locked.
    Unknown,
}

/// Tries to claim a core with lock files below `folder`.
pub(crate) fn claim(folder: &Path, core: u32) -> Claimed {
    let own = format!("{FOLDER}{}", geteuid());
    let name = format!("core-{core}.lock");
    let Some(mut file) = own_folder(&folder.join(&own)).and_then(|own| opened(&own.join(&name))) else {
        return Claimed::Unknown;
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Claimed::Taken(signature(&mut file)),
        Err(fs::TryLockError::Error(_)) => return Claimed::Unknown,
    }
    // If two users claim a core at the same moment, both may fail, but they never both succeed.
    for mut theirs in others(folder, &own).filter_map(|other| read(&other.join(&name))) {
        if matches!(theirs.try_lock_shared(), Err(fs::TryLockError::WouldBlock)) {
            return Claimed::Taken(signature(&mut theirs));
        }
    }
    // Ignore a failed write: other programs still see that the core is taken, but not by which process.
    sign(&mut file).ok();
    Claimed::Ours(Claim { _locked: file })
}

/// Creates the current user's folder if it is missing. Returns `None` if the path is not this user's folder, or if
/// other users can write to it.
fn own_folder(path: &Path) -> Option<PathBuf> {
    // Ignore the error, because the folder may exist already.
    DirBuilder::new().mode(0o755).create(path).ok();
    let found = fs::symlink_metadata(path).ok()?;
    let ours = found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & 0o022 == 0;
    ours.then(|| path.to_path_buf())
}

/// Returns the subfolders of other users. `own` is the name of the current user's subfolder.
fn others(folder: &Path, own: &str) -> impl Iterator<Item = PathBuf> {
    let user = |name: &str| name.strip_prefix(FOLDER).is_some_and(|number| number.parse::<u32>().is_ok());
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(move |entry| {
        let name = entry.file_name();
        name != own && name.to_str().is_some_and(user) && entry.file_type().is_ok_and(|kind| kind.is_dir())
    });
    folders.map(|entry| entry.path())
}

/// Opens a core's lock file in the current user's folder, and creates the file if it is missing. Rejects symbolic and
/// hard links, which could point to another program's file.
fn opened(path: &Path) -> Option<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o644).custom_flags(O_NOFOLLOW | O_NONBLOCK);
    let file = options.open(path).ok()?;
    let found = file.metadata().ok()?;
    (found.is_file() && found.nlink() == 1 && found.uid() == geteuid().as_raw()).then_some(file)
}

/// Opens a core's lock file in another user's folder, if the file exists.
fn read(path: &Path) -> Option<File> {
    let file = OpenOptions::new().read(true).custom_flags(O_NOFOLLOW | O_NONBLOCK).open(path).ok()?;
    file.metadata().is_ok_and(|found| found.is_file()).then_some(file)
}

/// Writes the id of the current process to the lock file, in place of an earlier owner's id.
fn sign(file: &mut File) -> std::io::Result<()> {
    if file.metadata()?.len() > 0 && signature(file).is_none() {
        // Leave the file alone, because pqlab did not write it.
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
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_core_has_one_owner_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let Claimed::Ours(first) = claim(folder.path(), 1) else { panic!("the core must be free") };
        assert!(matches!(claim(folder.path(), 1), Claimed::Taken(Some(pid)) if pid == std::process::id()));
        assert!(matches!(claim(folder.path(), 0), Claimed::Ours(_)), "another core must be free");
        drop(first);
        assert!(matches!(claim(folder.path(), 1), Claimed::Ours(_)));
    }

    /// Returns the path of the lock file for core 0 in the current user's folder.
    fn lock(folder: &Path) -> PathBuf {
        own_folder(&folder.join(format!("{FOLDER}{}", geteuid()))).unwrap().join("core-0.lock")
    }

    #[test]
    fn links_and_files_of_others_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (victim, lock) = (folder.path().join("victim.pid"), lock(folder.path()));
        fs::write(&victim, "4242\n").unwrap();
        std::os::unix::fs::symlink(&victim, &lock).unwrap();
        assert!(matches!(claim(folder.path(), 0), Claimed::Unknown));
        fs::remove_file(&lock).unwrap();
        fs::hard_link(&victim, &lock).unwrap();
        assert!(matches!(claim(folder.path(), 0), Claimed::Unknown));
        assert_eq!(fs::read_to_string(&victim).unwrap(), "4242\n");
        fs::remove_file(&victim).unwrap();
        fs::write(&lock, "Dear").unwrap();
        assert!(matches!(claim(folder.path(), 0), Claimed::Ours(_)));
        assert_eq!(fs::read_to_string(&lock).unwrap(), "Dear");
        assert!(matches!(claim(Path::new("/nowhere"), 0), Claimed::Unknown));
    }

    #[test]
    fn does_not_use_folders_that_others_can_write_to() {
        let folder = tempfile::tempdir().unwrap();
        let own = lock(folder.path()).parent().unwrap().to_path_buf();
        fs::set_permissions(&own, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(claim(folder.path(), 0), Claimed::Unknown));
    }

    #[test]
    fn respects_the_locks_of_other_users() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join(format!("{FOLDER}{}", geteuid().as_raw() + 1));
        fs::create_dir(&other).unwrap();
        let mut theirs = File::create(other.join("core-0.lock")).unwrap();
        writeln!(theirs, "4711").unwrap();
        assert!(matches!(claim(folder.path(), 0), Claimed::Ours(_)));
        theirs.lock().unwrap();
        assert!(matches!(claim(folder.path(), 0), Claimed::Taken(Some(4711))));
        assert!(matches!(claim(folder.path(), 1), Claimed::Ours(_)));
    }
}
