#!/bin/sh
# faults.sh FOLDER [NAME...]: puts each fault of faults.txt (or those named) into a copy of the sources in FOLDER, builds
# the test that should see it, and says whether that test fails. Fails when a fault survives, cannot be placed, or
# does not build.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
table=$top/tests/faults/faults.txt
mkdir -p "$1"
cd "$1"
shift

# field NAME KEY: what the fault NAME has there.
field() {
  awk -v name="$1" -v key="$2" '
    /^fault: / { found = substr($0, 8) == name }
    found && index($0, key ": ") == 1 { print substr($0, length(key) + 3) }' "$table"
}

# places TEXT FILE_OR_FOLDER: the sources with a line that has the text, once for each such line.
places() {
  grep -rhoF --include='*.[ch]' --include='*.cpp' --include='*.glsl' -e "$1" "tree/$2" | grep -c . || true
}

# replace FILE FROM TO: in the one line that has it.
replace() {
  FROM=$2 TO=$3 awk '
    (at = index($0, ENVIRON["FROM"])) {
      $0 = substr($0, 1, at - 1) ENVIRON["TO"] substr($0, at + length(ENVIRON["FROM"]))
    }
    { print }' "$1" >faulty
  cat faulty >"$1"
}

build() {
  cmake --build build --target "$@" >build.log 2>&1
}

passes() {
  (cd build && ctest -R "^($1)\$" --timeout 600 --no-tests=error >../test.log 2>&1)
}

# Only what changed is copied, so that little is built again.
mkdir -p tree
(cd "$top" && git ls-files --cached --others --exclude-standard) | while read -r file; do
  [ -f "$top/$file" ] || continue
  cmp -s "$top/$file" "tree/$file" && continue
  mkdir -p "tree/$(dirname "$file")"
  cp "$top/$file" "tree/$file"
done
cmake -G Ninja -S tree -B build -D CMAKE_BUILD_TYPE=Debug -D CMAKE_C_FLAGS_DEBUG=-O1 -D CMAKE_CXX_FLAGS_DEBUG=-O1 \
  -D MSD_WERROR=OFF >build.log || { cat build.log && exit 1; }

[ $# -gt 0 ] || set -- $(awk '/^fault: / { print $2 }' "$table")
tests=$(for name in "$@"; do field "$name" test; done | sort -u)
if ! build $(for test in $tests; do echo "test_$test"; done); then
  tail -n 20 build.log
  exit 1
fi
if ! passes "$(echo $tests | tr ' ' '|')"; then
  tail -n 20 test.log
  echo "these tests fail without a fault"
  exit 1
fi

status=0
survivors=0
for name in "$@"; do
  from=$(field "$name" from) to=$(field "$name" to) folder=$(field "$name" in) test=$(field "$name" test)
  if [ -z "$test" ] || [ "$(places "$from" "$folder")" -ne 1 ]; then
    echo "$name: its text stands $(places "$from" "$folder") times in $folder and must stand there once"
    status=1
    continue
  fi
  file=$(grep -rlF -e "$from" "tree/$folder")
  cp -p "$file" kept
  replace "$file" "$from" "$to"
  if ! build "test_$test"; then
    echo "$name: does not build:"
    grep -m 1 'error' build.log
    status=1
  elif passes "$test"; then
    echo "$name: SURVIVES $test"
    survivors=$((survivors + 1))
  else
    echo "$name: killed by $test"
  fi
  cp kept "$file"
done
echo "$# faults, $survivors survive"
[ $survivors -eq 0 ] || status=1
exit $status
