#!/bin/sh
# check.sh FOLDER CHECK...: the shape of the sources under FOLDER. Says what is wrong, a line for each, and fails.
#   rooms    files include rooms on their own floor or below, after the table of docs/architecture.md
#   lines    no line is longer than 112 columns
#   lengths  no file is longer than 600 lines, no function longer than 60
#   faults   each fault that tests must see has a line to be put into
#   merges   nothing that a merge could not decide is left, in documents neither
#   packages the packages have one version, and the list of what the library shows is that of its headers
#   format   clang-format would change nothing; its versions differ, and 14 is the one
#   apply-format  and what it would change is changed
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

clang_format() {
  for name in clang-format-14 clang-format; do
    case $($name --version 2>/dev/null) in *" version 14."*) echo $name && return ;; esac
  done
}

status=0
for check in "$@"; do
  case $check in
  rooms)
    awk -f "$here/rooms.awk" docs/architecture.md $(sources -name '*.[ch]' -o -name '*.cpp') || status=1
    ;;
  lines | lengths)
    awk -f "$here/$check.awk" $(sources -name '*.[ch]' -o -name '*.cpp' -o -name '*.glsl') || status=1
    ;;
  faults)
    [ ! -f tests/faults/faults.txt ] ||
      awk -f "$here/faults.awk" tests/faults/faults.txt \
        $(sources -name '*.[ch]' -o -name '*.cpp' -o -name '*.glsl') || status=1
    ;;
  merges)
    # Where there is something, grep prints it.
    ! grep -InE '^(<{7}|>{7}) ' $(sources -name '*') $(find . -maxdepth 1 -name '*.md') $(find docs -name '*.md') || status=1
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
