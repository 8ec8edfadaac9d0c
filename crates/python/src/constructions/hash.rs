//! Hash functions and extendable-output functions, over one message or the rows of a matrix.

use crate::errors::{Answer, Failure, detached};
use crate::input::{Bytes, Whole};
use pqlab_lab::by_name;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Maximum output of one call in bytes, summed over all rows of a matrix.
const LONGEST_OUTPUT: usize = 1 << 30;
const LANES: usize = 8;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hash, module)?)?;
    module.add_function(wrap_pyfunction!(xof, module)?)?;
    module.add_function(wrap_pyfunction!(hash_rows, module)?)
}

/// Returns the digest of a message.
///
/// :param algorithm: Name of the hash function, such as ``SHA3-256``.
/// :param data: The message.
/// :param provider: Provider id (default is the first provider that offers the algorithm).
/// :raises pqlab.UnknownName: No provider with this id offers the algorithm.
#[pyfunction]
#[pyo3(signature = (algorithm, data, provider=None))]
fn hash<'py>(py: Python<'py>, algorithm: &str, data: Bytes<'_>, provider: Option<&str>) -> Answer<Bound<'py, PyBytes>> {
    let digest = detached(py, || {
        let function = by_name::hash(algorithm, provider)?.implementation;
        let mut digest = vec![0; function.info().digest];
        function.digest(&data, &mut digest)?;
        Ok(digest)
    })?;
    Ok(PyBytes::new(py, &digest))
}

/// Hashes a message with an extendable-output function, to an output of any length.
///
/// :param algorithm: Name of the function, such as ``SHAKE256``.
/// :param data: The message.
/// :param length: Length of the output in bytes, at most 2^30.
/// :param provider: Provider id (default is the first provider that offers the algorithm).
/// :raises pqlab.UnknownName: No provider with this id offers the algorithm.
#[pyfunction]
#[pyo3(signature = (algorithm, data, length, provider=None))]
fn xof<'py>(
    py: Python<'py>,
    algorithm: &str,
    data: Bytes<'_>,
    length: Whole<usize>,
    provider: Option<&str>,
) -> Answer<Bound<'py, PyBytes>> {
    check_length(length.0)?;
    let output = detached(py, || {
        let function = by_name::xof(algorithm, provider)?.implementation;
        let mut output = vec![0; length.0];
        function.digest(&data, &mut output)?;
        Ok(output)
    })?;
    Ok(PyBytes::new(py, &output))
}

fn check_length(length: usize) -> Answer<()> {
    if length <= LONGEST_OUTPUT {
        return Ok(());
    }
    Err(Failure::argument("length", format!("the output must be at most {LONGEST_OUTPUT} bytes, not {length}")))
}

/// Hashes each row of a byte matrix, eight rows at a time. Returns the concatenated digests and the length of one
/// digest.
#[pyfunction]
#[pyo3(signature = (algorithm, matrix, length, provider))]
pub(crate) fn hash_rows<'py>(
    py: Python<'py>,
    algorithm: &str,
    matrix: &Bound<'_, PyAny>,
    length: Option<Whole<usize>>,
    provider: Option<&str>,
) -> Answer<(Bound<'py, PyBytes>, usize)> {
    let (rows, columns, bytes) = bytes_of(matrix)?;
    let (digests, length) = detached(py, || {
        let lanes = by_name::eight_at_once(algorithm, provider)?;
        // Hash the last rows (fewer than eight) one by one, with the same library if possible.
        let hash = by_name::hash(algorithm, Some(&lanes.provider)).or_else(|_| by_name::hash(algorithm, None));
        let xof = by_name::xof(algorithm, Some(&lanes.provider)).or_else(|_| by_name::xof(algorithm, None));
        let output = match (&hash, length) {
            (Ok(hash), None) => hash.implementation.info().digest,
            (Ok(hash), Some(Whole(asked))) if asked == hash.implementation.info().digest => asked,
            (Ok(hash), Some(Whole(asked))) => {
                let fixed = hash.implementation.info().digest;
                let reason = format!("{algorithm} returns {fixed} bytes, not {asked}");
                return Err(Failure::argument("length", reason));
            }
            (Err(_), Some(Whole(asked))) => asked,
            (Err(_), None) => {
                let reason = format!("required, because {algorithm} has no fixed output length");
                return Err(Failure::argument("length", reason));
            }
        };
        check_length(output.saturating_mul(rows))?;
        let mut out = vec![0; output * rows];
        if output == 0 || rows == 0 {
            return Ok((out, output));
        }
        let row = |place: usize| &bytes[place * columns..(place + 1) * columns];
        for (place, outs) in out.chunks_mut(output * LANES).enumerate() {
            let first = place * LANES;
            if outs.len() == output * LANES {
                let messages: [&[u8]; LANES] = std::array::from_fn(|lane| row(first + lane));
                let mut outs: Vec<&mut [u8]> = outs.chunks_mut(output).collect();
                lanes.implementation.digest(&messages, &mut outs)?;
                continue;
            }
            for (lane, out) in outs.chunks_mut(output).enumerate() {
                match (&hash, &xof) {
                    (Ok(hash), _) => hash.implementation.digest(row(first + lane), out)?,
                    (_, Ok(xof)) => xof.implementation.digest(row(first + lane), out)?,
                    _ => {
                        return Err(Failure::argument(
                            "algorithm",
                            format!("no provider offers {algorithm} for single messages"),
                        ));
                    }
                }
            }
        }
        Ok((out, output))
    })?;
    Ok((PyBytes::new(py, &digests), length))
}

/// Returns the number of rows, the number of columns, and the bytes of a matrix, row by row.
fn bytes_of(matrix: &Bound<'_, PyAny>) -> Answer<(usize, usize, Vec<u8>)> {
    let none = |_| Failure::from(PyTypeError::new_err("matrix: expected a two-dimensional buffer of bytes"));
    let buffer = PyBuffer::<u8>::get(matrix).map_err(none)?;
    let &[rows, columns] = buffer.shape() else {
        let dimensions = buffer.dimensions();
        return Err(Failure::argument("matrix", format!("needs two dimensions, not {dimensions}")));
    };
    Ok((rows, columns, buffer.to_vec(matrix.py())?))
}
