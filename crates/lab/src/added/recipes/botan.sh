# Builds Botan with its default flags, and a worker for it. Botan selects vector code at run time.
#
# Botan's documentation describes minimized builds with the modules that a program needs. The patterns enable all
# implementations of the hash functions for the processor.
modules=(ffi system_rng ml_kem ml_dsa slh_dsa_sha2 slh_dsa_shake x25519 ed25519 ecdsa rfc6979
    pcurves_secp256r1 pcurves_secp384r1 'sha2_32*' 'sha2_64*' sha3 'keccak_perm*')
options=(--minimized-build "--enable-modules=$(IFS=,; printf '%s' "${modules[*]}")")

# The crate contains the release as an archive.
if [[ ! -e $SOURCE/configure.py ]]; then
    tar -C "$BUILD" -xf "$SOURCE"/Botan-*.tar.xz
    SOURCE=$(printf '%s' "$BUILD"/Botan-*)
fi
cd "$SOURCE"
python3 -B configure.py --quiet --cc-bin="$CXX" --with-build-dir="$BUILD/out" --build-targets=static \
    --without-documentation --no-install-python-module "${options[@]}"
make -f "$BUILD/out/Makefile" -j "$JOBS" libs

mkdir -p "$PREFIX/bin"
"$CC" -std=gnu99 -O2 -I "$BUILD/out/build/include/public" -I "$WORKERS" -c -o "$BUILD/worker.o" "$WORKERS/botan.c"
"$CXX" -Wl,--strip-debug -o "$PREFIX/bin/botan" "$BUILD/worker.o" "$BUILD/out/libbotan-3.a" -pthread
printf 'flags=%s, %s\n' "$(sed -n 's/^CXXFLAGS *= *//p' "$BUILD/out/Makefile")" "${options[*]}"
printf 'version=%s\n' "$("$PREFIX/bin/botan" --version)"
