# Builds liboqs with all algorithms that it enables by default, with vector code that is selected at run time, and with
# its own hash functions and AES, as in the linked library.
options=(-DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DOQS_BUILD_ONLY_LIB=ON -DOQS_DIST_BUILD=ON
    -DOQS_USE_OPENSSL=OFF)
cmake -S "$SOURCE" -B "$BUILD" -DCMAKE_C_COMPILER="$CC" "${options[@]}"
cmake --build "$BUILD" --parallel "$JOBS"
mkdir -p "$PREFIX/lib" "$PREFIX/include"
cp -L "$BUILD/lib/liboqs.so" "$PREFIX/lib/liboqs.so"
cp -R "$BUILD/include/oqs" "$PREFIX/include/"
define() { sed -n "s/^#define $1 \"\(.*\)\"$/\1/p" "$PREFIX/include/oqs/oqsconfig.h"; }
printf 'flags=%s, %s\n' "$(define OQS_COMPILE_BUILD_TARGET)" "${options[*]}"
printf 'version=liboqs %s\n' "$(define OQS_VERSION_TEXT)"
