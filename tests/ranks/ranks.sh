#!/bin/sh
# ranks.sh MSD SCENES WORK [all]: checks the guarantees of docs/explain/distributed.md against one process, with mpirun on
# this machine. all: every scene runs with every number of processes and every halo depth.
set -eu
msd=$1 scenes=$2 work=$3 mode=${4:-some}
rm -rf "$work"
mkdir -p "$work"
export MSD_SCENES="$scenes" OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1

fail() {
  echo "ranks: $*" >&2
  exit 1
}

# several COUNT OPTION...
several() {
  count=$1
  shift
  mpirun --oversubscribe --bind-to none -n "$count" "$msd" run "$@"
}

hash_of() { sed -n 's/.*"hash": *"\([^"]*\)".*/\1/p' "$1"; }

# same NAME WANTED FILE: compares the hash in a JSON file.
same() {
  got=$(hash_of "$3")
  [ -n "$got" ] && [ "$got" = "$2" ] || fail "$1: hash '$got', and '$2' of one process"
}

# The frame time in s.
frame_of() { sed -n 's/.*"frame_time": *\([0-9.e-]*\).*/\1/p' "$1" | head -n 1; }

# compare NAME DURATION COUNT DEPTH PARTITION THREADS: compares with $work/one.json.
compare() {
  several "$3" "$1" --duration "$2" --halo "$4" --partition "$5" --threads "$6" --json >"$work/more.json" 2>"$work/err" ||
    fail "$1 on $3: $(cat "$work/err")"
  same "$1 on $3, depth $4, $5, $6 threads" "$(hash_of "$work/one.json")" "$work/more.json"
}

# Counts the scenes that are distributed. Scenes with self-collision, mass scaling and the like are not.
distributed=0 undistributed=
is_distributed() { ! grep -q "cannot be distributed" "$work/more.json"; }
note_distributed() {
  if ! is_distributed; then
    undistributed="$undistributed $1"
  else
    distributed=$((distributed + 1))
  fi
}

