use crate::read::{ReadError, ReadFault};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The folder of published vectors. A file is read and parsed once, however many providers and threads ask for it.
#[derive(Default)]
pub struct Vectors {
    root: Option<PathBuf>,
    parsed: Mutex<HashMap<(String, TypeId), Arc<Slot>>>,
}

type Slot = OnceLock<Result<Arc<dyn Any + Send + Sync>, Arc<ReadError>>>;

impl Vectors {
    /// The vectors of a folder; without one, those that are built in alone.
    pub fn new(root: Option<PathBuf>) -> Vectors {
        Vectors { root, parsed: Mutex::default() }
    }

    /// The folder.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// The names of the files that were read or attempted so far.
    pub fn files(&self) -> Vec<String> {
        let parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files: Vec<String> = parsed.keys().map(|(name, _)| name.clone()).collect();
        files.sort();
        files
    }

    /// The file of that name below the folder, through a reader.
    pub(crate) fn file<T: Send + Sync + 'static>(
        &self,
        name: &str,
        reader: fn(&str, &[u8]) -> Result<T, ReadError>,
    ) -> Result<Arc<T>, Arc<ReadError>> {
        self.once(name, || {
            let unreadable = |error| ReadError::whole(name, ReadFault::Io(error));
            let root = self.root.as_ref().ok_or_else(|| unreadable(std::io::ErrorKind::NotFound.into()))?;
            reader(name, &std::fs::read(root.join(name)).map_err(unreadable)?)
        })
    }

    /// What `make` makes, kept under that name.
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
        // The slot's key holds the type.
        any.downcast::<T>().map_err(|_| Arc::new(ReadError::whole(name, ReadFault::Empty)))
    }
}
