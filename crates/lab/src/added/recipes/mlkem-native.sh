# Builds a worker for mlkem-native with the flags of its example `multilevel_build_native`. mlkem-native chooses its
# vector code when it is compiled, so the flags depend on this processor.
features=()
case $(uname -m) in
x86_64)
    for feature in avx2 bmi2; do
        if grep -qw "$feature" /proc/cpuinfo; then features+=("-m$feature"); fi
    done
    ;;
aarch64)
    if grep -qw sha3 /proc/cpuinfo; then features+=(-march=armv8.4-a+sha3); fi
    ;;
esac
flags=(-O3 -fomit-frame-pointer -std=c99 "${features[@]}")
options=(-DMLK_CONFIG_MULTILEVEL_BUILD -DMLK_CONFIG_NAMESPACE_PREFIX=mlkem
    -DMLK_CONFIG_USE_NATIVE_BACKEND_ARITH -DMLK_CONFIG_USE_NATIVE_BACKEND_FIPS202)
version="of unknown version"
if [[ -e $SOURCE/.git ]]; then
    version=$(git -C "$SOURCE" describe --tags --always --dirty | sed 's/^v//')
fi

cd "$BUILD"
shared=-DMLK_CONFIG_MULTILEVEL_WITH_SHARED
"$CC" "${flags[@]}" "${options[@]}" "$shared" -DMLK_CONFIG_PARAMETER_SET=512 -I "$SOURCE/mlkem" -c -o assembly.o \
    "$SOURCE/mlkem/mlkem_native_asm.S"
for set in 512 768 1024; do
    "$CC" "${flags[@]}" "${options[@]}" "$shared" -DMLK_CONFIG_PARAMETER_SET="$set" -I "$SOURCE/mlkem" -c -o "$set.o" \
        "$SOURCE/mlkem/mlkem_native.c"
    shared=-DMLK_CONFIG_MULTILEVEL_NO_SHARED
done
mkdir -p "$PREFIX/bin"
"$CC" -std=gnu99 -O2 "${options[@]}" -DVERSION="\"$version\"" -I "$SOURCE/mlkem" -I "$WORKERS" \
    -o "$PREFIX/bin/mlkem-native" "$WORKERS/mlkem-native.c" assembly.o 512.o 768.o 1024.o
printf 'flags=%s %s\n' "${flags[*]}" "${options[*]}"
printf 'version=%s\n' "$("$PREFIX/bin/mlkem-native" --version)"
