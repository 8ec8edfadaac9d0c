use super::*;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::thread;

fn write(path: &Path, content: &str) -> io::Result<()> {
    let (writing, mut file) = Destination::new(path)?.create()?;
    file.write_all(content.as_bytes())?;
    writing.keep(&mut file)
}

/// Writes four bytes, then seeks back and overwrites them.
fn write_twice(path: &Path) -> io::Result<()> {
    let (writing, mut file) = Destination::new(path)?.create_seekable()?;
    file.write_all(b"????")?;
    file.rewind()?;
    file.write_all(b"done")?;
    writing.keep(&mut file)
}

/// Returns the names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn regular_files_appear_whole_and_keep_their_permissions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let (writing, mut file) = Destination::new(&path).unwrap().create().unwrap();
    file.write_all(b"half").unwrap();
    assert!(!path.exists());
    drop((writing, file));
    assert!(names(folder.path()).is_empty());
    write(&path, "old").unwrap();
    let plain = folder.path().join("plain");
    File::create(&plain).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode(), fs::metadata(plain).unwrap().mode(), "new files follow the umask");
    for mode in [0o600, 0o664, 0o444] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        write(&path, "new").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(names(folder.path()), ["file", "plain"]);
}

#[test]
fn links_stay_and_their_targets_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("inner")).unwrap();
    fs::write(at("inner/target"), "old").unwrap();
    symlink("inner/target", at("first")).unwrap();
    symlink("first", at("second")).unwrap();
    symlink("inner/comes", at("dangling")).unwrap();
    symlink("around", at("around")).unwrap();
    write(&at("second"), "new").unwrap();
    write(&at("dangling"), "new").unwrap();
    assert!(["first", "second", "dangling"].iter().all(|name| at(name).is_symlink()));
    assert_eq!(names(&at("inner")), ["comes", "target"]);
    assert_eq!(fs::read_to_string(at("inner/target")).unwrap(), "new");
    assert_eq!(fs::read_to_string(at("inner/comes")).unwrap(), "new");
    assert!(write(&at("around"), "new").unwrap_err().to_string().contains("symbolic links"));
}

#[test]
fn pipes_sockets_and_devices_are_written_to_and_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (pipe, socket, null) = (folder.path().join("pipe"), folder.path().join("socket"), folder.path().join("null"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for seekable in [false, true] {
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        if seekable {
            write_twice(&pipe).unwrap()
        } else {
            write(&pipe, "done").unwrap()
        };
        assert_eq!(reader.join().unwrap(), "done");
    }
    let listener = UnixListener::bind(&socket).unwrap();
    write(&socket, "done").unwrap();
    let mut heard = String::new();
    listener.accept().unwrap().0.read_to_string(&mut heard).unwrap();
    assert_eq!(heard, "done");
    symlink("/dev/null", &null).unwrap();
    write(&null, "done").unwrap();
    write_twice(&null).unwrap();
    assert!(null.is_symlink() && fs::metadata(&null).unwrap().file_type().is_char_device());
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert!(fs::metadata(&socket).unwrap().file_type().is_socket());
    assert_eq!(names(folder.path()), ["null", "pipe", "socket"]);
}

#[test]
fn open_files_are_written_through_their_links() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let open = PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(file.as_file())));
    write(&open, "done").unwrap();
    let mut content = String::new();
    file.as_file().read_to_string(&mut content).unwrap();
    assert_eq!(content, "done", "the content must go to the open file, not to a new file with the same name");
}

#[test]
fn rejects_folders_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    symlink(".", folder.path().join("link")).unwrap();
    for path in [folder.path().to_owned(), "/".into(), "..".into(), folder.path().join("link"), "none/".into()] {
        let refused = Destination::new(&path).unwrap_err().to_string();
        assert_eq!(refused, "this is a folder: name a file in it", "{}", path.display());
    }
    let absent = write(&folder.path().join("no/file"), "").unwrap_err();
    assert_eq!(absent.to_string(), "No such file or directory (os error 2)");
    assert!(Destination::new(Path::new("-")).unwrap().is_standard_output());
    assert!(!Destination::new(Path::new("./-")).unwrap().is_standard_output());
}
