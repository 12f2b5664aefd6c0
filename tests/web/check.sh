#!/bin/sh
# check.sh FOLDER MSD: what web/build.sh made in FOLDER. The golden hashes in Node, the package as others install it, and
# the page in Chromium, whose hashes are those of the native command MSD.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "$1" && pwd)
msd=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
made=$folder/build/web

say() {
  printf 'web: %s\n' "$*"
}

say "golden hashes in Node"
node "$here/golden.mjs" "$made"
node --no-experimental-fetch "$made/determinism.js" golden_hashes_are_met_at_any_width

say "the npm package"
work=$folder/npm-test
rm -rf "$work"
mkdir -p "$work"
npm pack --silent --offline --pack-destination "$folder" "$folder/npm" >"$work/name"
archive=$folder/$(cat "$work/name")
(
  cd "$work"
  npm init --yes >/dev/null
  npm install --silent --offline --no-audit --no-fund "$archive"
  cp "$here/package.test.mjs" .
  node node_modules/@msd/engine/example.mjs
  MSD=$msd SCENES=$folder/page/scenes node --test package.test.mjs >log 2>&1 || {
    cat log
    exit 1
  }
)

say "the page in Chromium"
exec /usr/bin/python3 "$here/test_page.py" "$folder" "$msd"