# Every built-in scene: one frame on three processes; or two frames on each number of processes, cycling through all
# halo depths, both partitions, and one and two threads.
turn=0
for file in "$scenes"/*.json; do
  name=$(basename "$file" .json)
  "$msd" run "$name" --duration 0 --json >"$work/one.json" 2>/dev/null
  frame=$(frame_of "$work/one.json")
  [ "$mode" != all ] || frame=$(awk "BEGIN { print 2 * $frame }")
  "$msd" run "$name" --duration "$frame" --json >"$work/one.json" 2>"$work/err" || fail "$name: $(cat "$work/err")"
  counts=3
  [ "$mode" != all ] || counts="1 1 2 2 2 2 3 3 3 3 4 4 4 4 7 7 7 7"
  last=
  for count in $counts; do
    turn=$((turn + 1))
    [ "$count" = "$last" ] && [ $count -gt 1 ] && ! is_distributed && continue
    partition=strips
    [ $((turn % 2)) -eq 0 ] || partition=graph
    compare "$name" "$frame" "$count" $((turn * 3 % 8 + 1)) $partition $((1 + turn / 2 % 2))
    last=$count
  done
  note_distributed "$name"
done
[ $distributed -gt 15 ] || fail "only $distributed scenes are distributed"
echo "every scene has the hash of one process; $distributed are distributed, and not:$undistributed"

# Numbers of ranks, halo depths, partitions and threads, with springs, constraints, tethers, and a volume.
for name in curtain jelly_block tethered_sheet balloon; do
  "$msd" run "$name" --duration 0.05 --json >"$work/one.json" 2>/dev/null
  counts="3 7"
  [ $name != curtain ] || counts="1 2 3 4 7 2 3 4"
  depth=1
  for count in $counts; do
    partition=strips
    [ $((depth % 2)) -eq 1 ] || partition=graph
    compare "$name" 0.05 "$count" $depth $partition $((1 + depth % 2))
    is_distributed || fail "$name is not distributed"
    depth=$((depth + 1))
  done
done
# Fewer components than processes, with the graph partition.
"$msd" run two_body_spring --duration 0.05 --json >"$work/one.json" 2>/dev/null
compare two_body_spring 0.05 7 1 graph 1
echo "ranks 1, 2, 3, 4 and 7, halo depths 1 to 8, strips and graph have the hash of one process"

# A checkpoint of four processes continues with three, with its trace. Rank 0 has written both.
"$msd" run curtain --duration 0.2 --trace "$work/one.csv" --json >"$work/one.json" 2>/dev/null
several 4 curtain --duration 0.1 --save "$work/four.save" --trace "$work/four.csv" >/dev/null 2>&1
several 3 curtain --duration 0.2 --resume "$work/four.save" --trace "$work/four.csv" --json >"$work/three.json" 2>/dev/null
same "curtain, resumed on 3" "$(hash_of "$work/one.json")" "$work/three.json"
cmp "$work/one.csv" "$work/four.csv" || fail "the traces differ"
echo "a checkpoint of 4 continues with 3"

# Bodies that are distributed while they load: the same summary, except for keys that need the whole world.
cat >"$work/bodies.json" <<'END'
{ "msd": 1, "duration": 0.1, "substeps": 32, "linear_damping": 0.1, "bodies": [
  { "type": "cloth", "columns": 60, "rows": 50, "mass": 20, "pinned": ["top_left", "top_right", 1500],
    "stretch": { "stiffness": 50, "damping": 0.01 }, "shear": { "stiffness": 20 }, "bend": { "stiffness": 3 } },
  { "type": "rope", "particles": 700, "mass": 20, "from": [0, 0, 1], "to": [3, 0, 1], "pinned": ["first", "last"],
    "stretch": { "stiffness": 100 } },
  { "type": "block", "cells": [12, 9, 20], "mass": 20, "origin": [0, 0, 4], "velocity": [0.1, 0, 0],
    "pinned": ["top", { "box": { "center": [0, 0, 4], "size": [0.2, 0.2, 0.2] } }],
    "stretch": { "ck": 0.01, "cd": 0.01 }, "shear": { "stiffness": 50 } } ] }
END
not_compared='wall_seconds\|springs_per_second\|threads\|stable_substep\|clamped'

# Removes keys that need the whole world, and the warnings, from the JSON of a run.
comparable() { sed '/"warnings": \[$/,/^ *\]/d; /"warnings": \[\]/d' | grep -v "$not_compared"; }

# compare_distributed SCENE: compares summaries of several numbers of ranks and halo depths with that of one process.
compare_distributed() {
  "$msd" run "$work/$1.json" --json 2>/dev/null | comparable >"$work/$1.one.json"
  depth=0
  for count in 1 2 3 4 7; do
    several $count "$work/$1.json" --partition distributed --halo $depth --threads $((1 + depth % 2)) --json \
      2>"$work/err" | comparable >"$work/more.json"
    cmp "$work/$1.one.json" "$work/more.json" || fail "$1 distributed to $count, depth $depth: $(cat "$work/err")"
    depth=$((depth + 1))
  done
}
compare_distributed bodies
echo "a distributed cloth, rope and block have the summary of one process"

# The same with a mesh and automatic substeps.
awk 'BEGIN { for (i = 0; i < 4000; i++) print "v", i % 50, int(i / 50), i * 7 % 13 / 8
  for (i = 1; i <= 3950; i++) if (i % 50) print "f", i, i + 1, i + 51, i + 50 }' >"$work/sheet.obj"
cat >"$work/mesh.json" <<'END'
{ "msd": 1, "duration": 0.1, "linear_damping": 0.1, "bodies": [
  { "type": "rope", "particles": 700, "mass": 20, "to": [3, 0, 0], "pinned": ["first", "last"],
    "stretch": { "stiffness": 100 } },
  { "type": "mesh", "file": "sheet.obj", "scale": 0.02, "rotation": [90, 0, 0], "area_density": 0.5,
    "pinned": ["top_left", 1777], "stretch": { "stiffness": 90, "damping": 0.01 }, "bend": { "stiffness": 1 } } ] }
END
compare_distributed mesh
grep -q '"substeps": *[0-9][0-9]' "$work/mesh.one.json" || fail "substeps are not automatic: $(cat "$work/mesh.one.json")"
"$msd" run "$work/mesh.json" --duration 0.05 --save "$work/mesh.save" >/dev/null 2>&1
several 3 "$work/mesh.json" --partition distributed --duration 0.05 --save "$work/mesh_distributed.save" >/dev/null 2>"$work/err" ||
  fail "a checkpoint of a mesh: $(cat "$work/err")"
different=$(cmp -l "$work/mesh_distributed.save" "$work/mesh.save" | wc -l)
[ "$different" -le 16 ] || fail "a checkpoint of a mesh differs in $different bytes from that of one process"
echo "a distributed mesh with automatic substeps has the summary and the checkpoint of one process"

# Distributed checkpoints: of four processes with three and with one, and of one with two.
hash_of "$work/bodies.one.json" >"$work/wanted"
several 4 "$work/bodies.json" --partition distributed --duration 0.05 --save "$work/distributed.save" --save-every 1 \
  --trace-energy "$work/distributed.csv" --trace "$work/particles.csv" --every 2 >/dev/null 2>"$work/err" ||
  fail "a distributed checkpoint: $(cat "$work/err")"
several 3 "$work/bodies.json" --partition distributed --duration 0.1 --resume "$work/distributed.save" --save "$work/distributed.save" \
  --trace-energy "$work/distributed.csv" --trace "$work/particles.csv" --every 2 --json >"$work/three.json" 2>"$work/err" ||
  fail "a distributed checkpoint, on 3: $(cat "$work/err")"
same "distributed, resumed on 3" "$(cat "$work/wanted")" "$work/three.json"
several 4 "$work/bodies.json" --partition distributed --duration 0.05 --save "$work/distributed.save" >/dev/null 2>&1
"$msd" run "$work/bodies.json" --duration 0.1 --resume "$work/distributed.save" --json >"$work/three.json" 2>"$work/err" ||
  fail "a distributed checkpoint, in one process: $(cat "$work/err")"
same "distributed, resumed in one process" "$(cat "$work/wanted")" "$work/three.json"
"$msd" run "$work/bodies.json" --duration 0.05 --save "$work/whole.save" >/dev/null 2>&1
several 2 "$work/bodies.json" --partition distributed --duration 0.1 --resume "$work/whole.save" --json >"$work/three.json" 2>"$work/err" ||
  fail "a checkpoint of one process, distributed: $(cat "$work/err")"
same "one process, resumed distributed" "$(cat "$work/wanted")" "$work/three.json"
"$msd" run "$work/bodies.json" --trace-energy "$work/whole.csv" --trace "$work/all.csv" --every 2 >/dev/null 2>&1
cmp "$work/distributed.csv" "$work/whole.csv" || fail "the distributed energies differ"
cmp "$work/particles.csv" "$work/all.csv" || fail "the distributed traces differ"
# Except for the wall time (8 bytes) and the checksum.
different=$(cmp -l "$work/distributed.save" "$work/whole.save" | wc -l)
[ "$different" -le 16 ] || fail "a distributed checkpoint differs in $different bytes from that of one process"
echo "a distributed checkpoint continues with any number of processes, with its traces"

# exported SCENE FORMAT COUNT: compares the files of a distributed export with those of one process.
exported() {
  rm -rf "$work/one" "$work/more"
  "$msd" run "$work/$1.json" --duration 0.05 --export "$work/one" --format "$2" >/dev/null 2>&1
  several "$3" "$work/$1.json" --partition distributed --duration 0.05 --export "$work/more" --format "$2" >/dev/null 2>"$work/err" ||
    fail "$2 of distributed $1: $(cat "$work/err")"
  diff -r "$work/one" "$work/more" || fail "$2 of $1 distributed to $3 is not that of one process"
}
exported bodies obj 2
exported bodies ply 3
exported bodies vtk 4
exported bodies vtu 7
exported mesh obj 4
exported mesh vtu 3
exported mesh pc2 2
# An export continues with another number of processes.
rm -rf "$work/more"
several 4 "$work/mesh.json" --partition distributed --duration 0.025 --save "$work/more.save" --export "$work/more" --format pc2 \
  >/dev/null 2>"$work/err" || fail "distributed pc2: $(cat "$work/err")"
several 3 "$work/mesh.json" --partition distributed --duration 0.05 --resume "$work/more.save" --export "$work/more" --format pc2 \
  >/dev/null 2>"$work/err" || fail "distributed pc2, resumed: $(cat "$work/err")"
diff -r "$work/one" "$work/more" || fail "distributed pc2, resumed, is not that of one process"
echo "distributed exports are the files of one process"

# Unsupported combinations are refused with one line.
refused() {
  status=0
  several 3 "$@" --partition distributed >"$work/out" 2>"$work/err" || status=$?
  [ $status -ne 0 ] || fail "accepted: $*"
  [ "$(grep -c '^msd' "$work/err")" -eq 1 ] || fail "distributed $*: $(cat "$work/err")"
}
for format in usda glb lammps; do
  refused "$work/bodies.json" --export "$work/export" --format $format
done
refused "$work/bodies.json" --png "$work/picture.png"
(cat "$work/sheet.obj" && printf 'vt 0 0\nf 1/1 2/1 52/1\n') >"$work/textured.obj"
sed 's/sheet.obj/textured.obj/' "$work/mesh.json" >"$work/textured.json"
refused "$work/textured.json" --export "$work/export"
refused "$work/bodies.json" --export "$work/nothing/export"
mkdir -p "$work/export/bodies_000002.obj"
refused "$work/bodies.json" --export "$work/export"
refused "$work/bodies.json" --save "$work/bodies.json"
refused "$work/bodies.json" --integrator rk4
sed 's/"ck": 0.01, "cd": 0.01/"stiffness": "max_stable"/' "$work/bodies.json" >"$work/max_stable.json"
refused "$work/max_stable.json" --substeps auto
# Meshes and tetrahedra with vertices in any order, reordered by msd mesh.
awk 'BEGIN { srand(5); n = 6000
  for (i = 0; i < n; i++) { j = int(rand() * (i + 1)); at[i] = at[j]; at[j] = i }
  for (i = 0; i < n; i++) { k = at[i]; of[k] = i + 1; print "v", k % 40 + rand() / 2, int(k / 40) + rand() / 2, rand() / 4 }
  for (i = 0; i < n - 40; i++) if (i % 40 < 39)
    if (rand() < 0.5) { print "f", of[i], of[i + 1], of[i + 41]; print "f", of[i], of[i + 41], of[i + 40] }
    else { print "f", of[i], of[i + 1], of[i + 40]; print "f", of[i + 1], of[i + 41], of[i + 40] } }' >"$work/any.obj"
awk -v node="$work/any.node" -v ele="$work/any.ele" 'BEGIN { srand(6); n = 3000
  for (i = 0; i < n; i++) { j = int(rand() * (i + 1)); at[i] = at[j]; at[j] = i }
  print n, 3, 0, 0 >node; print n - 3, 4, 0 >ele
  for (i = 0; i < n; i++) { k = at[i]; of[k] = i; print i, k % 2, int(k / 2) % 2, k / 4 + (k % 4 == 3) / 8 >node }
  for (i = 0; i < n - 3; i++) print i, of[i], of[i + 1], of[i + 2], of[i + 3] >ele }'
"$msd" mesh "$work/any.obj" "$work/ready.obj" >/dev/null || fail "a mesh is not reordered"
"$msd" mesh "$work/any.node" "$work/ready.node" >/dev/null || fail "tetrahedra are not reordered"
cat >"$work/irregular.json" <<'END'
{ "msd": 1, "duration": 0.1, "linear_damping": 0.1, "bodies": [
  { "type": "mesh", "file": "ready.obj", "scale": 0.02, "area_density": 0.5, "pinned": [0, 1777],
    "stretch": { "stiffness": 90, "damping": 0.01 }, "bend": { "stiffness": 1 } },
  { "type": "tetmesh", "file": "ready.node", "scale": 0.1, "position": [3, 0, 0], "volume": false, "pinned": [5],
    "stretch": { "stiffness": 9000, "damping": 0.1 } } ] }
END
compare_distributed irregular
echo "distributed meshes and tetrahedra that were reordered have the summary of one process"

sed 's/ready/any/' "$work/irregular.json" >"$work/any.json"
refused "$work/any.json"
sed 's/"scale"/"merge_distance": 0.1, "scale"/' "$work/mesh.json" >"$work/merged.json"
refused "$work/merged.json"
refused "$work/bodies.json" --substeps 1 --frame-time 10 --duration 2000
refused flag
refused "$work/bodies.json" --resume "$work/four.save"
refused "$work/bodies.json" --resume "$work/nothing.save"
head -c 100000 "$work/distributed.save" >"$work/cut.save"
refused "$work/bodies.json" --resume "$work/cut.save"
refused "$work/bodies.json" --save "$work/nothing/parts.save"
echo "unsupported combinations are refused with one line"

# odd SCENE FILE RANK STATUS OPTION...: one of three processes resumes from FILE, the others from good.save.
odd() {
  scene=$1 odd=$2 rank=$3 wanted=$4 good="$work/good.save"
  shift 4
  first=$good second=$good third=$good
  case $rank in 0) first=$odd ;; 1) second=$odd ;; *) third=$odd ;; esac
  status=0
  timeout 120 mpirun --oversubscribe --bind-to none -n 1 "$msd" run "$scene" "$@" --resume "$first" : \
    -n 1 "$msd" run "$scene" "$@" --resume "$second" : -n 1 "$msd" run "$scene" "$@" --resume "$third" \
    >"$work/out" 2>"$work/err" || status=$?
  [ $status -eq "$wanted" ] && [ "$(grep -c '^msd' "$work/err")" -eq 1 ] ||
    fail "$odd to process $rank of $scene, $*: status $status: $(cat "$work/err")"
}
# odd_ones SCENE OPTION...: one process has a missing, truncated or different file.
odd_ones() {
  scene=$1
  shift
  several 2 "$scene" "$@" --duration 0.05 --save "$work/good.save" >/dev/null 2>&1
  several 2 "$scene" "$@" --duration 0.1 --save "$work/later.save" >/dev/null 2>&1
  head -c 50000 "$work/good.save" >"$work/cut.save"
  mkdir -p "$work/folder.save"
  for rank in 0 1 2; do
    for file in nothing cut folder later; do
      odd "$scene" "$work/$file.save" $rank 2 "$@" --duration 0.2 --trace "$work/odd.csv"
    done
  done
  [ ! -e "$work/odd.csv" ] || fail "a refused run has written a trace"
}
odd_ones "$work/bodies.json" --partition distributed
odd_ones curtain
echo "a checkpoint that one process cannot read ends all processes with one line"

# An error of all processes has one line, and the exit status of one process.
status=0
several 3 no_such_scene >"$work/out" 2>"$work/err" || status=$?
[ $status -eq 2 ] || fail "a missing scene: status $status"
[ "$(grep -c '^msd' "$work/err")" -eq 1 ] || fail "a missing scene: $(cat "$work/err")"
echo "an error is one line"

# Killing one process ends the others.
several 3 curtain --duration 100000 >"$work/out" 2>"$work/err" &
started=$!
victim=
while [ -z "$victim" ]; do
  kill -0 $started 2>/dev/null || fail "nothing to kill: $(cat "$work/err")"
  sleep 0.2
  victim=$(ps -o pid= --ppid "$(ps -o pid= --ppid $started | head -n 1)" 2>/dev/null | tail -n 1) || true
  [ -n "$victim" ] || victim=$(ps -o pid= --ppid $started | tail -n 1) || true
done
sleep 2
kill -9 $victim
status=0
wait $started || status=$?
[ $status -ne 0 ] || fail "a run that lost a process succeeded"
echo "killing a process ends all"
