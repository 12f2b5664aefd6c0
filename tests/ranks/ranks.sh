#!/bin/sh
# ranks.sh MSD SCENES WORK [all]: what docs/scale.md promises of several processes, against one process, with mpirun on
# this machine alone, whatever cores it has. all: every scene goes through every number of processes and every depth.
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

# same NAME WANTED FILE: the hash in a file of JSON.
same() {
  got=$(hash_of "$3")
  [ -n "$got" ] && [ "$got" = "$2" ] || fail "$1: hash '$got', and '$2' of one process"
}

# s: the time of a frame.
frame_of() { sed -n 's/.*"dt": *\([0-9.e-]*\).*/\1/p' "$1" | head -n 1; }

# compare NAME TIME COUNT DEPTH PARTS THREADS: against $work/one.json.
compare() {
  several "$3" "$1" --time "$2" --exchange "$4" --parts "$5" --threads "$6" --json >"$work/more.json" 2>"$work/err" ||
    fail "$1 on $3: $(cat "$work/err")"
  same "$1 on $3, depth $4, $5, $6 threads" "$(hash_of "$work/one.json")" "$work/more.json"
}

# What says that it is not shared: surfaces that touch, scaled masses and the like.
shared=0 unshared=
note_shared() {
  if grep -q "not shared" "$work/err"; then
    unshared="$unshared $1"
  else
    shared=$((shared + 1))
  fi
}

