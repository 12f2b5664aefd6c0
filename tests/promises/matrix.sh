#!/bin/sh
# The golden hashes on everything that could change a bit and must not, as a table: a row for each processor, compiler and
# precision, and the tests that ask there. `equal`: all hashes are those that test_determinism.c has for that precision.
# Says at the end what went wrong, and fails.
set -u
cd "$(dirname "$0")/../.."
mkdir -p build
log=build/matrix.log
widths="threads 1 to 16, vectors of 0 to 512 bits"
wrong=
printf '| %-9s | %-9s | %-6s | %-57s | %-7s |\n' processor compiler golden "what varies" hashes
echo "|---|---|---|---|---|"

# row PROCESSOR COMPILER PRECISION WHAT COMMAND...
row() {
  name="$1 $2 $3"
  printf '| %-9s | %-9s | %-6s | %-57s | ' "$1" "$2" "$3" "$4"
  shift 4
  if ! "$@" >$log 2>&1; then
    cp $log "build/matrix-$(echo "$name" | tr -c 'a-z0-9\n' -).log"
    wrong="$wrong
$name: $*"
    verdict=OTHER
  elif grep -q 'Skipped' $log; then
    verdict=skipped
  else
    verdict=equal
  fi
  printf '%-7s |\n' $verdict
}

here=$(uname -m | tr _ -)
row "$here" "gcc -O3" float "$widths" ./dev test release determinism
row "$here" "gcc -O3" double "$widths" ./dev test double determinism
row "$here" "clang -O3" float "$widths" ./dev test clang determinism
row "$here" "gcc -O0" double "$widths" ./dev bits gcc -O0 double
row "$here" "gcc -O2" float "$widths" ./dev bits gcc -O2 float
row "$here" "clang -O0" float "$widths" ./dev bits clang -O0 float
row "$here" "clang -O2" double "$widths" ./dev bits clang -O2 double
hosts="rounding modes, flushed denormals, traps, fork, no threads"
row "$here" "gcc -O3" float "$hosts" ./dev test release hosts
row "$here" "gcc -O3" double "$hosts" ./dev test double hosts
row "$here" "clang -O3" float "$hosts" ./dev test clang hosts
for precision in float double; do
  preset=release
  [ $precision = float ] || preset=double
  row aarch64 "gcc -O3" $precision "threads 1 to 16, vectors of 0 and 128 bits" ./dev cross $preset aarch64
  row riscv64 "gcc -O3" $precision "no vectors of its own" ./dev cross $preset riscv64
  row ppc64el "gcc -O3" $precision "vectors of 0 and 128 bits" ./dev cross $preset ppc64el
  row s390x "gcc -O3" $precision "the other byte order" ./dev cross $preset s390x
  row i386 "gcc -O3" $precision "the other word" ./dev cross $preset i386
  row wasm32 "clang -O3" $precision "the other word, and no threads" ./dev cross $preset wasm32
done
[ -z "$wrong" ] || { echo "other hashes, or no result; see build/matrix-*.log:$wrong" && exit 1; }
