#!/bin/sh
# gallery.sh MSD [SCENE...]: draws the pictures of docs/reference/scenes.md again, or those of these scenes. Below each picture
# of that page stands the command that it comes from; it is drawn at twice the size and scaled down.
set -eu
cd "$(dirname "$0")/.."
msd=$1
shift
drawn=$(mktemp -d)
trap 'rm -rf "$drawn"' EXIT
sed -n 's/.*<code>msd run \(.*\)<\/code>.*/\1/p' docs/reference/scenes.md >"$drawn/commands"
for scene in "$@"; do
  cut -d ' ' -f 1 "$drawn/commands" | grep -Fqx -e "$scene" || {
    echo "gallery.sh: docs/reference/scenes.md has no scene $scene" >&2
    exit 1
  }
done
while read -r scene options; do
  case " $* " in
  "  " | *" $scene "*) ;;
  *) continue ;;
  esac
  echo "docs/images/gallery/$scene.jpg"
  # shellcheck disable=SC2086
  "$msd" run "$scene" $options --size 1280x960 --png "$drawn/$scene.png" >/dev/null </dev/null
  ffmpeg -loglevel error -y -bitexact -i "$drawn/$scene.png" -vf scale=640:480:flags=area -q:v 3 \
    -update 1 "docs/images/gallery/$scene.jpg" </dev/null
done <"$drawn/commands"
