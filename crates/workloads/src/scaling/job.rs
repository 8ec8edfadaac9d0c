use pqlab_harness::Fault;

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
