#!/bin/sh
# fuzz.sh SECONDS TARGET: runs a target from the seeds and from what earlier calls found interesting, always with the
# same random numbers. What breaks goes to build/fuzz/found, and the call fails. The limits only tell what never ends:
# the slowest input takes a few seconds, and a world 256 MiB at most.
set -eu
cd "$(dirname "$0")/../.."
seconds=$1 target=$2
seeds=$PWD/tests/fuzz/seeds/$target
[ "$target" != scene ] || seeds="$seeds $PWD/scenes"
mkdir -p build/fuzz/found "build/fuzz/corpus/$target"
log=build/fuzz/$target.log
set -- -seed=1 -max_total_time="$seconds" -timeout=120 -rss_limit_mb=4096 -print_final_stats=1 \
  -artifact_prefix="$PWD/build/fuzz/found/$target-"
[ ! -f "tests/fuzz/$target.dict" ] || set -- "$@" -dict="tests/fuzz/$target.dict"
build/fuzz/tests/fuzz/fuzz_$target "$@" "$PWD/build/fuzz/corpus/$target" $seeds >"$log" 2>&1 || {
  tail -n 40 "$log"
  exit 1
}
echo "$target, $seconds s:"
grep -E 'inline 8-bit counters|INITED|DONE|number_of_executed_units|number_of_calls' "$log" | sed 's/^/  /'
