//! The interface between workloads and harness: operations that can be repeated and whose answers can be checked.

use pqlab_record::{Case, Disturbance};
use serde::{Deserialize, Serialize};

/// Reason why a trial cannot continue. A fault ends its case; the rest of the run is unaffected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The library gave a wrong answer.
    #[error("wrong answer: {0}")]
    WrongAnswer(String),
    /// The library reported a failure.
    #[error("{0}")]
    Library(String),
    /// The provider does not support what the case requires.
    #[error("unsupported: {0}")]
    Unsupported(String),
}

/// One case in one process, ready to be timed. If several threads are measured together, the work of one of them, with
/// its own keys and buffers.
pub trait Trial: Send {
    /// Prepares inputs and clears outputs for up to `batch` operations: fresh inputs, rotating keys, and no old output
    /// that could pass for a new one. Not timed.
    ///
    /// # Errors
    /// [`Fault`], which ends the case.
    fn setup(&mut self, batch: usize) -> Result<(), Fault>;

    /// Performs `batch` operations. Only this call is timed. With several threads it is called several times after one
    /// [`setup`](Self::setup), for at most as many operations in total as were set up.
    ///
    /// # Errors
    /// [`Fault`], which ends the case.
    fn routine(&mut self, batch: usize, recorder: &mut Recorder) -> Result<(), Fault>;

    /// Checks the answers of the last [`routine`](Self::routine). Not timed.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`], which voids all samples of the case.
    fn verify(&mut self) -> Result<(), Fault>;

    /// Returns the operations per sample, if only one number is possible: a set of messages signed as a whole, or an
    /// operation that changes the state it needs. `None` leaves it to the rules.
    fn batch(&self) -> Option<u64> {
        None
    }

    /// Records facts about the last [`routine`](Self::routine) other than its time. Not timed; called after each
    /// sample.
    ///
    /// # Errors
    /// Those of [`routine`](Self::routine).
    fn note(&mut self, _recorder: &mut Recorder) -> Result<(), Fault> {
        Ok(())
    }

    /// Returns the processors on which the trial's own threads work, each once. Empty if it has no threads of its own
    /// or does not pin them. The harness probes whether their cores are shared.
    fn processors(&self) -> Vec<u32> {
        Vec::new()
    }

    /// Returns the time of the last [`routine`](Self::routine) in ns by the clock of the process that performed it, if
    /// that is another one. It becomes the sample if it agrees with the harness's own clock.
    fn own_ns(&mut self) -> Option<u64> {
        None
    }

    /// Returns the time of each operation of the last [`routine`](Self::routine) in ns, if [a routine is a
    /// wave](Demands::wave).
    fn own_samples(&mut self) -> Vec<u64> {
        Vec::new()
    }

    /// Returns the process that performs the operations, if it is another one. Its CPU time counts for the trial.
    fn process(&self) -> Option<u32> {
        None
    }

    /// Returns what the trial needs beyond one thread timed call by call.
    fn demands(&self) -> Demands {
        Demands::default()
    }
}

/// Requirements of a trial. The default suits most: one thread, and any number of operations per sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Demands {
    /// The trial uses its own threads on all processors that the run [was granted](crate::affinity::granted). It places
    /// them, and reports to the recorder what [disturbed](Recorder::disturbed) them. The harness then only watches for
    /// stolen time and for other loads on the cores of [its processors](Trial::processors). Samples are wall times,
    /// because cycles and instructions are counted for one thread only.
    pub several_threads: bool,
    /// Minimum length of a sample in ns, unless the user sets the batch.
    pub shortest_sample_ns: u64,
    /// Operations per sample are a multiple of this, unless the user sets the batch; 0 and 1 allow any number.
    pub multiple_of: u64,
    /// Another process performs the operations and [times](Trial::own_ns) them.
    pub own_time: bool,
    /// Maximum number of operations in a wave, each a sample with [its own time](Trial::own_samples). They may run at
    /// once, or have other work between them. 0 if the routine itself is timed.
    pub wave: u64,
    /// Takes the number of samples that [the protocol](pqlab_record::Protocol::handshakes) sets, whatever their spread:
    /// operations wait for a network, and their tails matter.
    pub counted: bool,
}

/// Turns the cases of a plan into trials; implemented by the registry of workloads.
pub trait TrialSource {
    /// Checks known answers and prepares the case.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`] for a wrong known answer, [`Fault::Unsupported`] if this build lacks what the case needs,
    /// and the library's errors.
    fn prepare(&self, case: &Case, seed: Seed) -> Result<Box<dyn Trial>, Fault>;

    /// Prepares the case with as few library calls as possible, for a first call in a fresh process. Another process
    /// has already checked known answers.
    ///
    /// # Errors
    /// Those of [`prepare`](Self::prepare), except for known answers.
    fn prepare_first_call(&self, case: &Case, seed: Seed) -> Result<Box<dyn Trial>, Fault> {
        self.prepare(case, seed)
    }
}

/// Source of a trial's inputs: the same seed gives the same inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    /// Seed of the run.
    pub run: u64,
    /// Number of the worker process, so that processes have different inputs.
    pub process: u32,
}

/// Collects what a stopwatch around the call cannot measure.
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

    /// Records what disturbed the trial's own threads. Keeps the first disturbance of each kind.
    pub fn disturbed(&mut self, disturbances: impl IntoIterator<Item = Disturbance>) {
        for disturbance in disturbances {
            let kind = std::mem::discriminant(&disturbance);
            if !self.disturbances.iter().any(|known| std::mem::discriminant(known) == kind) {
                self.disturbances.push(disturbance);
            }
        }
    }

    /// Takes all recorded values.
    pub fn take(&mut self) -> Vec<(String, Vec<f64>)> {
        std::mem::take(&mut self.extra)
    }

    /// Takes all recorded disturbances.
    pub fn take_disturbances(&mut self) -> Vec<Disturbance> {
        std::mem::take(&mut self.disturbances)
    }
}
