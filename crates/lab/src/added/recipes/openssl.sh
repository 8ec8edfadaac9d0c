# Builds libcrypto.so with OpenSSL's default flags for the platform, and with the optimized arithmetic for NIST curves
# that distributions enable. OpenSSL selects vector code at run time.
#
# The crate lacks the scripts that OpenSSL's build needs to link a shared library. The recipe therefore builds the
# archive, which is position-independent, and links it with the linker flags of OpenSSL's build.
options=(no-shared no-module no-tests no-docs no-apps no-legacy)
case $(uname -m) in
x86_64 | aarch64) options+=(enable-ec_nistp_64_gcc_128) ;;
esac
cd "$BUILD"
# --openssldir keeps the library from reading the system's configuration.
perl "$SOURCE/Configure" --prefix="$PREFIX" --libdir=lib --openssldir="$PREFIX/ssl" "${options[@]}"
make -s -j "$JOBS" build_generated
make -s -j "$JOBS" libcrypto.a
mkdir -p "$PREFIX/lib"
"$CC" -shared -Wl,-Bsymbolic -Wl,-z,nodelete -Wl,-z,defs -o "$PREFIX/lib/libcrypto.so" \
    -Wl,--whole-archive libcrypto.a -Wl,--no-whole-archive -ldl -pthread
cat >version.c <<'C'
#include <openssl/crypto.h>
#include <stdio.h>
int main(void) {
    puts(OpenSSL_version(OPENSSL_CFLAGS));
    puts(OpenSSL_version(OPENSSL_VERSION));
}
C
"$CC" -I include -I "$SOURCE/include" -o version version.c -L "$PREFIX/lib" -lcrypto
mapfile -t texts < <(LD_LIBRARY_PATH=$PREFIX/lib ./version)
printf 'flags=%s, %s\n' "${texts[0]#compiler: }" "${options[*]}"
printf 'version=%s\n' "${texts[1]}"
