//! What takes a thread, in bounds: so much at once, nothing for clients that have gone, and nothing twice for those that ask for the
//! same.

use hyper::body::Bytes;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OnceCell, Semaphore};

/// Pages that are kept as they were made.
const KEPT: usize = 8;

/// Threads for work that blocks, as many as it says and no more. Who waits for one does so without a thread, and who stops waiting,
/// as a client that has gone, leaves nothing behind: work that nobody waits for is never begun.
pub(super) struct Threads(Arc<Semaphore>);

impl Threads {
    pub(super) fn new(most: usize) -> Threads {
        Threads(Arc::new(Semaphore::new(most)))
    }

    /// Does it when a thread is free; `None` where it panics.
    pub(super) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let permit = Arc::clone(&self.0).acquire_owned().await.ok()?;
        let done = tokio::task::spawn_blocking(move || {
            // Given back when the work ends, not when whoever asked for it does: what was begun counts until then.
            let _permit = permit;
            work()
        });
        done.await.ok()
    }
}

/// The pages of the last runs that were asked for, the newest first. One that is being made keeps nobody waiting but those who ask
/// for it.
#[derive(Default)]
pub(super) struct Kept(Mutex<Vec<Arc<Entry>>>);

struct Entry {
    run: String,
    /// The state of the store that the page shows.
    state: String,
    page: OnceCell<Bytes>,
}

impl Kept {
    /// The page of a run as of a state of the store, made if it is not there. Many who ask for it at once have it made once; where
    /// that fails, or its client goes, the next of them makes it.
    pub(super) async fn page<E>(
        &self,
        run: &str,
        state: &str,
        make: impl Future<Output = Result<Bytes, E>>,
    ) -> Result<Bytes, E> {
        self.entry(run, state).page.get_or_try_init(|| make).await.cloned()
    }

    fn entry(&self, run: &str, state: &str) -> Arc<Entry> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|entry| entry.run == run);
        let entry = match place.map(|place| kept.remove(place)) {
            Some(entry) if entry.state == state => entry,
            _ => Arc::new(Entry { run: run.to_owned(), state: state.to_owned(), page: OnceCell::new() }),
        };
        kept.truncate(KEPT - 1);
        kept.insert(0, Arc::clone(&entry));
        entry
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use std::convert::Infallible;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use tokio::runtime::{Builder, Runtime};
    use tokio::sync::oneshot;

    fn runtime() -> Runtime {
        Builder::new_current_thread().enable_all().build().unwrap()
    }

    async fn made(text: &'static str) -> Result<Bytes, Infallible> {
        Ok(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn a_page_that_is_being_made_keeps_no_other_waiting() {
        runtime().block_on(async {
            let kept = Arc::new(Kept::default());
            let (release, released) = oneshot::channel::<()>();
            let slow = tokio::spawn({
                let kept = Arc::clone(&kept);
                async move {
                    let make = async {
                        released.await.ok();
                        made("slow").await
                    };
                    kept.page("a", "1", make).await
                }
            });
            tokio::task::yield_now().await;
            assert_eq!(kept.page("b", "1", made("quick")).await.unwrap(), "quick");
            assert!(!slow.is_finished());
            release.send(()).unwrap();
            assert_eq!(slow.await.unwrap().unwrap(), "slow");
            assert_eq!(kept.page("a", "1", made("not made again")).await.unwrap(), "slow");
            assert_eq!(kept.page("a", "2", made("grown")).await.unwrap(), "grown");
        });
    }

    #[test]
    fn a_page_is_made_once_for_all_who_ask() {
        runtime().block_on(async {
            let kept = Arc::new(Kept::default());
            let count = Arc::new(AtomicUsize::new(0));
            let clients: Vec<_> = (0..100)
                .map(|_| {
                    let (kept, count) = (Arc::clone(&kept), Arc::clone(&count));
                    tokio::spawn(async move {
                        let make = async {
                            tokio::task::yield_now().await;
                            count.fetch_add(1, Ordering::Relaxed);
                            made("page").await
                        };
                        kept.page("a", "1", make).await
                    })
                })
                .collect();
            for client in clients {
                assert_eq!(client.await.unwrap().unwrap(), "page");
            }
            assert_eq!(count.load(Ordering::Relaxed), 1);
        });
    }

    #[test]
    fn where_it_fails_the_next_one_makes_it() {
        runtime().block_on(async {
            let kept = Kept::default();
            assert_eq!(kept.page("a", "1", async { Err("no disk") }).await, Err("no disk"));
            assert_eq!(
                kept.page("a", "1", async { Ok::<_, &str>(Bytes::from_static(b"page")) }).await.unwrap(),
                "page"
            );
        });
    }

    #[test]
    fn so_many_are_kept() {
        let kept = Kept::default();
        for run in 0..3 * KEPT {
            kept.entry(&run.to_string(), "1");
        }
        assert_eq!(kept.0.lock().unwrap().len(), KEPT);
    }

    #[test]
    fn what_nobody_waits_for_is_never_begun() {
        runtime().block_on(async {
            let threads = Arc::new(Threads::new(2));
            let begun = Arc::new(AtomicUsize::new(0));
            let (release, released) = mpsc::channel::<()>();
            let released = Arc::new(Mutex::new(released));
            let clients: Vec<_> = (0..1000)
                .map(|_| {
                    let (threads, begun, released) = (Arc::clone(&threads), Arc::clone(&begun), Arc::clone(&released));
                    tokio::spawn(async move {
                        threads
                            .run(move || {
                                begun.fetch_add(1, Ordering::Relaxed);
                                // Ends when the sender does.
                                released.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
                            })
                            .await
                    })
                })
                .collect();
            while begun.load(Ordering::Relaxed) < 2 {
                tokio::task::yield_now().await;
            }
            // All of them hang up.
            for client in clients {
                client.abort();
                client.await.unwrap_err();
            }
            drop(release);
            // Whoever comes next is served, and nothing of theirs was done in between.
            assert_eq!(threads.run(|| "served").await, Some("served"));
            assert_eq!(begun.load(Ordering::Relaxed), 2);
        });
    }

    #[test]
    fn a_panic_gives_its_thread_back() {
        runtime().block_on(async {
            let threads = Threads::new(1);
            for _ in 0..3 {
                assert_eq!(threads.run(|| panic!("on purpose")).await, None::<()>);
            }
            assert_eq!(threads.run(|| 1).await, Some(1));
        });
    }
}