# Every scene that ships: one frame of it on three; or two frames on each number of processes, where those that are
# shared go by turns through all depths, in strips and in parts, with one thread and with two.
turn=0
for file in "$scenes"/*.json; do
  name=$(basename "$file" .json)
  "$msd" run "$name" --time 0 --json >"$work/one.json" 2>/dev/null
  step=$(frame_of "$work/one.json")
  [ "$mode" != all ] || step=$(awk "BEGIN { print 2 * $step }")
  "$msd" run "$name" --time "$step" --json >"$work/one.json" 2>"$work/err" || fail "$name: $(cat "$work/err")"
  counts=3
  [ "$mode" != all ] || counts="1 1 2 2 2 2 3 3 3 3 4 4 4 4 7 7 7 7"
  last=
  for count in $counts; do
    turn=$((turn + 1))
    [ "$count" = "$last" ] && [ $count -gt 1 ] && grep -q "not shared" "$work/err" && continue
    parts=strips
    [ $((turn % 2)) -eq 0 ] || parts=graph
    compare "$name" "$step" "$count" $((turn * 3 % 8 + 1)) $parts $((1 + turn / 2 % 2))
    last=$count
  done
  note_shared "$name"
done
[ $shared -gt 15 ] || fail "only $shared scenes are shared"
echo "every scene has the hash of one process; $shared are shared, and not:$unshared"

# Numbers of ranks, depths, parts and threads, with springs alone, constraints, tethers, and a volume.
for name in curtain jelly_block tethered_sheet balloon; do
  "$msd" run "$name" --time 0.05 --json >"$work/one.json" 2>/dev/null
  counts="3 7"
  [ $name != curtain ] || counts="1 2 3 4 7 2 3 4"
  depth=1
  for count in $counts; do
    parts=strips
    [ $((depth % 2)) -eq 1 ] || parts=graph
    compare "$name" 0.05 "$count" $depth $parts $((1 + depth % 2))
    grep -q "not shared" "$work/err" && fail "$name is not shared"
    depth=$((depth + 1))
  done
done
# Fewer pieces than processes, in parts.
"$msd" run two_body_spring --time 0.05 --json >"$work/one.json" 2>/dev/null
compare two_body_spring 0.05 7 1 graph 1
echo "ranks 1, 2, 3, 4 and 7, depths 1 to 8, strips and parts have the hash of one process"

# A checkpoint of four goes on as three, with its trace; one process alone has written both.
"$msd" run curtain --time 0.2 --trace "$work/one.csv" --json >"$work/one.json" 2>/dev/null
several 4 curtain --time 0.1 --save "$work/four.save" --trace "$work/four.csv" >/dev/null 2>&1
several 3 curtain --time 0.2 --resume "$work/four.save" --trace "$work/four.csv" --json >"$work/three.json" 2>/dev/null
same "curtain, resumed on 3" "$(hash_of "$work/one.json")" "$work/three.json"
cmp "$work/one.csv" "$work/four.csv" || fail "the traces differ"
echo "a checkpoint of 4 goes on as 3"

# Bodies of which each process has its part alone: the same summary, but for what needs the whole.
cat >"$work/bodies.json" <<'END'
{ "msd": 1, "duration": 0.1, "substeps": 32, "air_drag": 0.1, "bodies": [
  { "kind": "cloth", "columns": 60, "rows": 50, "mass": 20, "pinned": ["top_left", "top_right", 1500],
    "structural": { "stiffness": 50, "damping": 0.01 }, "shear": { "stiffness": 20 }, "bend": { "stiffness": 3 } },
  { "kind": "rope", "particles": 700, "mass": 20, "from": [0, 0, 1], "to": [3, 0, 1], "pinned": ["first", "last"],
    "stretch": { "stiffness": 100 } },
  { "kind": "block", "cells": [12, 9, 20], "mass": 20, "origin": [0, 0, 4], "velocity": [0.1, 0, 0],
    "pinned": ["top", { "box": { "center": [0, 0, 4], "size": [0.2, 0.2, 0.2] } }],
    "structural": { "ck": 0.01, "cd": 0.01 }, "shear": { "stiffness": 50 } } ] }
END
whole='wall_seconds\|springs_per_second\|threads\|stable_time_step\|capped'

# parts_are_one SCENE: whether parts of it on any number of ranks, at several depths, have the summary of one process.
parts_are_one() {
  "$msd" run "$work/$1.json" --json 2>/dev/null | grep -v "$whole" >"$work/$1.one.json"
  depth=0
  for count in 1 2 3 4 7; do
    several $count "$work/$1.json" --parts own --exchange $depth --threads $((1 + depth % 2)) --json \
      2>"$work/err" | grep -v "$whole" >"$work/more.json"
    cmp "$work/$1.one.json" "$work/more.json" || fail "parts of $1 on $count, depth $depth: $(cat "$work/err")"
    depth=$((depth + 1))
  done
}
parts_are_one bodies
echo "parts of a cloth, a rope and a block have the summary of one process"

# The same with a mesh, and with substeps that are chosen.
awk 'BEGIN { for (i = 0; i < 4000; i++) print "v", i % 50, int(i / 50), i * 7 % 13 / 8
  for (i = 1; i <= 3950; i++) if (i % 50) print "f", i, i + 1, i + 51, i + 50 }' >"$work/sheet.obj"
cat >"$work/mesh.json" <<'END'
{ "msd": 1, "duration": 0.1, "air_drag": 0.1, "bodies": [
  { "kind": "rope", "particles": 700, "mass": 20, "to": [3, 0, 0], "pinned": ["first", "last"],
    "stretch": { "stiffness": 100 } },
  { "kind": "mesh", "file": "sheet.obj", "scale": 0.02, "rotation": [90, 0, 0], "area_density": 0.5,
    "pinned": ["top_left", 1777], "structural": { "stiffness": 90, "damping": 0.01 }, "bend": { "stiffness": 1 } } ] }
END
parts_are_one mesh
grep -q '"substeps": *[0-9][0-9]' "$work/mesh.one.json" || fail "no substeps are chosen: $(cat "$work/mesh.one.json")"
"$msd" run "$work/mesh.json" --time 0.05 --save "$work/mesh.save" >/dev/null 2>&1
several 3 "$work/mesh.json" --parts own --time 0.05 --save "$work/mesh_parts.save" >/dev/null 2>"$work/err" ||
  fail "a checkpoint of a mesh: $(cat "$work/err")"
different=$(cmp -l "$work/mesh_parts.save" "$work/mesh.save" | wc -l)
[ "$different" -le 16 ] || fail "a checkpoint of a mesh has $different bytes that are not those of one process"
echo "parts of a mesh, in chosen substeps, have the summary and the checkpoint of one process"

# Checkpoints of parts: of four as three and as one process, and of one as two.
hash_of "$work/bodies.one.json" >"$work/wanted"
several 4 "$work/bodies.json" --parts own --time 0.05 --save "$work/parts.save" --save-every 1 \
  --trace-energy "$work/parts.csv" --trace "$work/particles.csv" --every 2 >/dev/null 2>"$work/err" ||
  fail "a checkpoint of parts: $(cat "$work/err")"
several 3 "$work/bodies.json" --parts own --time 0.1 --resume "$work/parts.save" --save "$work/parts.save" \
  --trace-energy "$work/parts.csv" --trace "$work/particles.csv" --every 2 --json >"$work/three.json" 2>"$work/err" ||
  fail "a checkpoint of parts, on 3: $(cat "$work/err")"
same "parts, resumed on 3" "$(cat "$work/wanted")" "$work/three.json"
several 4 "$work/bodies.json" --parts own --time 0.05 --save "$work/parts.save" >/dev/null 2>&1
"$msd" run "$work/bodies.json" --time 0.1 --resume "$work/parts.save" --json >"$work/three.json" 2>"$work/err" ||
  fail "a checkpoint of parts, in one process: $(cat "$work/err")"
same "parts, resumed in one process" "$(cat "$work/wanted")" "$work/three.json"
"$msd" run "$work/bodies.json" --time 0.05 --save "$work/whole.save" >/dev/null 2>&1
several 2 "$work/bodies.json" --parts own --time 0.1 --resume "$work/whole.save" --json >"$work/three.json" 2>"$work/err" ||
  fail "a checkpoint of one process, in parts: $(cat "$work/err")"
same "one process, resumed in parts" "$(cat "$work/wanted")" "$work/three.json"
"$msd" run "$work/bodies.json" --trace-energy "$work/whole.csv" --trace "$work/all.csv" --every 2 >/dev/null 2>&1
cmp "$work/parts.csv" "$work/whole.csv" || fail "the energies of parts differ"
cmp "$work/particles.csv" "$work/all.csv" || fail "the traces of parts differ"
# But for the seconds that it took, of 8 bytes, and the checksum of these too.
different=$(cmp -l "$work/parts.save" "$work/whole.save" | wc -l)
[ "$different" -le 16 ] || fail "a checkpoint of parts has $different bytes that are not those of one process"
echo "a checkpoint of parts goes on as any number of processes, and as one, with its traces"

# exported SCENE FORMAT COUNT: whether parts of it write the files that one process writes.
exported() {
  rm -rf "$work/one" "$work/more"
  "$msd" run "$work/$1.json" --time 0.05 --export "$work/one" --format "$2" >/dev/null 2>&1
  several "$3" "$work/$1.json" --parts own --time 0.05 --export "$work/more" --format "$2" >/dev/null 2>"$work/err" ||
    fail "$2 of parts of $1: $(cat "$work/err")"
  diff -r "$work/one" "$work/more" || fail "$2 of parts of $1 on $3 is not that of one process"
}
exported bodies obj 2
exported bodies ply 3
exported bodies vtk 4
exported bodies vtu 7
exported mesh obj 4
exported mesh vtu 3
exported mesh pc2 2
# And goes on as any number of processes.
rm -rf "$work/more"
several 4 "$work/mesh.json" --parts own --time 0.025 --save "$work/more.save" --export "$work/more" --format pc2 \
  >/dev/null 2>"$work/err" || fail "pc2 of parts: $(cat "$work/err")"
several 3 "$work/mesh.json" --parts own --time 0.05 --resume "$work/more.save" --export "$work/more" --format pc2 \
  >/dev/null 2>"$work/err" || fail "pc2 of parts, resumed: $(cat "$work/err")"
diff -r "$work/one" "$work/more" || fail "pc2 of parts, resumed, is not that of one process"
echo "parts export the files of one process"

# What no part can have is one line.
refused() {
  status=0
  several 3 "$@" --parts own >"$work/out" 2>"$work/err" || status=$?
  [ $status -ne 0 ] || fail "parts take $*"
  [ "$(grep -c '^msd' "$work/err")" -eq 1 ] || fail "parts of $*: $(cat "$work/err")"
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
sed 's/"ck": 0.01, "cd": 0.01/"stiffest": true/' "$work/bodies.json" >"$work/stiffest.json"
refused "$work/stiffest.json" --substeps auto
# And with meshes whose vertices come in any order, and tetrahedra, which the command mesh puts in order.
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
"$msd" mesh "$work/any.obj" "$work/ready.obj" >/dev/null || fail "a mesh is not put in order"
"$msd" mesh "$work/any.node" "$work/ready.node" >/dev/null || fail "tetrahedra are not put in order"
cat >"$work/irregular.json" <<'END'
{ "msd": 1, "duration": 0.1, "air_drag": 0.1, "bodies": [
  { "kind": "mesh", "file": "ready.obj", "scale": 0.02, "area_density": 0.5, "pinned": [0, 1777],
    "structural": { "stiffness": 90, "damping": 0.01 }, "bend": { "stiffness": 1 } },
  { "kind": "tetmesh", "file": "ready.node", "scale": 0.1, "position": [3, 0, 0], "volume": false, "pinned": [5],
    "structural": { "stiffness": 9000, "damping": 0.1 } } ] }
END
parts_are_one irregular
echo "parts of a mesh and of tetrahedra that were put in order have the summary of one process"

sed 's/ready/any/' "$work/irregular.json" >"$work/any.json"
refused "$work/any.json"
sed 's/"scale"/"weld": 0.1, "scale"/' "$work/mesh.json" >"$work/welded.json"
refused "$work/welded.json"
refused "$work/bodies.json" --substeps 1 --dt 10 --time 2000
refused flag
refused "$work/bodies.json" --resume "$work/four.save"
refused "$work/bodies.json" --resume "$work/nothing.save"
head -c 100000 "$work/parts.save" >"$work/cut.save"
refused "$work/bodies.json" --resume "$work/cut.save"
refused "$work/bodies.json" --save "$work/nothing/parts.save"
echo "what parts cannot have is refused in a line"

# odd SCENE FILE RANK STATUS OPTION...: of three processes one is given FILE to resume from, the others good.save.
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
# odd_ones SCENE OPTION...: files that one process alone has not, or has in part, or others than the rest.
odd_ones() {
  scene=$1
  shift
  several 2 "$scene" "$@" --time 0.05 --save "$work/good.save" >/dev/null 2>&1
  several 2 "$scene" "$@" --time 0.1 --save "$work/later.save" >/dev/null 2>&1
  head -c 50000 "$work/good.save" >"$work/cut.save"
  mkdir -p "$work/folder.save"
  for rank in 0 1 2; do
    for file in nothing cut folder later; do
      odd "$scene" "$work/$file.save" $rank 2 "$@" --time 0.2 --trace "$work/odd.csv"
    done
  done
  [ ! -e "$work/odd.csv" ] || fail "a run that did not begin has left a trace"
}
odd_ones "$work/bodies.json" --parts own
odd_ones curtain
echo "a checkpoint that one process alone cannot read ends all with one line"

# One line and the status of one process where all fail.
status=0
several 3 no_such_scene >"$work/out" 2>"$work/err" || status=$?
[ $status -eq 2 ] || fail "a scene that is not there: status $status"
[ "$(grep -c '^msd' "$work/err")" -eq 1 ] || fail "a scene that is not there: $(cat "$work/err")"
echo "an error is one line"

# Whoever is killed ends the others.
several 3 curtain --time 100000 >"$work/out" 2>"$work/err" &
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
[ $status -ne 0 ] || fail "a run that lost a process ended well"
echo "a process that is killed ends all"
