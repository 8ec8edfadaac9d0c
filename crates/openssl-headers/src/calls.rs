//! Declarations of functions for keys, signatures and digests.

/// Passes the function declarations to another macro, which turns them into extern declarations, a lookup table or a
/// trait. Some versions since 3.0 lack the functions after `optional`.
///
/// The module that invokes this macro must import the types and constants of this crate, and `c_char`, `c_int`,
/// `c_uint`, `c_ulong` and `c_void` from `core::ffi`.
#[macro_export]
macro_rules! openssl_calls {
    ($then:ident) => {
        $then! {
            /// See OpenSSL_version(3).
            fn OpenSSL_version(what: c_int) -> *const c_char;
            /// See ERR_get_error(3).
            fn ERR_get_error_all(
                file: *mut *const c_char,
                line: *mut c_int,
                function: *mut *const c_char,
                data: *mut *const c_char,
                flags: *mut c_int,
            ) -> c_ulong;
            /// See ERR_error_string(3).
            fn ERR_reason_error_string(error: c_ulong) -> *const c_char;
            /// See ERR_clear_error(3).
            fn ERR_clear_error();
            /// Overwrites `length` bytes with zeros and frees them. See OPENSSL_malloc(3).
            fn CRYPTO_clear_free(memory: *mut c_void, length: usize, file: *const c_char, line: c_int);

            /// See EVP_KEYMGMT(3).
            fn EVP_KEYMGMT_fetch(
                libctx: *mut OSSL_LIB_CTX,
                name: *const c_char,
                properties: *const c_char,
            ) -> *mut EVP_KEYMGMT;
            /// See EVP_KEYMGMT(3).
            fn EVP_KEYMGMT_free(management: *mut EVP_KEYMGMT);
            /// See EVP_PKEY_new(3).
            fn EVP_PKEY_free(key: *mut EVP_PKEY);
            /// See EVP_PKEY_new(3).
            fn EVP_PKEY_new_raw_private_key_ex(
                libctx: *mut OSSL_LIB_CTX,
                key_type: *const c_char,
                properties: *const c_char,
                key: *const u8,
                length: usize,
            ) -> *mut EVP_PKEY;
            /// See EVP_PKEY_new(3).
            fn EVP_PKEY_new_raw_public_key_ex(
                libctx: *mut OSSL_LIB_CTX,
                key_type: *const c_char,
                properties: *const c_char,
                key: *const u8,
                length: usize,
            ) -> *mut EVP_PKEY;
            /// See EVP_PKEY_new(3).
            fn EVP_PKEY_get_raw_private_key(key: *const EVP_PKEY, out: *mut u8, length: *mut usize) -> c_int;
            /// See EVP_PKEY_new(3).
            fn EVP_PKEY_get_raw_public_key(key: *const EVP_PKEY, out: *mut u8, length: *mut usize) -> c_int;
            /// See EVP_PKEY_gettable_params(3).
            fn EVP_PKEY_get_params(key: *const EVP_PKEY, params: *mut OSSL_PARAM) -> c_int;
            /// See EVP_PKEY_gettable_params(3).
            fn EVP_PKEY_get_octet_string_param(
                key: *const EVP_PKEY,
                name: *const c_char,
                out: *mut u8,
                room: usize,
                length: *mut usize,
            ) -> c_int;
            /// See EVP_PKEY_get_size(3).
            fn EVP_PKEY_get_bits(key: *const EVP_PKEY) -> c_int;

            /// See EVP_PKEY_CTX_new(3).
            fn EVP_PKEY_CTX_new_from_name(
                libctx: *mut OSSL_LIB_CTX,
                name: *const c_char,
                properties: *const c_char,
            ) -> *mut EVP_PKEY_CTX;
            /// See EVP_PKEY_CTX_new(3).
            fn EVP_PKEY_CTX_new_from_pkey(
                libctx: *mut OSSL_LIB_CTX,
                key: *mut EVP_PKEY,
                properties: *const c_char,
            ) -> *mut EVP_PKEY_CTX;
            /// See EVP_PKEY_CTX_new(3).
            fn EVP_PKEY_CTX_free(ctx: *mut EVP_PKEY_CTX);
            /// See EVP_PKEY_CTX_set_params(3).
            fn EVP_PKEY_CTX_set_params(ctx: *mut EVP_PKEY_CTX, params: *const OSSL_PARAM) -> c_int;
            /// See EVP_PKEY_CTX_set_params(3).
            fn EVP_PKEY_CTX_settable_params(ctx: *const EVP_PKEY_CTX) -> *const OSSL_PARAM;
            /// See EVP_PKEY_fromdata(3).
            fn EVP_PKEY_fromdata_init(ctx: *mut EVP_PKEY_CTX) -> c_int;
            /// See EVP_PKEY_fromdata(3).
            fn EVP_PKEY_fromdata(
                ctx: *mut EVP_PKEY_CTX,
                key: *mut *mut EVP_PKEY,
                selection: c_int,
                params: *mut OSSL_PARAM,
            ) -> c_int;
            /// See EVP_PKEY_keygen(3).
            fn EVP_PKEY_keygen_init(ctx: *mut EVP_PKEY_CTX) -> c_int;
            /// See EVP_PKEY_keygen(3).
            fn EVP_PKEY_generate(ctx: *mut EVP_PKEY_CTX, key: *mut *mut EVP_PKEY) -> c_int;
            /// See EVP_PKEY_check(3).
            fn EVP_PKEY_private_check(ctx: *mut EVP_PKEY_CTX) -> c_int;

            /// See EVP_PKEY_encapsulate(3).
            fn EVP_PKEY_encapsulate_init(ctx: *mut EVP_PKEY_CTX, params: *const OSSL_PARAM) -> c_int;
            /// See EVP_PKEY_encapsulate(3).
            fn EVP_PKEY_encapsulate(
                ctx: *mut EVP_PKEY_CTX,
                ciphertext: *mut u8,
                ciphertext_length: *mut usize,
                secret: *mut u8,
                secret_length: *mut usize,
            ) -> c_int;
            /// See EVP_PKEY_decapsulate(3).
            fn EVP_PKEY_decapsulate_init(ctx: *mut EVP_PKEY_CTX, params: *const OSSL_PARAM) -> c_int;
            /// See EVP_PKEY_decapsulate(3).
            fn EVP_PKEY_decapsulate(
                ctx: *mut EVP_PKEY_CTX,
                secret: *mut u8,
                secret_length: *mut usize,
                ciphertext: *const u8,
                ciphertext_length: usize,
            ) -> c_int;

            /// See EVP_PKEY_derive(3).
            fn EVP_PKEY_derive_init(ctx: *mut EVP_PKEY_CTX) -> c_int;
            /// See EVP_PKEY_derive(3).
            fn EVP_PKEY_derive_set_peer_ex(ctx: *mut EVP_PKEY_CTX, peer: *mut EVP_PKEY, validate: c_int) -> c_int;
            /// See EVP_PKEY_derive(3).
            fn EVP_PKEY_derive(ctx: *mut EVP_PKEY_CTX, secret: *mut u8, length: *mut usize) -> c_int;

            /// See EVP_SIGNATURE(3).
            fn EVP_SIGNATURE_fetch(
                libctx: *mut OSSL_LIB_CTX,
                name: *const c_char,
                properties: *const c_char,
            ) -> *mut EVP_SIGNATURE;
            /// See EVP_SIGNATURE(3).
            fn EVP_SIGNATURE_free(algorithm: *mut EVP_SIGNATURE);
            /// See EVP_PKEY_sign(3).
            fn EVP_PKEY_sign_init_ex(ctx: *mut EVP_PKEY_CTX, params: *const OSSL_PARAM) -> c_int;
            /// See EVP_PKEY_sign(3).
            fn EVP_PKEY_sign(
                ctx: *mut EVP_PKEY_CTX,
                signature: *mut u8,
                signature_length: *mut usize,
                message: *const u8,
                message_length: usize,
            ) -> c_int;
            /// See EVP_PKEY_verify(3).
            fn EVP_PKEY_verify_init_ex(ctx: *mut EVP_PKEY_CTX, params: *const OSSL_PARAM) -> c_int;
            /// See EVP_PKEY_verify(3).
            fn EVP_PKEY_verify(
                ctx: *mut EVP_PKEY_CTX,
                signature: *const u8,
                signature_length: usize,
                message: *const u8,
                message_length: usize,
            ) -> c_int;
            /// See EVP_DigestSignInit(3).
            fn EVP_DigestSignInit_ex(
                ctx: *mut EVP_MD_CTX,
                inner: *mut *mut EVP_PKEY_CTX,
                digest: *const c_char,
                libctx: *mut OSSL_LIB_CTX,
                properties: *const c_char,
                key: *mut EVP_PKEY,
                params: *const OSSL_PARAM,
            ) -> c_int;
            /// See EVP_DigestSignInit(3).
            fn EVP_DigestSign(
                ctx: *mut EVP_MD_CTX,
                signature: *mut u8,
                signature_length: *mut usize,
                message: *const u8,
                message_length: usize,
            ) -> c_int;
            /// See EVP_DigestVerifyInit(3).
            fn EVP_DigestVerifyInit_ex(
                ctx: *mut EVP_MD_CTX,
                inner: *mut *mut EVP_PKEY_CTX,
                digest: *const c_char,
                libctx: *mut OSSL_LIB_CTX,
                properties: *const c_char,
                key: *mut EVP_PKEY,
                params: *const OSSL_PARAM,
            ) -> c_int;
            /// See EVP_DigestVerifyInit(3).
            fn EVP_DigestVerify(
                ctx: *mut EVP_MD_CTX,
                signature: *const u8,
                signature_length: usize,
                message: *const u8,
                message_length: usize,
            ) -> c_int;

            /// See EVP_MD_fetch(3).
            fn EVP_MD_fetch(
                libctx: *mut OSSL_LIB_CTX,
                name: *const c_char,
                properties: *const c_char,
            ) -> *mut EVP_MD;
            /// See EVP_MD_free(3).
            fn EVP_MD_free(md: *mut EVP_MD);
            /// See EVP_MD_CTX_new(3).
            fn EVP_MD_CTX_new() -> *mut EVP_MD_CTX;
            /// See EVP_MD_CTX_free(3).
            fn EVP_MD_CTX_free(ctx: *mut EVP_MD_CTX);
            /// See EVP_DigestInit(3).
            fn EVP_DigestInit_ex2(ctx: *mut EVP_MD_CTX, md: *const EVP_MD, params: *const OSSL_PARAM) -> c_int;
            /// See EVP_DigestInit(3).
            fn EVP_DigestUpdate(ctx: *mut EVP_MD_CTX, data: *const c_void, length: usize) -> c_int;
            /// See EVP_DigestInit(3).
            fn EVP_DigestFinal_ex(ctx: *mut EVP_MD_CTX, out: *mut u8, length: *mut c_uint) -> c_int;
            /// Returns all of the output, and may be called only once. See EVP_DigestInit(3).
            fn EVP_DigestFinalXOF(ctx: *mut EVP_MD_CTX, out: *mut u8, length: usize) -> c_int;

            /// See OSSL_DECODER_CTX_new_for_pkey(3).
            fn OSSL_DECODER_CTX_new_for_pkey(
                key: *mut *mut EVP_PKEY,
                input_type: *const c_char,
                input_structure: *const c_char,
                key_type: *const c_char,
                selection: c_int,
                libctx: *mut OSSL_LIB_CTX,
                properties: *const c_char,
            ) -> *mut OSSL_DECODER_CTX;
            /// See OSSL_DECODER_from_bio(3).
            fn OSSL_DECODER_from_data(
                ctx: *mut OSSL_DECODER_CTX,
                data: *mut *const u8,
                length: *mut usize,
            ) -> c_int;
            /// See OSSL_DECODER_CTX(3).
            fn OSSL_DECODER_CTX_free(ctx: *mut OSSL_DECODER_CTX);
            /// See OSSL_ENCODER_CTX_new_for_pkey(3).
            fn OSSL_ENCODER_CTX_new_for_pkey(
                key: *const EVP_PKEY,
                selection: c_int,
                output_type: *const c_char,
                output_structure: *const c_char,
                properties: *const c_char,
            ) -> *mut OSSL_ENCODER_CTX;
            /// See OSSL_ENCODER_to_bio(3).
            fn OSSL_ENCODER_to_data(ctx: *mut OSSL_ENCODER_CTX, data: *mut *mut u8, length: *mut usize) -> c_int;
            /// See OSSL_ENCODER_CTX(3).
            fn OSSL_ENCODER_CTX_free(ctx: *mut OSSL_ENCODER_CTX);

            /// See EC_GROUP_new(3).
            fn EC_GROUP_new_by_curve_name_ex(
                libctx: *mut OSSL_LIB_CTX,
                properties: *const c_char,
                nid: c_int,
            ) -> *mut EC_GROUP;
            /// See EC_GROUP_new(3).
            fn EC_GROUP_free(group: *mut EC_GROUP);
            /// See EC_POINT_new(3).
            fn EC_POINT_new(group: *const EC_GROUP) -> *mut EC_POINT;
            /// See EC_POINT_new(3).
            fn EC_POINT_free(point: *mut EC_POINT);
            /// Multiplies points. See EC_POINT_add(3). The scratch memory is a `BN_CTX`; pqlab passes only null.
            fn EC_POINT_mul(
                group: *const EC_GROUP,
                out: *mut EC_POINT,
                number: *const BIGNUM,
                point: *const EC_POINT,
                factor: *const BIGNUM,
                scratch: *mut c_void,
            ) -> c_int;
            /// See EC_POINT_new(3).
            fn EC_POINT_point2oct(
                group: *const EC_GROUP,
                point: *const EC_POINT,
                form: c_int,
                out: *mut u8,
                room: usize,
                scratch: *mut c_void,
            ) -> usize;
            /// See BN_bn2bin(3).
            fn BN_bin2bn(bytes: *const u8, length: c_int, out: *mut BIGNUM) -> *mut BIGNUM;
            /// See BN_new(3).
            fn BN_clear_free(number: *mut BIGNUM);
            optional
            /// Returns the next output bytes on every call. Available since 3.3. See EVP_DigestInit(3).
            fn EVP_DigestSqueeze(ctx: *mut EVP_MD_CTX, out: *mut u8, length: usize) -> c_int;
            /// Available since 3.4. See EVP_PKEY_sign(3).
            fn EVP_PKEY_sign_init_ex2(
                ctx: *mut EVP_PKEY_CTX,
                algorithm: *mut EVP_SIGNATURE,
                params: *const OSSL_PARAM,
            ) -> c_int;
            /// Available since 3.4. See EVP_PKEY_sign(3).
            fn EVP_PKEY_sign_message_init(
                ctx: *mut EVP_PKEY_CTX,
                algorithm: *mut EVP_SIGNATURE,
                params: *const OSSL_PARAM,
            ) -> c_int;
            /// Available since 3.4. See EVP_PKEY_verify(3).
            fn EVP_PKEY_verify_init_ex2(
                ctx: *mut EVP_PKEY_CTX,
                algorithm: *mut EVP_SIGNATURE,
                params: *const OSSL_PARAM,
            ) -> c_int;
            /// Available since 3.4. See EVP_PKEY_verify(3).
            fn EVP_PKEY_verify_message_init(
                ctx: *mut EVP_PKEY_CTX,
                algorithm: *mut EVP_SIGNATURE,
                params: *const OSSL_PARAM,
            ) -> c_int;
        }
    };
}
