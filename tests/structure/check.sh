#!/bin/sh
# check.sh FOLDER CHECK...: checks the sources under FOLDER. Prints a line for each violation, and fails.
#   modules  files include earlier modules only, in the order of the table of docs/explain/architecture.md
#   lines    no line is longer than 112 columns
#   lengths  no file is longer than 1500 lines, no function longer than 120
#   words    texts have no phrase of words.txt and American spelling, sentences have 40 words at most, pages 1500
#   faults   each fault that tests must find matches a line of the sources, and its test exists
#   merges   no conflict markers are left, in documents either
#   subjects subjects of commits have 72 letters at most
#   packages all packages have the same version, and the list of exported symbols matches the headers
#   format   clang-format 14 would change nothing; other versions disagree with it
#   apply-format  formats the sources
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
shift

# awk's length() then counts bytes everywhere; the scripts leave out what continues a letter.
LC_ALL=C
export LC_ALL

sources() {
  folders=
  for folder in engine scenes render bench ranks app examples python web tests; do
    [ ! -d $folder ] || folders="$folders $folder"
  done
  find $folders -path python/build -prune -o -type f \( "$@" \) -print | sort
}

# Everything that has prose or names, except the list of words and lists of names that users may type (*.inc).
texts() {
  folders=
  for folder in README.md CHANGELOG.md CMakeLists.txt CMakePresets.json dev .ci .github docs engine scenes render \
    bench ranks app examples python web cmake packaging tools tests; do
    [ ! -e $folder ] || folders="$folders $folder"
  done
  find $folders \( -path python/build -o -path bench/results -o -path tests/data -o -name node_modules \) -prune -o \
    -type f ! -path tests/structure/words.txt \( -path dev -o -path '.ci/*' -o -path 'packaging/debian/*' -o \
    -name '*.md' -o -name '*.[ch]' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.glsl' -o -name '*.py' -o \
    -name '*.js' -o -name '*.mjs' -o -name '*.ts' -o -name '*.json' -o -name '*.html' -o -name '*.css' -o \
    -name '*.sh' -o -name '*.awk' -o -name '*.cmake' -o -name '*.txt' -o -name '*.in' -o -name '*.y*ml' -o \
    -name '*.toml' -o -name '*.rb' -o -name '*.dict' \) -print | sort
}

clang_format() {
  for name in clang-format-14 clang-format; do
    case $($name --version 2>/dev/null) in *" version 14."*) echo $name && return ;; esac
  done
}

status=0
for check in "$@"; do
  case $check in
  modules)
    awk -f "$here/modules.awk" docs/explain/architecture.md $(sources -name '*.[ch]' -o -name '*.cpp') || status=1
    ;;
  lines | lengths)
    awk -f "$here/$check.awk" $(sources -name '*.[ch]' -o -name '*.cpp' -o -name '*.glsl') || status=1
    ;;
  faults)
    [ ! -f tests/faults/faults.txt ] || {
      awk -f "$here/faults.awk" tests/faults/faults.txt \
        $(sources -name '*.[ch]' -o -name '*.cpp' -o -name '*.glsl') || status=1
      for test in $(sed -n 's/^test: //p' tests/faults/faults.txt | sort -u); do
        [ -n "$(find tests -name "test_$test.c")" ] || {
          echo "tests/faults/faults.txt: there is no test_$test.c" && status=1
        }
      done
    }
    ;;
  merges)
    # Where there is something, grep prints it.
    ! grep -InE '^(<{7}|>{7}) ' $(sources -name '*') $(find . -maxdepth 1 -name '*.md') $(find docs -name '*.md') || status=1
    ;;
  words)
    command -v python3 >/dev/null || { echo "skipped: there is no python3" && continue; }
    python3 "$here/words.py" "$here/words.txt" $(texts) || status=1
    ;;
  subjects)
    # Earlier commits have longer ones, and so may those that merge.
    git rev-parse --git-dir >/dev/null 2>&1 || { echo "skipped: there is no repository" && continue; }
    git log --no-merges --since=2026-11-29T00:00:00Z --encoding=UTF-8 --format='%h %s' 2>/dev/null |
      awk -f "$here/subjects.awk" || status=1
    ;;
  packages)
    [ ! -d packaging ] || { packaging/versions.sh && packaging/symbols.sh; } || status=1
    ;;
  format | apply-format)
    program=$(clang_format)
    [ -n "$program" ] || { echo "skipped: there is no clang-format 14" && continue; }
    if [ $check = format ]; then how="--dry-run -Werror"; else how=-i; fi
    $program $how $(sources -name '*.[ch]' -o -name '*.cpp') || status=1
    ;;
  *)
    echo "check.sh: there is no check '$check'" >&2
    exit 2
    ;;
  esac
done
exit $status
