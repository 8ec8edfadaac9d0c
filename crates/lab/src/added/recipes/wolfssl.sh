# Builds wolfCrypt with wolfSSL's default flags and all assembly for the processor, and a worker for it. wolfCrypt selects
# vector code at run time.
options=(--enable-cryptonly --enable-static --disable-shared --enable-all-asm --enable-mlkem --enable-mldsa
    --enable-slhdsa=yes,sha2 --enable-curve25519 --enable-ed25519 --disable-examples --disable-benchmark
    --disable-crypttests)
# autogen.sh writes to the source.
cp -R "$SOURCE/." "$BUILD"
chmod -R u+w "$BUILD"
cd "$BUILD"
bash autogen.sh
./configure --prefix="$BUILD/out" CC="$CC" "${options[@]}"
make -j "$JOBS"
make install
mkdir -p "$PREFIX/bin"
# No -std: wolfSSL's structures have other sizes in C99 than in the compiler's default, with which the library was built.
"$CC" -O2 -I "$BUILD/out/include" -I "$WORKERS" -o "$PREFIX/bin/wolfssl" "$WORKERS/wolfssl.c" \
    "$BUILD/out/lib/libwolfssl.a" -lm -pthread
printf 'flags=%s %s\n' "$(sed -n 's/^AM_CFLAGS = //p' Makefile | tr ' ' '\n' | grep '^-[Om]' | xargs)" "${options[*]}"
printf 'version=%s\n' "$("$PREFIX/bin/wolfssl" --version)"
