#!/bin/sh
# contact_parts.sh BUILD STATE [THREADS]: CPU time of the stages of contact in a state of bench/contact_states.c, as perf
# samples it from the first frame on. BUILD is the folder of the build.
set -eu
folder=$1 state=$2 threads=${3:-1}
data=$(mktemp)
trap 'rm -f "$data"' EXIT
perf record --quiet --event cpu-clock --freq 2000 --output "$data" \
  "$folder/bench/contact_states" --alone "$state" "$threads"
perf report --input "$data" --sort symbol --show-nr-samples --stdio 2>/dev/null | awk '
  function stage(name) {
    sub(/^msd_private_/, "", name)
    if (name ~ /^(spring_|advance_|accelerations|go_through_runs|work)/) return "springs"
    if (name ~ /^(meet_leaf|narrow|find_all|find_pairs|pair_find|clusters_to_certify)/) return "broad phase: pairs"
    if (name ~ /^(pair_(place|lay|meet|enclose|search|seek)|place_all|descend|leave_out_smooth|note_meeting|find_(gradients|leaf_box))/) return "broad phase: boxes"
    if (name ~ /^(classify_pairs|measure_pairs|near_(ends|choice|kernel|weigh|ask|reach|hold)|active_|vertex_is_outermost|decide|put$|near_pairs_(put|finish|have)|corner_lists|penetrations)/)
      return "active pairs"
    if (name ~ /^(act$|near_push|near_move|near_read|near_pairs_share|friction_cache|contact_)/) return "contact forces"
    if (name ~ /^(separation_|cell)/) return "separating planes"
    if (name ~ /^(near_violate_skins|find_strayed|motion_bound_|self_contact_(strays|within_skins))/) return "skin checks"
    if (name ~ /^(orientation|expansion|hulls_meet|box_tree|meet_in_plane|pieces_meet|intersections|make_share|lay_out_members|flat_region|cluster_|triangle_joins|vertex_order|sort_by_key|surface_mesh|network)/)
      return "first substep"
    return "other"
  }
  $1 ~ /%$/ && $3 ~ /^\[/ { samples[stage($4)] += $2; all += $2 }
  END {
    print "| stage | CPU time |\n|---|---|"
    for (name in samples)
      printf "| %s | %.1f %% |\n", name, 100 * samples[name] / all | "sort -t\"|\" -k3 -n -r"
  }'
