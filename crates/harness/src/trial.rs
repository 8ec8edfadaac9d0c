//! Interface between workloads and harness: repeatable operations with checkable answers.

use pqlab_record::{Case, Disturbance};
use serde::{Deserialize, Serialize};

/// Reason why a trial cannot continue. A fault ends the trial's case; the rest of the run is unaffected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The library gave a wrong answer.
    #[error("wrong answer: {0}")]
    WrongAnswer(String),
    /// The library reported a failure.
    #[error("{0}")]
    Library(String),
    /// The provider does not support a feature that the case requires.
    #[error("unsupported: {0}")]
    Unsupported(String),
}

/// A case in one process, ready to be timed. If several threads are measured together, each thread has its own trial
/// with its own keys and buffers.
pub trait Trial: Send {
    /// Prepares inputs and clears outputs for up to `batch` operations. Inputs are fresh, keys rotate, and old outputs
    /// cannot be mistaken for new ones. Not timed.
    ///
    /// # Errors
    /// [`Fault`], which ends the case.
    fn setup(&mut self, batch: usize) -> Result<(), Fault>;

    /// Performs `batch` operations. Only this call is timed. It may be called several times after one
    /// [`setup`](Self::setup), for at most as many operations in total as were set up. Trials with several threads call
    /// it several times.
    ///
    /// # Errors
    /// [`Fault`], which ends the case.
    fn routine(&mut self, batch: usize, recorder: &mut Recorder) -> Result<(), Fault>;

    /// Checks the answers of the last [`routine`](Self::routine). Not timed.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`], which voids all samples of the case.
    fn verify(&mut self) -> Result<(), Fault>;

    /// Returns the number of operations per sample if the trial allows only one number. For example, a trial may sign a
    /// set of messages in one call, or its operation may change the state that it needs. `None` lets the measurement
    /// settings choose the number.
    fn batch(&self) -> Option<u64> {
        None
    }

    /// Records facts about the last [`routine`](Self::routine) other than its time. Not timed; called after each
    /// sample.
    ///
    /// # Errors
    /// The same errors as [`routine`](Self::routine).
    fn note(&mut self, _recorder: &mut Recorder) -> Result<(), Fault> {
        Ok(())
    }

    /// Returns the processors to which the trial's own threads are pinned, without duplicates. Empty if the trial
    /// starts no threads or does not pin them. The harness probes whether other loads share the cores of these
    /// processors.
    fn processors(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Returns the time of the last [`routine`](Self::routine) in ns, as reported by the other process that performed
    /// it. `None` if this process performed it. The harness uses the reported time if it agrees with the harness's own
    /// clock.
    fn own_ns(&mut self) -> Option<u64> {
        None
    }

    /// Returns the time of each operation in the last [`routine`](Self::routine) in ns, if the routine performs [a
    /// wave](Demands::wave).
    fn own_samples(&mut self) -> Vec<u64> {
        Vec::new()
    }

    /// Returns the id of the other process that performs the operations, if there is one. The harness adds the CPU time
    /// of that process to the trial's.
    fn process(&self) -> Option<u32> {
        None
    }

    /// Returns the trial's requirements.
    fn demands(&self) -> Demands {
        Demands::default()
    }
}

/// Requirements of a trial. The default suits most trials: one thread, and any number of operations per sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demands {
    /// Whether the trial starts threads on the processors that the run [was granted](crate::affinity::granted). The
    /// trial pins these threads, and reports [disturbances](Recorder::disturbed) of the threads to the recorder. The
    /// harness watches only for stolen time and for other loads on the cores of [the trial's
    /// processors](Trial::processors). Samples are wall times, because cycles and instructions are counted for just one
    /// thread.
    pub several_threads: bool,
    /// Minimum length of a sample in ns, unless the user sets the batch.
    pub shortest_sample_ns: u64,
    /// Required divisor of the number of operations per sample, unless the user sets the batch. 0 and 1 allow any
    /// number.
    pub multiple_of: u64,
    /// Whether another process performs the operations and [times](Trial::own_ns) them.
    pub own_time: bool,
    /// Maximum number of operations in a wave, or 0 if the routine itself is timed. Each operation in a wave is a
    /// sample with [its own time](Trial::own_samples). The operations may run concurrently, or with other work between
    /// them.
    pub wave: u64,
    /// Whether the trial takes a fixed number of samples, [set by the protocol](pqlab_record::Protocol::handshakes),
    /// regardless of their spread. True if the operations wait for a network, where the tail of the distribution
    /// matters.
    pub counted: bool,
}

/// Turns the cases of a plan into trials. The workload registry implements it.
pub trait TrialSource {
    /// Checks known answers and prepares the case.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`] for a wrong known answer, [`Fault::Unsupported`] if this build lacks a feature that the
    /// case needs, and errors from the library.
    fn prepare(&self, case: &Case, seed: Seed) -> Result<Box<dyn Trial>, Fault>;

    /// Prepares the case with as few library calls as possible, for a first call in a fresh process. Another process
    /// has already checked the known answers.
    ///
    /// # Errors
    /// The same errors as [`prepare`](Self::prepare), except those about known answers.
    fn prepare_first_call(&self, case: &Case, seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        self.prepare(case, seed)
    }
}

/// Seed for a trial's inputs. Equal seeds give equal inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    /// Seed of the run.
    pub run: u64,
    /// Number of the worker process, so that each process has different inputs.
    pub process: u32,
}

/// Collects values that a stopwatch around the call cannot measure.
#[derive(Debug, Default)]
pub struct Recorder {
    extra: Vec<(String, Vec<f64>)>,
    disturbances: Vec<Disturbance>,
}

impl Recorder {
    /// Records a value under a name, such as a size in bytes or a delay in ns.
    pub fn note(&mut self, name: &str, value: f64) {
        match self.extra.iter_mut().find(|(key, _)| key == name) {
            Some((_, values)) => values.push(value),
            None => self.extra.push((name.to_owned(), vec![value])),
        }
    }

    /// Records disturbances of the trial's own threads. Keeps the first disturbance of each kind.
    pub fn disturbed(&mut self, disturbances: impl IntoIterator<Item = Disturbance>) {
        for disturbance in disturbances {
            let kind = std::mem::discriminant(&disturbance);
            if !self.disturbances.iter().any(|known| std::mem::discriminant(known) == kind) {
                self.disturbances.push(disturbance);
            }
        }
    }

    /// Removes and returns all recorded values.
    pub fn take(&mut self) -> Vec<(String, Vec<f64>)> {
        std::mem::take(&mut self.extra)
    }

    /// Removes and returns all recorded disturbances.
    pub fn take_disturbances(&mut self) -> Vec<Disturbance> {
        std::mem::take(&mut self.disturbances)
    }
}
