#!/bin/sh
# test_checks.sh FOLDER: each check passes on a small tree in FOLDER, and finds what is put wrong in it.
set -eu
check=$(cd "$(dirname "$0")" && pwd)/check.sh
rm -rf "$1"
mkdir -p "$1"
cd "$1"
status=0

# source FILE: writes standard input there.
source() {
  mkdir -p "tree/$(dirname "$1")"
  cat >"tree/$1"
}

# A tree in which nothing is wrong, to be copied.
make_tree() {
  source docs/architecture.md <<'TREE'
| room | what lives there |
|---|---|
| `engine/include/msd` | what others see |
| `engine/base` | the ground |
| `engine/world` | the world |
| `app` | the command |
TREE
  echo 'int msd_world(void);' | source engine/include/msd/msd.h
  echo '#include "msd/msd.h"' | source engine/base/sort.h
  echo '#include "engine/base/sort.h"' | source engine/base/memory.h
  echo '#include "engine/base/memory.h"' | source engine/world/world.h
  printf '#include "engine/world/world.h"\n#include <math.h>\n' | source engine/world/world.c
  printf '#include "made_while_building.h"\n#include <msd/msd.h>\n' | source app/main.c
  echo '#include "engine/world/world.h"' | source tests/engine/test_world.c
  mv tree whole
}

# A fresh copy of it.
tree() {
  rm -rf tree
  cp -R whole tree
}

# lines COUNT TEXT: that many lines.
lines() {
  awk -v count="$1" -v text="$2" 'BEGIN { while (count-- > 0) print text }'
}

passes() {
  if ! "$check" tree "$1" >said 2>&1; then
    echo "$1 fails, though $2:" && cat said
    status=1
  fi
}

# fails CHECK TEXT: the check fails with one complaint, which has this text.
fails() {
  if "$check" tree "$1" >said 2>&1; then
    echo "$1 does not see: $2"
    status=1
  elif ! grep -qF -- "$2" said || [ "$(grep -c '^[^ ]' said)" -ne 1 ]; then
    echo "$1 should say only '$2' and says:" && cat said
    status=1
  fi
}

make_tree
tree
for one in rooms lines lengths faults merges; do
  passes $one "nothing is wrong"
done

# Merges
tree && printf 'ours\n<<<<<<%s HEAD\ntheirs\n' '<' | source docs/architecture.md
fails merges "docs/architecture.md:2:"
tree && printf '/* ours */\n>>>>>>%s side\n' '>' | source engine/base/sort.c
fails merges "engine/base/sort.c:2:"

# Rooms
tree && echo '#include "engine/world/world.h"' | source engine/base/sort.c
fails rooms "engine/base/sort.c:1: engine/base includes engine/world/world.h, which is on a higher floor"
tree && echo '#  include <engine/world/world.h> /* spelled otherwise */' | source engine/base/sort.c
fails rooms "engine/base includes engine/world/world.h, which is on a higher floor"
tree && echo '#include "engine/base/memory.h"' | source engine/include/msd/world.h
fails rooms "engine/include/msd includes engine/base/memory.h, which is on a higher floor"
tree && echo '#include "engine/base/memory.h"' | source app/list.c
fails rooms "app includes engine/base/memory.h; outside of the engine only its public headers are known"
tree && echo '#include "tests/engine/test_world.c"' | source app/list.c
fails rooms "app includes a file of the tests"
tree && echo '#include "memory.h"' | source engine/base/sort.c
fails rooms 'write the path from the top: "engine/base/memory.h"'
tree && echo '#include "engine/base/memory.h"' | source engine/base/sort.h
fails rooms "headers include each other in a circle"
tree && echo '' | source engine/attic/old.c
fails rooms "the table of docs/architecture.md has no room engine/attic"
tree && rm -r tree/app
fails rooms "there is no room app"
tree && echo '' >tree/docs/architecture.md
fails rooms "docs/architecture.md has no table"

