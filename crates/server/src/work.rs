//! Runs page generation on a limited number of threads, skips it for clients that have disconnected, and shares results
//! between identical requests.

use hyper::body::Bytes;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OnceCell, Semaphore};

/// Number of cached pages.
const KEPT: usize = 8;

/// Runs blocking work on a limited number of threads. Queued work does not occupy a thread. If the client disconnects
/// before the work starts, the work never runs.
pub(super) struct Threads(Arc<Semaphore>);

impl Threads {
    pub(super) fn new(most: usize) -> Threads {
        Threads(Arc::new(Semaphore::new(most)))
    }

    /// Runs the work as soon as a thread is free. Returns `None` if the work panics.
    pub(super) async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let permit = Arc::clone(&self.0).acquire_owned().await.ok()?;
        let done = tokio::task::spawn_blocking(move || {
            // Hold the permit until the work ends, because the thread stays busy even if the client
            // disconnects.
            let _permit = permit;
            work()
        });
        done.await.ok()
    }
}

/// Cache of pages for recently requested runs, newest first. An unfinished page blocks only the clients that request
/// it.
#[derive(Default)]
pub(super) struct Kept(Mutex<Vec<Arc<Entry>>>);

struct Entry {
    run: String,
    /// State of the store when the page was requested.
    state: String,
    page: OnceCell<Bytes>,
}

impl Kept {
    /// Returns a run's page for the given state of the store. Generates the page if it is not cached. Concurrent
    /// requests wait for the same generation. If it fails, or if the client that started it disconnects, the next
    /// request generates the page.
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

    async fn generated(text: &'static str) -> Result<Bytes, Infallible> {
        Ok(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn pages_in_progress_do_not_block_others() {
        runtime().block_on(async {
            let kept = Arc::new(Kept::default());
            let (release, released) = oneshot::channel::<()>();
            let slow = tokio::spawn({
                let kept = Arc::clone(&kept);
                async move {
                    let make = async {
                        released.await.ok();
                        generated("slow").await
                    };
                    kept.page("a", "1", make).await
                }
            });
            tokio::task::yield_now().await;
            assert_eq!(kept.page("b", "1", generated("quick")).await.unwrap(), "quick");
            assert!(!slow.is_finished());
            release.send(()).unwrap();
            assert_eq!(slow.await.unwrap().unwrap(), "slow");
            assert_eq!(kept.page("a", "1", generated("not generated again")).await.unwrap(), "slow");
            assert_eq!(kept.page("a", "2", generated("grown")).await.unwrap(), "grown");
        });
    }

    #[test]
    fn concurrent_requests_share_one_page() {
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
                            generated("page").await
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
    fn retries_after_a_failure() {
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
    fn keeps_a_bounded_number_of_pages() {
        let kept = Kept::default();
        for run in 0..3 * KEPT {
            kept.entry(&run.to_string(), "1");
        }
        assert_eq!(kept.0.lock().unwrap().len(), KEPT);
    }

    #[test]
    fn abandoned_work_never_starts() {
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
                                // Block until the test drops `release`.
                                released.lock().unwrap_or_else(PoisonError::into_inner).recv().ok();
                            })
                            .await
                    })
                })
                .collect();
            while begun.load(Ordering::Relaxed) < 2 {
                tokio::task::yield_now().await;
            }
            // Disconnect all clients.
            for client in clients {
                client.abort();
                client.await.unwrap_err();
            }
            drop(release);
            // The server must serve the next client, and no abandoned work may have run in between.
            assert_eq!(threads.run(|| "served").await, Some("served"));
            assert_eq!(begun.load(Ordering::Relaxed), 2);
        });
    }

    #[test]
    fn panics_release_their_thread() {
        runtime().block_on(async {
            let threads = Threads::new(1);
            for _ in 0..3 {
                assert_eq!(threads.run(|| panic!("on purpose")).await, None::<()>);
            }
            assert_eq!(threads.run(|| 1).await, Some(1));
        });
    }
}
