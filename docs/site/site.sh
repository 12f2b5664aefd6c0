#!/bin/sh
# site.sh BUILD [check]: the site in build/site, of this checkout and of what CMake has built in BUILD. With `check` the
# programs and commands of the tutorials and recipes are run too, and must print what the pages say.
set -eu
cd "$(dirname "$0")/../.."
build=$1
work=build/site.work
# Debian's Python, which has Debian's packages, wherever another one stands first in the path.
python=/usr/bin/python3
[ -x $python ] || python=python3

mkdir -p $work
if [ "${2:-}" = check ]; then
  cmake --install "$build" --prefix $work/prefix >$work/install.log
  $python docs/site/blocks.py $work/prefix $work/blocks docs/tutorials/*.md docs/recipes.md
fi
$python docs/site/assemble.py . $work
PYTHONPATH=$PWD/docs/site $python -m mkdocs build --clean --strict -f $work/mkdocs.yml 2>$work/mkdocs.log ||
  { cat $work/mkdocs.log && exit 1; }
$python docs/site/links.py . build/site
echo "the site: build/site/index.html"
