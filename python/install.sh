#!/bin/sh
# install.sh FOLDER [checkout]: the package as its users install it, by pip from the checkout and, unless that is named, from
# the source distribution, each with libmsd built from nothing, into environments of their own in FOLDER. What is installed
# is imported, and works. No package comes from anywhere but the system.
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

# Debian's Python, which has Debian's packages, wherever another one stands first in the path.
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

# What pip leaves in the checkout would spare the next time the work, and is none of its sources.
rm -rf "$here/build" "$here/msd.egg-info"
install checkout "$(dirname "$here")"
rm -rf "$here/build" "$here/msd.egg-info"
[ "$what" = all ] || exit 0
$python -m build --no-isolation --sdist --outdir "$folder/dist" "$here" >"$folder/build.log" 2>&1 ||
  { cat "$folder/build.log" && exit 1; }
ls "$folder"/dist
install distribution "$folder"/dist/msd-*.tar.gz
