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
  source docs/explain/architecture.md <<'TREE'
| module | contents |
|---|---|
| `engine/include/msd` | the interface |
| `engine/base` | the base |
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
for one in modules lines lengths words faults merges; do
  passes $one "nothing is wrong"
done

# Merges
tree && printf 'ours\n<<<<<<%s HEAD\ntheirs\n' '<' | source docs/explain/architecture.md
fails merges "docs/explain/architecture.md:2:"
tree && printf '/* ours */\n>>>>>>%s side\n' '>' | source engine/base/sort.c
fails merges "engine/base/sort.c:2:"

# Modules
tree && echo '#include "engine/world/world.h"' | source engine/base/sort.c
fails modules "engine/base/sort.c:1: engine/base includes engine/world/world.h, which is a later module"
tree && echo '#  include <engine/world/world.h> /* spelled otherwise */' | source engine/base/sort.c
fails modules "engine/base includes engine/world/world.h, which is a later module"
tree && echo '#include "engine/base/memory.h"' | source engine/include/msd/world.h
fails modules "engine/include/msd includes engine/base/memory.h, which is a later module"
tree && echo '#include "engine/base/memory.h"' | source app/list.c
fails modules "app includes engine/base/memory.h; outside of the engine only its public headers are known"
tree && echo '#include "tests/engine/test_world.c"' | source app/list.c
fails modules "app includes a file of the tests"
tree && echo '#include "memory.h"' | source engine/base/sort.c
fails modules 'write the path from the top: "engine/base/memory.h"'
tree && echo '#include "engine/base/memory.h"' | source engine/base/sort.h
fails modules "headers include each other in a cycle"
tree && echo '' | source engine/attic/old.c
fails modules "the table of docs/explain/architecture.md has no module engine/attic"
tree && rm -r tree/app
fails modules "there is no module app"
tree && echo '' >tree/docs/explain/architecture.md
fails modules "docs/explain/architecture.md has no table"

# Lines, counted in letters: of 113 letters in 113 bytes, and of 112 in 224
tree && printf '%0113d\n' 0 | source app/list.c
fails lines "app/list.c:1: 113 columns, 112 is the most"
tree && awk 'BEGIN { while (i++ < 112) printf "\303\204"; print "" }' | source app/list.c
passes lines "112 letters are not too many"

# Lengths
tree && lines 1501 "int a;" | source app/list.c
fails lengths "app/list.c: 1501 lines, 1500 is the most"
tree && lines 1500 "int a;" | source app/list.c
passes lengths "1500 lines are not too many"
tree && lines 1501 "int a;" | source engine/base/private_names.h
passes lengths "a list that is written by a command"
function_of() {
  printf '/* A comment (with one; and a brace) {\n   of two lines. */\nstatic struct {\n  int b;\n} c;\n\n' &&
    printf 'struct a *f(int b,\n            int c) {\n' && lines $(($1 - 3)) "  f(b);" && echo '}' && echo 'int d;'
}
tree && function_of 121 | source app/list.c
fails lengths "app/list.c:7: 121 lines, 120 is the most of a function"
tree && function_of 120 | source app/list.c
passes lengths "120 lines are not too many"
tree && { echo 'Test(module, a_claim, .timeout = 1) {' && lines 119 '  ;' && echo '}'; } | source tests/engine/test_world.c
fails lengths "tests/engine/test_world.c:1: 121 lines"
tree && { echo 'static int table[] = {' && lines 100 '  (1),' && echo '};'; } | source app/list.c
passes lengths "a table is no function"

