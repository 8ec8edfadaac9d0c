//! Conversion of Python arguments.

use crate::errors::{Answer, Failure};
use pqlab_lab::primitives::Wiped;
use pyo3::buffer::PyBuffer;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ops::Deref;

/// An integer argument. An out-of-range number raises `InvalidArgument` instead of `OverflowError`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole<T>(pub(crate) T);

impl<'a, 'py, T: FromPyObject<'a, 'py>> FromPyObject<'a, 'py> for Whole<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Whole<T>> {
        object.extract::<T>().map(Whole).map_err(|error| {
            let error: PyErr = error.into();
            if error.is_instance_of::<PyOverflowError>(object.py()) {
                let shown = object.str().map_or_else(|_| "a number".to_owned(), |text| text.to_string());
                return Failure::argument("number", format!("{shown:.40} is out of range")).into();
            }
            error
        })
    }
}

/// Returns a field of a mapping.
pub(crate) fn field<'py, T: FromPyObjectOwned<'py>>(fields: &Bound<'py, PyAny>, name: &str) -> Answer<T> {
    let value = fields.get_item(name)?;
    value.extract::<T>().map_err(|error| Failure::from(error.into()))
}

/// Bytes of an argument. A `bytes` object is borrowed. Any other buffer is copied, because other threads could modify
/// it.
pub(crate) enum Bytes<'a> {
    Borrowed(&'a [u8]),
    Copied(Wiped<Vec<u8>>),
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Borrowed(bytes) => bytes,
            Bytes::Copied(bytes) => bytes,
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Bytes<'a> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Bytes<'a>> {
        if object.is_instance_of::<PyBytes>() {
            return object.extract::<&'a [u8]>().map(Bytes::Borrowed).map_err(Into::into);
        }
        let buffer = PyBuffer::<u8>::get(&object).map_err(|_| {
            let found = object.get_type().name().map_or_else(|_| "this".to_owned(), |name| name.to_string());
            PyTypeError::new_err(format!("expected bytes or a buffer of bytes, not '{found}'"))
        })?;
        Ok(Bytes::Copied(Wiped::new(buffer.to_vec(object.py())?)))
    }
}
