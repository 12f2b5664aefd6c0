#!/bin/sh
# deb_chroot.sh FOLDER: a fresh Debian in FOLDER/chroot builds the source package that lies in FOLDER, with nothing
# installed but what it says it needs, installs what it has built, and runs its tests by autopkgtest. No variable of the
# caller is known in there.
set -eu
work=$1
root=$work/chroot
rm -rf "$root"
mmdebstrap --quiet --variant=buildd --include=autopkgtest bookworm "$root"
mkdir "$root/msd"
cp "$work"/msd_* "$root/msd/"
cat >"$root/msd/build.sh" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C.UTF-8
cd /msd
dpkg-source -x msd_*.dsc source
cd source
apt-get -qq update
apt-get -qq -y --no-install-recommends build-dep .
DEB_BUILD_OPTIONS="parallel=$(nproc) noautodbgsym" dpkg-buildpackage -us -uc
cd ..
apt-get -qq -y --no-install-recommends install ./*.deb
autopkgtest ./*_"$(dpkg --print-architecture)".changes -- null
END
unshare --mount --pid --fork --kill-child sh -euc '
  mount -t proc proc "$1/proc"
  mount --rbind /dev "$1/dev"
  cp /etc/resolv.conf "$1/etc/resolv.conf"
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$1" sh /msd/build.sh
' sh "$root" >"$work/chroot.log" 2>&1 || { tail -n 60 "$work/chroot.log" && exit 1; }
grep -a 'golden_hashes.*PASS\|PASS.*golden_hashes' "$work/chroot.log"
sed -n '/@@@@.* summary/,$p' "$work/chroot.log"
