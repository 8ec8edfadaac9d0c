# Builds BoringSSL's libcrypto in its release configuration, and a worker for it. BoringSSL selects vector code at run
# time.
options=(-DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF)
cmake -S "$SOURCE" -B "$BUILD" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" "${options[@]}"
cmake --build "$BUILD" --parallel "$JOBS" --target crypto

# BoringSSL has no versions. The number of its interface and the crate or commit identify it.
interface=$(sed -n 's/^#define BORINGSSL_API_VERSION //p' "$SOURCE/include/openssl/base.h")
origin="of unknown origin"
if [[ -e $SOURCE/.git ]]; then
    origin=$(git -C "$SOURCE" describe --tags --always --dirty)
elif [[ -e $SOURCE/../../Cargo.toml ]]; then
    origin="from boring-sys $(sed -n 's/^version = "\(.*\)"/\1/p' "$SOURCE/../../Cargo.toml" | head -n 1)"
fi
mkdir -p "$PREFIX/bin"
"$CC" -std=gnu99 -O2 -DVERSION="\"API $interface, $origin\"" -I "$SOURCE/include" -I "$WORKERS" -c \
    -o "$BUILD/worker.o" "$WORKERS/boringssl.c"
"$CXX" -Wl,--strip-debug -o "$PREFIX/bin/boringssl" "$BUILD/worker.o" "$BUILD/libcrypto.a" -pthread
printf 'flags=%s %s\n' "$(sed -n 's/^CMAKE_CXX_FLAGS_RELEASE:STRING=//p' "$BUILD/CMakeCache.txt")" "${options[*]}"
printf 'version=%s\n' "$("$PREFIX/bin/boringssl" --version)"