# Lines, counted in letters: of 113 letters in 113 bytes, and of 112 in 224
tree && printf '%0113d\n' 0 | source app/list.c
fails lines "app/list.c:1: 113 columns, 112 is the most"
tree && awk 'BEGIN { while (i++ < 112) printf "\303\204"; print "" }' | source app/list.c
passes lines "112 letters are not too many"

# Lengths
tree && lines 601 "int a;" | source app/list.c
fails lengths "app/list.c: 601 lines, 600 is the most"
tree && lines 600 "int a;" | source app/list.c
passes lengths "600 lines are not too many"
tree && lines 601 "int a;" | source engine/base/private_names.h
passes lengths "a list that is written by a command"
function_of() {
  printf '/* A comment (with one; and a brace) {\n   of two lines. */\nstatic struct {\n  int b;\n} c;\n\n' &&
    printf 'struct a *f(int b,\n            int c) {\n' && lines $(($1 - 3)) "  f(b);" && echo '}' && echo 'int d;'
}
tree && function_of 61 | source app/list.c
fails lengths "app/list.c:7: 61 lines, 60 is the most of a function"
tree && function_of 60 | source app/list.c
passes lengths "60 lines are not too many"
tree && { echo 'Test(room, a_claim, .timeout = 1) {' && lines 59 '  ;' && echo '}'; } | source tests/engine/test_world.c
fails lengths "tests/engine/test_world.c:1: 61 lines"
tree && { echo 'static int table[] = {' && lines 100 '  (1),' && echo '};'; } | source app/list.c
passes lengths "a table is no function"

# Faults
printf '# A list\n\nfault: one\nin: app\nfrom: int a\nto: int b\ntest: list\n' >faults.txt
tree && cat faults.txt | source tests/faults/faults.txt && echo 'int a;' | source app/list.c
passes faults "the fault has its line"
echo 'int a; int b;' | source app/other.c
fails faults "one: 2 lines of app have its text; it takes one"
tree && cat faults.txt | source tests/faults/faults.txt && echo 'int a;' | source engine/base/sort.c
fails faults "one: 0 lines of app have its text; it takes one"

# Packages, those of this project beside a header of two functions
packages_of() {
  tree && cp -r "$(dirname "$check")/../../packaging" tree/packaging
  echo 'set(msd_soversion 0)' | source CMakeLists.txt
  printf '#define MSD_VERSION_%s %s\n' MAJOR "$1" MINOR "$2" PATCH "$3" | source engine/include/msd/base.h
  printf '#define msd_one msd_one_float\nMSD_API int msd_one(void);\nMSD_API const char *\nmsd_two(int a);\n' |
    source engine/include/msd/msd.h
  tree/packaging/symbols.sh write
}
own=$(sed -n '1s/^msd (\(.*\)-[^-]*) .*/\1/p' "$(dirname "$check")/../../packaging/debian/changelog")
packages_of $(echo "$own" | tr . ' ')
cp tree/packaging/vcpkg/vcpkg.json whole_port.json
passes packages "one version, and the list of the headers"
[ "$(grep -c '^ msd_one_float@Base \| msd_two@Base ' tree/packaging/debian/libmsd0.symbols)" = 2 ] ||
  { echo "the list of symbols has other names" && status=1; }
echo 'MSD_API int msd_three(void);' >>tree/engine/include/msd/msd.h
fails packages "libmsd0.symbols is not what the headers declare"
packages_of $(echo "$own" | tr . ' ')
sed 's/"version": .*/"version": "9.8.7",/' whole_port.json >tree/packaging/vcpkg/vcpkg.json
fails packages "packaging/vcpkg/vcpkg.json: has version '9.8.7', and engine/include/msd/base.h $own"

# Format, where there is a clang-format of this version
tree && echo 'int  a;' | source app/list.c
cp "$(dirname "$check")/../../.clang-format" tree
if ! "$check" tree format 2>/dev/null | grep -q '^skipped'; then
  if "$check" tree format >said 2>&1; then
    echo "format does not see two spaces"
    status=1
  fi
  tree && cp "$(dirname "$check")/../../.clang-format" tree
  passes format "nothing is wrong"
fi
exit $status
