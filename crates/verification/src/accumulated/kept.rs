//! Progress of a run, saved in one file per provider and algorithm.

use super::stream::{PutDown, Stream};
use pqlab_primitives::Provider;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// File for saved progress, and the builds that compute the answers.
pub(super) struct Kept {
    file: PathBuf,
    whose: Whose,
}

/// The library build and the pqlab build that computed the saved answers. A run resumes only if both builds are
/// unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Whose {
    provider: String,
    algorithm: String,
    version: String,
    build: String,
    /// Length of the program in bytes, and its modification time in ms since 1970.
    program: (u64, u64),
}

#[derive(Serialize, Deserialize)]
struct Content {
    whose: Whose,
    put_down: PutDown,
}

impl Kept {
    pub(super) fn new(folder: &Path, provider: &Provider, algorithm: &str) -> Kept {
        let id = provider.id();
        Kept {
            file: folder.join(format!("{}-{algorithm}.json", id.replace([':', '/'], "-"))),
            whose: Whose {
                provider: id,
                algorithm: algorithm.to_owned(),
                version: provider.build_info.version.clone(),
                build: provider.build_info.build.clone(),
                program: program(),
            },
        }
    }

    /// Returns the saved stream if the same builds computed it and it contains at most `all` answers.
    pub(super) fn stream(&self, all: u64) -> Option<Stream> {
        let content: Content = serde_json::from_slice(&fs::read(&self.file).ok()?).ok()?;
        let fits = content.whose == self.whose && content.put_down.done <= all;
        if fits { Stream::take_up(&content.put_down) } else { None }
    }

    /// Saves the state of the stream. Ignores failures, because only an interrupted run needs the saved state.
    pub(super) fn keep(&self, stream: &Stream) {
        let content = Content { whose: self.whose.clone(), put_down: stream.put_down() };
        let Ok(text) = serde_json::to_vec(&content) else { return };
        // Write to a temporary file, so that an interrupted write cannot damage the saved state.
        let beside = self.file.with_extension(format!("{}.tmp", std::process::id()));
        let folder = self.file.parent().unwrap_or_else(|| Path::new("."));
        let kept = fs::create_dir_all(folder)
            .and_then(|()| fs::write(&beside, text))
            .and_then(|()| fs::rename(&beside, &self.file));
        if kept.is_err() {
            fs::remove_file(&beside).ok();
        }
    }

    /// Deletes the file, so that the next run starts from the beginning.
    pub(super) fn forget(&self) {
        fs::remove_file(&self.file).ok();
    }
}

fn program() -> (u64, u64) {
    let metadata = std::env::current_exe().and_then(fs::metadata);
    metadata.map_or((0, 0), |metadata| {
        let written = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (metadata.len(), written.map_or(0, |since| since.as_millis() as u64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pqlab_primitives::BuildInfo;

    fn kept_in(folder: &Path, version: &str) -> Kept {
        let build_info = BuildInfo { version: version.to_owned(), build: "test".to_owned() };
        Kept::new(folder, &Provider::new("a:b", build_info), "ML-DSA-44")
    }

    #[test]
    fn only_the_same_library_finds_saved_progress() {
        let folder = std::env::temp_dir().join(format!("pqlab-kept-{}", std::process::id()));
        let (one, other) = (kept_in(&folder, "1"), kept_in(&folder, "2"));
        assert!(one.stream(100).is_none());
        let mut stream = Stream::begin();
        stream.write(b"answer");
        stream.done = 40;
        one.keep(&stream);
        assert_eq!(one.stream(100).unwrap().digest(), stream.digest());
        assert!(one.stream(39).is_none() && other.stream(100).is_none());
        one.forget();
        assert!(one.stream(100).is_none());
        fs::remove_dir_all(&folder).unwrap();
    }
}
