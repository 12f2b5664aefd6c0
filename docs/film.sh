#!/bin/sh
# film.sh MSD: makes the film of the README, a few seconds of some scenes, one after the other.
set -eu
cd "$(dirname "$0")/.."
msd=$1
rate=15
drawn=$(mktemp -d)
trap 'rm -rf "$drawn"' EXIT
mkdir "$drawn/frames"
parts=0

# part SCENE FROM TO CAMERA: the frames of a scene between two times in s, drawn at twice the size.
part() {
  echo "$1"
  mkdir "$drawn/$1"
  "$msd" run "$1" --duration "$3" --frame-time 0.016666667 --every 4 --size 960x640 --camera "$4" \
    --png "$drawn/$1/%04d.png" >/dev/null </dev/null
  parts=$((parts + 1))
  ffmpeg -loglevel error -start_number "$(awk "BEGIN { print int($2 * $rate) }")" -i "$drawn/$1/%04d.png" \
    -vf scale=480:320:flags=area "$drawn/frames/$parts%04d.png" </dev/null
}

part walker 1.6 4.9 40,8,1.3,0,0.85,-0.1
part draft 0.4 3.4 30,6,1.2,-0.05,1.05,0.2
part layers 0 1.8 35,18
part sail 4.2 6.4 35,4,1.15,0,1.75,0
part torn_sheet 0.8 2.6 30,16
# Every frame is a whole one (-kmin, -kmax): differences from the one before would leave edges behind.
img2webp -loop 0 -kmin 0 -kmax 1 -d $((1000 / rate)) -lossy -q 80 -m 6 "$drawn"/frames/*.png \
  -o docs/images/film.webp >/dev/null
