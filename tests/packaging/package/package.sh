#!/bin/sh
# package.sh BUILD WORK SCENES: packs the build in BUILD, unpacks it below WORK and runs it from there. Checks the other
# installed files with the programs that read them, if these are available.
set -eu
build=$1 work=$2 scenes=$3
rm -rf "$work"
mkdir -p "$work/archive" "$work/debian" "$work/empty"
cpack --config "$build/CPackConfig.cmake" -B "$work" >"$work/log" 2>&1 || { cat "$work/log" && exit 1; }

fail() {
  echo "package.sh: $*" >&2
  exit 1
}

# Runs msd of a tree without environment variables and other files of the project.
try() {
  tree=$1
  (
    cd "$work/empty"
    [ "$(env -i "$tree/bin/msd" list | wc -l)" -ge 20 ] || fail "$tree: no scenes"
    env -i "$tree/bin/msd" run curtain --duration 0.1 --json >"$work/run.json" || fail "$tree: msd run failed"
    grep -q '"diverged": *false' "$work/run.json" || fail "$tree: $(cat "$work/run.json")"
    env -i "$tree/bin/msd" info /nowhere.json 2>/dev/null && fail "$tree: accepts a missing scene"
    [ "$(env -i "$tree/bin/msd" list)" = "$(MSD_SCENES="$tree/share/msd/scenes" "$tree/bin/msd" list)" ] ||
      fail "$tree: lists other scenes"
  )
  [ -f "$tree/include/msd/msd.h" ] && [ -f "$tree/lib/cmake/msd/msd-config.cmake" ] || fail "$tree: no library"
  [ ! -e "$tree/libexec" ] || fail "$tree: contains libexec"
}

tar -xzf "$work"/msd-*.tar.gz -C "$work/archive" --strip-components=1
try "$work/archive"

if command -v dpkg-deb >/dev/null; then
  for package in "$work"/*.deb; do
    dpkg-deb -x "$package" "$work/debian"
  done
  try "$work/debian/usr"
  dpkg-deb -f "$work"/msd_*.deb Depends | grep -q 'libc6.*libjansson4' || fail "msd: dependencies are missing"
  [ "$(dpkg-deb -f "$work"/libmsd-dev_*.deb Package)" = libmsd-dev ] || fail "libmsd-dev: has another name"
fi

# Check each file with its reader.
share=$work/archive/share
reads() {
  if command -v "$1" >/dev/null; then
    "$@" >"$work/log" 2>&1 || { cat "$work/log" && fail "refused by $*"; }
  else
    echo "skipped $1: not installed"
  fi
}
reads desktop-file-validate "$share/applications/arpa.home.msd.viewer.desktop"
reads appstreamcli validate --no-net "$share/metainfo/arpa.home.msd.viewer.metainfo.xml"
reads mandoc -T lint -W error "$share/man/man1/msd.1"
reads man --warnings -E UTF-8 -l -Tutf8 "$share/man/man1/msd.1"
for shell in bash:bash-completion/completions/msd zsh:zsh/site-functions/_msd fish:fish/vendor_completions.d/msd.fish; do
  reads "${shell%%:*}" -n "$share/${shell#*:}"
done
if /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
  /usr/bin/python3 -c '
import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
for scene in sys.argv[2:]:
    jsonschema.Draft7Validator(schema).validate(json.load(open(scene)))
try:
    jsonschema.Draft7Validator(schema).validate({"msd": 1, "bodies": [{"type": "rope", "particels": 9}]})
    sys.exit("an unknown key is accepted")
except jsonschema.ValidationError as error:
    assert "particels" in error.message, error.message
' "$share/msd/scene.schema.json" "$scenes"/*.json || fail "scene.schema.json"
else
  echo "skipped python3-jsonschema: not installed"
fi
echo "packed, unpacked and run"
