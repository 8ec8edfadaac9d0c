use crate::accumulated::Accumulation;
use crate::locate::{fetched_vectors, vectors_root};
use crate::packed;
use crate::read::{ReadError, ReadFault};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Published vectors. Each file is read and parsed only once, however many providers and threads use it.
///
/// If a folder of published vectors is given, its files replace fetched and embedded files with the same purpose, so
/// that no vector counts twice. Otherwise a fetched file replaces the embedded one.
#[derive(Default)]
pub struct Vectors<'a> {
    folder: Option<PathBuf>,
    fetched: Option<PathBuf>,
    accumulation: Accumulation<'a>,
    parsed: Mutex<HashMap<(String, TypeId), Arc<Slot>>>,
}

type Slot = OnceLock<Result<Arc<dyn Any + Send + Sync>, Arc<ReadError>>>;

impl<'a> Vectors<'a> {
    /// Uses the vectors in a folder, or the embedded vectors if there is no folder.
    pub fn new(folder: Option<PathBuf>) -> Vectors<'a> {
        Vectors { folder, ..Vectors::default() }
    }

    /// Uses all vectors on this machine: the folder of published vectors, fetched vectors, and embedded vectors.
    pub fn here() -> Vectors<'a> {
        Vectors::new(vectors_root()).with_fetched(fetched_vectors())
    }

    /// Sets the folder of fetched vectors, usually [`fetched_vectors`](crate::fetched_vectors). `None` uses no fetched
    /// vectors.
    pub fn with_fetched(self, fetched: Option<PathBuf>) -> Vectors<'a> {
        Vectors { fetched, ..self }
    }

    /// Sets the options for accumulated vectors. The default is the smallest number of answers.
    pub fn with_accumulation(self, accumulation: Accumulation<'a>) -> Vectors<'a> {
        Vectors { accumulation, ..self }
    }

    /// Returns the folder of published vectors, if one was given.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns the options for accumulated vectors.
    pub(crate) fn accumulation(&self) -> &Accumulation<'a> {
        &self.accumulation
    }

    /// Returns the names of all files that were requested so far, in alphabetical order.
    pub fn files(&self) -> Vec<String> {
        let parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files: Vec<String> = parsed.keys().map(|(name, _)| name.clone()).collect();
        files.sort();
        files
    }

    /// Reads a file from the folder of published vectors if one was given, otherwise from the fetched or embedded
    /// files. Without a folder, returns [`ReadFault::Absent`] for a file that cannot be found.
    pub(crate) fn file<T: Send + Sync + 'static>(
        &self,
        name: &str,
        reader: fn(&str, &[u8]) -> Result<T, ReadError>,
    ) -> Result<Arc<T>, Arc<ReadError>> {
        self.once(name, || match &self.folder {
            Some(folder) => read(folder, name, reader),
            None => match self.find_fetched(name) {
                Some((fetched, name)) => read(fetched, &name, reader),
                None => {
                    let name = plain(name);
                    reader(name, &packed::file(name)?)
                }
            },
        })
    }

    /// Reads a fetched file, whether or not a folder of published vectors was given.
    pub(crate) fn fetched<T: Send + Sync + 'static>(
        &self,
        name: &str,
        reader: fn(&str, &[u8]) -> Result<T, ReadError>,
    ) -> Result<Arc<T>, Arc<ReadError>> {
        self.once(name, || match self.find_fetched(name) {
            Some((fetched, name)) => read(fetched, &name, reader),
            None => Err(ReadError::whole(name, ReadFault::Absent)),
        })
    }

    /// Finds a fetched file by its name, or by its name without the suffix `.gz`. Returns the folder of fetched vectors
    /// and the file's actual name, or `None` if the file does not exist.
    fn find_fetched(&self, name: &str) -> Option<(&Path, String)> {
        let fetched = self.fetched.as_deref()?;
        [name, plain(name)].into_iter().find(|name| fetched.join(name).is_file()).map(|name| (fetched, name.to_owned()))
    }

    /// Returns the result of `make`, which is called only once for each name and type.
    pub(crate) fn once<T: Send + Sync + 'static>(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<T, ReadError>,
    ) -> Result<Arc<T>, Arc<ReadError>> {
        let slot = {
            let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(parsed.entry((name.to_owned(), TypeId::of::<T>())).or_default())
        };
        let made = slot.get_or_init(|| match make() {
            Ok(value) => Ok(Arc::new(value) as Arc<dyn Any + Send + Sync>),
            Err(error) => Err(Arc::new(error)),
        });
        let any = made.clone()?;
        // This does not fail, because the slot's key includes the type.
        any.downcast::<T>().map_err(|_| Arc::new(ReadError::whole(name, ReadFault::Empty)))
    }
}

fn read<T>(folder: &Path, name: &str, reader: fn(&str, &[u8]) -> Result<T, ReadError>) -> Result<T, ReadError> {
    let unreadable = |error| ReadError::whole(name, ReadFault::Io(error));
    reader(name, &std::fs::read(folder.join(name)).map_err(unreadable)?)
}

/// Returns a file's name without the suffix `.gz`.
fn plain(name: &str) -> &str {
    name.trim_end_matches(".gz")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn length(_: &str, bytes: &[u8]) -> Result<usize, ReadError> {
        Ok(bytes.len())
    }

    #[test]
    fn prefers_the_folder_then_fetched_files_then_the_program() {
        let root = std::env::temp_dir().join(format!("pqlab-vectors-{}", std::process::id()));
        let (folder, fetched) = (root.join("folder"), root.join("fetched"));
        let name = "acvp/ML-KEM-keyGen-FIPS203/internalProjection.json.gz";
        for (place, name, content) in
            [(&folder, name, "1"), (&fetched, plain(name), "22"), (&fetched, "more.rsp", "333")]
        {
            let path = place.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        let found = |vectors: Vectors, name: &str| vectors.file(name, length).map(|length| *length);
        let fetched = || Some(fetched.clone());
        assert_eq!(found(Vectors::new(Some(folder.clone())).with_fetched(fetched()), name).unwrap(), 1);
        assert_eq!(found(Vectors::default().with_fetched(fetched()), name).unwrap(), 2);
        assert!(found(Vectors::default(), name).unwrap() > 100_000);
        // A file that is missing from the given folder must be an I/O error. It is `Absent` only if no folder is given.
        let missing = found(Vectors::new(Some(folder.clone())).with_fetched(fetched()), "more.rsp.gz").unwrap_err();
        assert!(matches!(missing.fault, ReadFault::Io(_)), "{missing}");
        let nowhere = found(Vectors::default(), "more.rsp.gz").unwrap_err();
        assert!(matches!(nowhere.fault, ReadFault::Absent), "{nowhere}");
        let vectors = Vectors::new(Some(folder)).with_fetched(fetched());
        assert_eq!(*vectors.fetched("more.rsp.gz", length).unwrap(), 3);
        std::fs::remove_dir_all(&root).unwrap();
    }
}
