#!/bin/sh
# deb.sh FOLDER [chroot]: the source package and the binary packages of what is committed or changed here, made in FOLDER as
# Debian makes them, looked at by lintian, and tested unpacked, without being installed. With `chroot` a fresh Debian in
# FOLDER/chroot builds them from the source package with nothing but what it says it needs, installs them and runs the
# tests by autopkgtest; that takes minutes, a network and root.
set -eu
mkdir -p "$1"
work=$(cd "$1" && pwd)
where=${2:-here}
packaging=$(cd "$(dirname "$0")" && pwd)
cd "$packaging/.."
version=$(sed -n '1s/^msd (\(.*\)-[^-]*) .*/\1/p' packaging/debian/changelog)
source=msd-$version

fail() {
  echo "deb: $*" >&2
  exit 1
}

# Runs what has much to say, and shows it where that fails.
quietly() {
  log=$1
  shift
  "$@" >"$work/$log.log" 2>&1 || { tail -n 60 "$work/$log.log" && fail "$* failed; all of it is in $work/$log.log"; }
}

make_source() {
  find "$work" -mindepth 1 -maxdepth 1 ! -name chroot -exec rm -rf {} +
  tree=$(git stash create)
  git archive --prefix="$source/" "${tree:-HEAD}" | gzip -9n >"$work/msd_$version.orig.tar.gz"
  tar -xzf "$work/msd_$version.orig.tar.gz" -C "$work"
  cp -r "$work/$source/packaging/debian" "$work/$source/debian"
}

# The tests that autopkgtest runs where the packages are installed, with the packages unpacked in a folder.
test_unpacked() {
  root=$work/unpacked
  mkdir -p "$root"
  for package in "$work"/*.deb; do
    dpkg-deb -x "$package" "$root"
  done
  libraries=$(dirname "$root"/usr/lib/*/libmsd.so)
  for test in library command documentation python; do
    mkdir "$work/test_$test"
    (
      cd "$work/$source"
      PATH=$root/usr/bin:$PATH PKG_CONFIG_PATH=$libraries/pkgconfig CMAKE_PREFIX_PATH=$root/usr \
        LD_LIBRARY_PATH=$libraries PYTHONPATH=$root/usr/lib/python3/dist-packages \
        MSD_DOC=$root/usr/share/doc/msd/html AUTOPKGTEST_TMP=$work/test_$test debian/tests/$test
    ) || fail "debian/tests/$test fails with the packages unpacked in $root"
  done
}

make_source
if [ "$where" = here ]; then
  (
    cd "$work/$source"
    export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-parallel=$(nproc) noautodbgsym}"
    quietly build dpkg-buildpackage -us -uc
  )
  case " ${DEB_BUILD_OPTIONS-} " in
  *" nocheck "*) ;;
  *) grep -h 'golden_hashes.*PASS\|PASS.*golden_hashes\|Synthesis' "$work/build.log" || fail "no golden hashes" ;;
  esac
  lintian --allow-root --info --display-info --fail-on error,warning "$work"/msd_*.changes || fail "lintian finds faults"
  test_unpacked
else
  (
    cd "$work/$source"
    quietly source dpkg-buildpackage -us -uc -S -d
  )
  "$packaging/deb_chroot.sh" "$work"
fi
ls "$work"/*.deb "$work"/*.dsc
