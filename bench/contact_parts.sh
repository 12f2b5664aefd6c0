#!/bin/sh
# contact_parts.sh FOLDER STATE [THREADS]: where the time of processors goes in a state of bench/contact_states.c, by
# what perf sees of it from the first frame on. FOLDER is that of the build.
set -eu
folder=$1 state=$2 threads=${3:-1}
data=$(mktemp)
trap 'rm -f "$data"' EXIT
perf record --quiet --event cpu-clock --freq 2000 --output "$data" \
  "$folder/bench/contact_states" --alone "$state" "$threads"
perf report --input "$data" --sort symbol --show-nr-samples --stdio 2>/dev/null | awk '
  function part(name) {
    sub(/^msd_private_/, "", name)
    if (name ~ /^(spring_|work)/) return "springs"
    if (name ~ /^(meet_leaf|meet_block|narrow|find_all|pair_find)/) return "lists: pairs"
    if (name ~ /^(pair_(place|lay|meet|enclose|search)|place_all|descend|leave_out_smooth|note_meeting|find_(gradients|leaf_box|least|skin))/) return "lists: boxes"
    if (name ~ /^(near_choose|near_weigh|near_ends|near_choice|vertex_is_outermost|decide|put$|near_pairs_(put|finish|have)|find_owners|corner_lists|tangles)/)
      return "choice"
    if (name ~ /^(act$|near_push|near_move|near_read|near_pairs_share|contact_)/) return "forces"
    if (name ~ /^(cells_|find_witness|half_space_of|approach_of)/) return "cells"
    if (name ~ /^(near_stray|forecast_)/) return "skins"
    if (name ~ /^(orientation|expansion|hulls_meet|is_apart|is_covered|box_tree|meet_in_plane|coordinates_overlap|pieces_meet|intersections|make_share|lay_out|vertex_order|sort_by_key|surface_mesh|network)/)
      return "the first step"
    return "others"
  }
  $1 ~ /%$/ && $3 ~ /^\[/ { samples[part($4)] += $2; all += $2 }
  END {
    print "| part | of all |\n|---|---|"
    for (name in samples)
      printf "| %s | %.1f %% |\n", name, 100 * samples[name] / all | "sort -t\"|\" -k3 -n -r"
  }'
