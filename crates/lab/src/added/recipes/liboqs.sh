# Builds liboqs with all algorithms that it enables by default, with vector code that is selected at run time, and with
# its own hash functions and AES, as in the linked library.
options=(-DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DOQS_BUILD_ONLY_LIB=ON -DOQS_DIST_BUILD=ON
    -DOQS_USE_OPENSSL=OFF)
cmake -S "$SOURCE" -B "$BUILD" -DCMAKE_C_COMPILER="$CC" "${options[@]}"
cmake --build "$BUILD" --parallel "$JOBS"
mkdir -p "$PREFIX/lib"
cp -L "$BUILD/lib/liboqs.so" "$PREFIX/lib/liboqs.so"
printf 'flags=%s %s\n' "$(sed -n 's/^CMAKE_C_FLAGS_RELEASE:STRING=//p' "$BUILD/CMakeCache.txt")" "${options[*]}"
printf 'version=liboqs %s\n' "$(sed -n 's/^#define OQS_VERSION_TEXT "\(.*\)"$/\1/p' "$BUILD/include/oqs/oqsconfig.h")"
