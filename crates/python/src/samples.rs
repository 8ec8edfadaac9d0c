//! Samples that Python reads in place, through the buffer protocol.

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Samples>()
}

/// Read-only buffer of 64-bit floats. `numpy.asarray` and `memoryview` do not copy the samples.
#[pyclass(frozen, sequence, module = "pqlab._pqlab")]
pub(crate) struct Samples {
    numbers: Vec<f64>,
    /// Number of elements. Buffer views point to this field.
    shape: [ffi::Py_ssize_t; 1],
    /// Bytes from one element to the next. Buffer views point to this field.
    strides: [ffi::Py_ssize_t; 1],
}

impl Samples {
    pub(crate) fn new(numbers: Vec<f64>) -> Samples {
        // The length always fits, because an allocation is at most `isize::MAX` bytes long.
        let length = ffi::Py_ssize_t::try_from(numbers.len()).unwrap_or(ffi::Py_ssize_t::MAX);
        Samples { numbers, shape: [length], strides: [size_of::<f64>() as ffi::Py_ssize_t] }
    }
}

#[pymethods]
impl Samples {
    fn __len__(&self) -> usize {
        self.numbers.len()
    }

    /// Fills `view` with a read-only view of the samples.
    ///
    /// # Safety
    /// `view` must be null or point to a writable `Py_buffer`, as the buffer protocol requires.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("the view is null"));
        }
        let refused = (flags & ffi::PyBUF_WRITABLE) == ffi::PyBUF_WRITABLE;
        let this = slf.get();
        let wants = |flag: c_int| flags & flag == flag;
        // SAFETY: the interpreter passes a writable view that it owns. The pointers stored in the view point into this
        // object, which is frozen: the object neither changes nor moves while the view holds a reference to it.
        unsafe {
            (*view).obj = ptr::null_mut();
            if refused {
                return Err(PyBufferError::new_err("samples are read-only"));
            }
            (*view).buf = this.numbers.as_ptr().cast_mut().cast::<c_void>();
            (*view).len = this.shape[0] * this.strides[0];
            (*view).readonly = 1;
            (*view).itemsize = this.strides[0];
            (*view).ndim = 1;
            (*view).format =
                if wants(ffi::PyBUF_FORMAT) { c"d".as_ptr().cast_mut().cast::<c_char>() } else { ptr::null_mut() };
            (*view).shape = if wants(ffi::PyBUF_ND) { this.shape.as_ptr().cast_mut() } else { ptr::null_mut() };
            (*view).strides =
                if wants(ffi::PyBUF_STRIDES) { this.strides.as_ptr().cast_mut() } else { ptr::null_mut() };
            (*view).suboffsets = ptr::null_mut();
            (*view).internal = ptr::null_mut();
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }
}
