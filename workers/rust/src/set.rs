//! Sets of inputs, each with its operation and its latest result.

use crate::Failure;

/// A set of inputs, ready for its operation.
pub(crate) trait Set {
    /// Performs the operation and stores its result. Nothing else is timed.
    fn run(&mut self) -> Result<(), Failure>;
    /// Returns the latest result as bytes.
    fn outputs(&self) -> Result<Vec<Vec<u8>>, Failure>;
    /// Drops the results that later ones replaced.
    fn drop_replaced(&mut self) {}
}

/// Result of preparing an operation.
pub(crate) type Prepared = Result<Box<dyn Set>, Failure>;

const NO_RESULT: &str = "the operation was not performed";

/// Set for an operation whose result is bytes.
struct Computation<T, R, O> {
    run: R,
    outputs: O,
    last: Option<T>,
}

impl<T, R: FnMut() -> Result<T, Failure>, O: Fn(&T) -> Vec<Vec<u8>>> Set for Computation<T, R, O> {
    fn run(&mut self) -> Result<(), Failure> {
        self.last = Some((self.run)()?);
        Ok(())
    }

    fn outputs(&self) -> Result<Vec<Vec<u8>>, Failure> {
        self.last.as_ref().map(&self.outputs).ok_or_else(|| Failure::Error(NO_RESULT.to_owned()))
    }
}

/// Creates a set from the timed operation and a function that returns the operation's result as bytes.
pub(crate) fn computation<T: 'static>(
    run: impl FnMut() -> Result<T, Failure> + 'static,
    outputs: impl Fn(&T) -> Vec<Vec<u8>> + 'static,
) -> Prepared {
    Ok(Box::new(Computation { run, outputs, last: None }))
}

/// Set for key generation. Keeps replaced keys, so that neither dropping nor wiping them is timed.
struct Generation<T, R, O> {
    run: R,
    outputs: O,
    last: Option<Box<T>>,
    replaced: Vec<Box<T>>,
}

impl<T, R: FnMut() -> Result<T, Failure>, O: Fn(&T) -> Result<[Vec<u8>; 2], Failure>> Set for Generation<T, R, O> {
    fn run(&mut self) -> Result<(), Failure> {
        let key = Box::new((self.run)()?);
        self.replaced.extend(self.last.replace(key));
        Ok(())
    }

    fn outputs(&self) -> Result<Vec<Vec<u8>>, Failure> {
        let key = self.last.as_ref().ok_or_else(|| Failure::Error(NO_RESULT.to_owned()))?;
        (self.outputs)(key).map(Vec::from)
    }

    fn drop_replaced(&mut self) {
        self.replaced.clear();
    }
}

/// Creates a set that generates keys, from the timed operation and a function that encodes a key pair.
pub(crate) fn generation<T: 'static>(
    run: impl FnMut() -> Result<T, Failure> + 'static,
    outputs: impl Fn(&T) -> Result<[Vec<u8>; 2], Failure> + 'static,
) -> Prepared {
    Ok(Box::new(Generation { run, outputs, last: None, replaced: Vec::new() }))
}

/// Creates a set without inputs and without a result, which measures the loop.
pub(crate) fn nothing(_: &[&[u8]]) -> Prepared {
    computation(|| Ok(()), |()| Vec::new())
}
