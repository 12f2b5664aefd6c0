#!/bin/sh
# versions.sh: every package has the version of the public header.
set -eu
cd "$(dirname "$0")/.."
number() { sed -n "s/^#define MSD_VERSION_$1 //p" engine/include/msd/base.h; }
version=$(number MAJOR).$(number MINOR).$(number PATCH)
status=0

# says FILE VERSION
says() {
  [ "$2" = "$version" ] || { echo "$1: has version '$2', and engine/include/msd/base.h $version" && status=1; }
}
says packaging/debian/changelog "$(sed -n '1s/^msd (\(.*\)-[^-]*) .*/\1/p' packaging/debian/changelog)"
says packaging/vcpkg/vcpkg.json "$(sed -n 's/^ *"version": "\(.*\)",$/\1/p' packaging/vcpkg/vcpkg.json)"
says packaging/homebrew/msd.rb "$(sed -n 's/^ *url ".*\/msd-\(.*\)\.tar\.gz"$/\1/p' packaging/homebrew/msd.rb)"
exit $status
