#!/bin/sh
# test_results.sh RESULTS FOLDER: the files that bench/results.sh makes of what programs print, which here only say what
# was measured.
set -eu
results=$1
rm -rf "$2"
mkdir -p "$2/build/app" "$2/build/bench" "$2/out"
cd "$2"

expect() {
  grep -qF "$2" "$1" || {
    echo "no line '$2' in $1:"
    cat "$1"
    exit 1
  }
}

# A frame of two times, of which the intersections without surfaces are no intersections.
cat >build/app/msd <<'END'
#!/bin/sh
echo "$*" >>calls
cat <<JSON
  "surfaces": [ {
      "surfaces": "$6",
      "particles": 2000,
      "intersections": 3,
      "intersections_without_surfaces": 7,
      "msd": [ {
          "threads": 1,
          "seconds_per_frame": 0.25,
          "seconds_per_frame_without_surfaces": 0.125
        }, {
          "threads": 2,
          "seconds_per_frame": 0.15,
          "seconds_per_frame_without_surfaces": 0.075
JSON
END
chmod +x build/app/msd
"$results" build out contact 2>err
expect calls 'bench --samples 1 --json --case stack 1e4'
expect out/contact.csv 'crumple 1e4,2000,1,0.25,0.125,3'
expect out/contact.csv 'stack 1e4,2000,2,0.15,0.075,3'
[ "$(grep -c . out/contact.csv)" -eq 7 ]

# Columns are found by their names; what was not measured is a dash.
cat >out/speed.csv <<'END'
threads,network,particles,springs,memory_share,springs_per_second,textbook_ratio,textbook_springs_per_second
1,cloth 1000x1000,1000000,5990002,0.9,1.5e9,7.5,2e8
2,cloth 1000x1000,1000000,5990002,1.48,3e9,15,2e8
END
"$results" build out table 2>err
expect out/table.md '| cloth 1000 x 1000 | 5,990,002 | 200 | - | - | 1500, 7.5 times | 3000, 15.0 times, 148 % of the memory bandwidth |'

# A part that fails leaves what there was, and the next ones are made.
printf '#!/bin/sh\necho half\nexit 3\n' >build/bench/quality
printf '#!/bin/sh\necho whole\n' >build/bench/scaling
chmod +x build/bench/quality build/bench/scaling
echo before >out/quality.csv
status=0
"$results" build out quality scaling 2>err || status=$?
[ "$status" -eq 1 ]
expect out/quality.csv before
expect out/scaling.csv whole
expect err 'quality failed'
[ ! -e out/quality.csv.part ]
printf '#!/bin/sh\nexit 3\n' >build/app/msd
status=0
"$results" build out contact 2>err || status=$?
[ "$status" -eq 1 ]
expect out/contact.csv 'stack 1e4,2000,2,0.15,0.075,3'
echo passed
