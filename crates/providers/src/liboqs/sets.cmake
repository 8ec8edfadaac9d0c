# Leaves out the SPHINCS+ parameter sets that pqlab does not measure. The crate oqs-sys can only enable all twelve, which
# take a third of liboqs' build. .cargo/config.toml passes this file to CMake as the toolchain file, because oqs-sys has
# no other setting that reaches CMake. Without it, liboqs is built with all sets and behaves the same.
foreach(set IN ITEMS sha2_128s sha2_192f sha2_192s sha2_256f sha2_256s
        shake_128f shake_128s shake_192f shake_192s shake_256f shake_256s)
    set(OQS_ENABLE_SIG_sphincs_${set}_simple OFF CACHE BOOL "not measured by pqlab")
endforeach()
