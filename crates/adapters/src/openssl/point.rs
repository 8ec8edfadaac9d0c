//! Computes the point for a scalar. Libraries before 3.4 need this, because they import a scalar without computing its
//! point.

use super::Calls;
use super::native::owned;
use pqlab_openssl_headers::POINT_CONVERSION_UNCOMPRESSED;
use pqlab_primitives::Result;
use std::ffi::c_int;
use std::ptr;

owned! {
    /// An elliptic curve.
    Group: EC_GROUP, EC_GROUP_free;
    /// A point on an elliptic curve.
    Point: EC_POINT, EC_POINT_free;
    /// An integer that is wiped when it is freed.
    Number: BIGNUM, BN_clear_free;
}

/// Writes the uncompressed point for a scalar to `out`, which must have exactly the right length. The scalar must be
/// below the group order.
pub(super) fn of_scalar<C: Calls>(calls: C, nid: c_int, scalar: &[u8], out: &mut [u8]) -> Result<()> {
    let length = c_int::try_from(scalar.len()).unwrap_or_default();
    // SAFETY: null is allowed for properties, the number to reuse, the second point and scratch
    // memory. This code owns the returned pointers. `length` is the length of `scalar`, and the
    // length of `out` is passed.
    unsafe {
        let group = calls.EC_GROUP_new_by_curve_name_ex(calls.context(), ptr::null(), nid);
        let group = Group::adopt(calls, "EC_GROUP_new_by_curve_name_ex", group)?;
        let number = calls.BN_bin2bn(scalar.as_ptr(), length, ptr::null_mut());
        let number = Number::adopt(calls, "BN_bin2bn", number)?;
        let point = Point::adopt(calls, "EC_POINT_new", calls.EC_POINT_new(group.as_ptr()))?;
        let scratch = ptr::null_mut();
        let multiplied =
            calls.EC_POINT_mul(group.as_ptr(), point.as_ptr(), number.as_ptr(), ptr::null(), ptr::null(), scratch);
        calls.check("EC_POINT_mul", multiplied)?;
        let form = POINT_CONVERSION_UNCOMPRESSED;
        let written =
            calls.EC_POINT_point2oct(group.as_ptr(), point.as_ptr(), form, out.as_mut_ptr(), out.len(), scratch);
        if written == out.len() { Ok(()) } else { Err(calls.fault("EC_POINT_point2oct")) }
    }
}
