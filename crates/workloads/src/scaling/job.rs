use pqlab_harness::{Fault, Recorder, Trial};

/// What one thread does again and again, with keys and buffers that no other thread has.
pub(crate) trait Job: Send {
    /// Clears outputs, so that an answer of before cannot pass for one of now. Not timed.
    fn refill(&mut self) -> Result<(), Fault>;

    /// Performs `count` operations, each of them whole.
    fn perform(&mut self, count: usize) -> Result<(), Fault>;

    /// Whether the last answer is right, if any operation was performed since [`refill`](Self::refill). Not timed.
    ///
    /// # Errors
    /// [`Fault::WrongAnswer`], which voids all samples of the case.
    fn verify(&mut self) -> Result<(), Fault>;
}

/// A trial of one thread as a job: what is done on several threads is then what is measured on one, and verified as there.
pub(crate) struct TrialJob<T> {
    trial: T,
    performed: bool,
}

impl<T: Trial + Send> TrialJob<T> {
    /// A job of this trial, whose inputs last for any number of operations after a refill.
    pub(crate) fn new(trial: T) -> TrialJob<T> {
        TrialJob { trial, performed: false }
    }
}

impl<T: Trial + Send> Job for TrialJob<T> {
    fn refill(&mut self) -> Result<(), Fault> {
        self.performed = false;
        self.trial.refill(1)
    }

    fn perform(&mut self, count: usize) -> Result<(), Fault> {
        self.trial.run(count, &mut Recorder::default())?;
        self.performed = true;
        Ok(())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        if self.performed { self.trial.verify() } else { Ok(()) }
    }
}
