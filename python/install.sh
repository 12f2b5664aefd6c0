#!/bin/sh
# install.sh FOLDER [checkout]: installs the package by pip from the checkout and, unless `checkout` is given, from the source
# distribution. Each builds libmsd from scratch and has its own virtual environment in FOLDER. Checks that the installed
# package works. Uses packages of the system only.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
what=${2:-all}
case $what in
all | checkout) ;;
*) echo "dev: there is no 'pip $what'; there is checkout" >&2 && exit 2 ;;
esac
rm -rf "$1"
mkdir -p "$1"
folder=$(cd "$1" && pwd)
unset MSD_BUILD

# Debian's Python, which has Debian's packages, even if another one is first in PATH.
python=/usr/bin/python3
[ -x $python ] || python=python3

# install NAME WHAT
install() {
  $python -m venv --system-site-packages "$folder/$1"
  "$folder/$1/bin/pip" install --no-build-isolation --no-index "$2" >"$folder/$1.log" 2>&1 ||
    { cat "$folder/$1.log" && exit 1; }
  tail -n 1 "$folder/$1.log"
  (cd "$folder" && "$folder/$1/bin/python" "$here/tests/installed.py" "$folder/$1/lib/")
}

# Removes the build files that pip leaves in the checkout, so that the next build starts from scratch.
rm -rf "$here/build" "$here/msd.egg-info"
install checkout "$(dirname "$here")"
rm -rf "$here/build" "$here/msd.egg-info"
[ "$what" = all ] || exit 0
$python -m build --no-isolation --sdist --outdir "$folder/dist" "$here" >"$folder/build.log" 2>&1 ||
  { cat "$folder/build.log" && exit 1; }
ls "$folder"/dist
install distribution "$folder"/dist/msd-*.tar.gz