# Words, where there is a Python. British ones are put together here, since this file is read too.
words_of() {
  awk -v count="$1" 'BEGIN { while (++i < count) printf "a "; print "b." }'
}
words_tests() {
  tree && printf '# A page\n\nA cloth\nis led along.\n' | source docs/howto/page.md
  fails words 'docs/howto/page.md:4: "led": write kinematic'
  tree && printf 'Nothing\n\nis told\nof a "code" here.\n' | source docs/theory/page.md
  fails words 'docs/theory/page.md:3: "is told of": write'
  tree && printf 'Use `is led`, [led to](led.md).\n\n```\nis led\n```\n' | source docs/howto/page.md
  passes words "code is no prose, and a rule has an exception"
  tree && printf '/* It is\n   made anew. */\nint led;\n' | source engine/base/sort.c
  fails words 'engine/base/sort.c:2: "anew": write again'
  tree && printf 'int f(void) {\n  return say("a cloth that is "\n             "led along");\n}\n' | source app/list.c
  fails words 'app/list.c:3: "led": write'
  tree && printf '/* It is led. */\nconst char *led = "led";\n' | source app/list.c
  passes words "names and single words are no messages, and comments of the command are not read"
  tree && printf '{\n  "led": "is led",\n  "description": "It is led"\n}\n' | source scenes/a.json
  fails words 'scenes/a.json:3: "led": write'
  tree && printf 'def f():\n    """A page\n    made anew.\n    """\n' | source python/msd/a.py
  fails words 'python/msd/a.py:3: "anew": write again'
  tree && printf '<style>a { led: 1 }</style>\n<p class="is led">It is led</p>\n' | source web/page/index.html
  fails words 'web/page/index.html:2: "led": write'

  tree && printf '\nint two_colo%ss;\n' ur | source tests/engine/test_world.c
  fails words "tests/engine/test_world.c:2: \"colo""urs\": British; write color"
  tree && printf '\nIt is normali%sd and its fib%ss too.\n' se re | source docs/howto/page.md
  ! "$check" tree words >said 2>&1 && [ "$(grep -c '^docs/howto/page.md:2: .*British' said)" -eq 2 ] ||
    { echo "words should see two British words in a line, and says:" && cat said && status=1; }
  tree && printf 'Promises, programming, parameters, analyses and elementary revision.\n' | source docs/howto/page.md
  passes words "nothing here is British"

  tree && { echo && words_of 41; } | source docs/howto/page.md
  fails words "docs/howto/page.md:2: a sentence of 41 words, 40 is the most: a a a a a ..."
  tree && { words_of 40 && words_of 39 && printf '\n```\n' && words_of 41 && printf '```\n\n| '; } >page
  { cat page && words_of 41 && printf '\n- ' && words_of 21 && printf -- '- ' && words_of 21; } | source docs/howto/page.md
  passes words "sentences end, and code, tables and items of lists are none"
  tree && words_of 41 | source docs/theory/page.md
  passes words "sentences of the theory may be longer"
  tree && { echo '/* a */' && echo '/*' && words_of 41 && echo '*/'; } | source engine/include/msd/msd.h
  fails words "engine/include/msd/msd.h:3: a sentence of 41 words"
  tree && printf 'int f(void) {\n  return say("%s"\n             "%s");\n}\n' "$(words_of 20 | tr . ' ')" "$(words_of 21)" |
    source app/list.c
  fails words "app/list.c:2: a sentence of 41 words"

  tree && lines 300 'Five words are in this.' | source docs/howto/page.md
  passes words "1500 words are not too many"
  echo 'One.' >>tree/docs/howto/page.md
  fails words "docs/howto/page.md: 1501 words, 1500 is the most of a page"
  mkdir tree/docs/reference && mv tree/docs/howto/page.md tree/docs/reference
  passes words "pages of the reference may be longer"
}
! command -v python3 >/dev/null || words_tests

# Subjects, of 73 letters in 73 bytes, and of 72 in 144; and longer ones of earlier
repository() {
  tree && git -C tree init -q && commit "$(printf '%0100d' 0)" 2026-11-27T12:00:00Z
}
commit() {
  GIT_AUTHOR_DATE=$2 GIT_COMMITTER_DATE=$2 git -C tree -c user.name=a -c user.email=a@b commit -q --allow-empty -m "$1"
}
if command -v git >/dev/null; then
  repository
  passes subjects "earlier commits have longer subjects"
  commit "$(awk 'BEGIN { while (i++ < 72) printf "\303\204"; print "" }')" 2026-11-30T12:00:00Z
  passes subjects "72 letters are not too many"
  commit "$(printf '%073d' 0)" 2026-12-01T12:00:00Z
  fails subjects "a subject of 73 letters, 72 is the most: 000"
fi

# Faults
printf '# A list\n\nfault: one\nin: app\nfrom: int a\nto: int b\ntest: list\n' >faults.txt
tree && cat faults.txt | source tests/faults/faults.txt && echo 'int a;' | source app/list.c
fails faults "there is no test_list.c"
echo 'int b;' | source tests/app/test_list.c
passes faults "the fault has its line and its test"
echo 'int a; int b;' | source app/other.c
fails faults "one: 2 lines of app have its text; it takes one"
tree && cat faults.txt | source tests/faults/faults.txt && echo 'int a;' | source engine/base/sort.c
echo 'int b;' | source tests/app/test_list.c
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
