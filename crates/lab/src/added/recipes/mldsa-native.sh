# Builds a worker for mldsa-native with the flags of its example `multilevel_build_native`. mldsa-native chooses its
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
options=(-DMLD_CONFIG_MULTILEVEL_BUILD -DMLD_CONFIG_NAMESPACE_PREFIX=mldsa
    -DMLD_CONFIG_USE_NATIVE_BACKEND_ARITH -DMLD_CONFIG_USE_NATIVE_BACKEND_FIPS202)

# The crate names the version in its change log, and a checkout in its tags.
version="of unknown version"
if [[ -e $SOURCE/.git ]]; then
    version=$(git -C "$SOURCE" describe --tags --always --dirty | sed 's/^v//')
elif [[ -e $SOURCE/../mldsa-build-harness ]]; then
    version=$(sed -n 's/.*Bump to v\([^ ]*\)$/\1/p' "$SOURCE/../CHANGELOG.md" | head -n 1)
fi

cd "$BUILD"
shared=-DMLD_CONFIG_MULTILEVEL_WITH_SHARED
"$CC" "${flags[@]}" "${options[@]}" "$shared" -DMLD_CONFIG_PARAMETER_SET=44 -I "$SOURCE/mldsa" -c -o assembly.o \
    "$SOURCE/mldsa/mldsa_native_asm.S"
for set in 44 65 87; do
    "$CC" "${flags[@]}" "${options[@]}" "$shared" -DMLD_CONFIG_PARAMETER_SET="$set" -I "$SOURCE/mldsa" -c -o "$set.o" \
        "$SOURCE/mldsa/mldsa_native.c"
    shared=-DMLD_CONFIG_MULTILEVEL_NO_SHARED
done
mkdir -p "$PREFIX/bin"
"$CC" -std=gnu99 -O2 "${options[@]}" -DVERSION="\"$version\"" -I "$SOURCE/mldsa" -I "$WORKERS" \
    -o "$PREFIX/bin/mldsa-native" "$WORKERS/mldsa-native.c" assembly.o 44.o 65.o 87.o
printf 'flags=%s %s\n' "${flags[*]}" "${options[*]}"
printf 'version=%s\n' "$("$PREFIX/bin/mldsa-native" --version)"
