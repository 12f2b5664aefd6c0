#!/bin/sh
# private_names.sh NM LIBRARY HEADER [write]: whether HEADER renames each function and table that the objects of the
# engine share and the public headers do not declare, and nothing else; or writes it anew.
set -eu
nm=$1 library=$2 header=$3
LC_ALL=C
export LC_ALL

# Some targets put an underscore before each name; what a compiler adds begins with one, or has a dot.
shared() {
  "$nm" -g -P "$library" | awk 'NF > 2 && $2 ~ /^[A-TV-Z]$/ { sub(/^_/, "", $1); print $1 }' | grep -E '^[a-z][a-z0-9_]*$' |
    sed -e '/^msd_private_/s///' -e t -e '/^msd_/d' | sort -u
}

renamed() {
  awk '$1 == "#define" && NF == 3 { print $2 }' "$header" | sort
}

shared >shared_names
if [ "${4:-}" = write ]; then
  awk '$1 == "#define" && NF == 3 { exit } { print }' "$header" >new_header
  sed 's/.*/#define & msd_private_&/' shared_names >>new_header
  printf '\n#endif\n' >>new_header
  cat new_header >"$header"
  exit
fi

# Kernels for wide vectors are not built everywhere.
renamed >renamed_names
status=0
for name in $(comm -23 shared_names renamed_names); do
  echo "$header: $name is missing; ./dev names writes the list anew" && status=1
done
for name in $(comm -13 shared_names renamed_names | grep -v '^kernels_'); do
  echo "$header: there is no $name any more; ./dev names writes the list anew" && status=1
done
exit $status
