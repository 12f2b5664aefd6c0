#!/bin/sh
# site.sh BUILD [check] [scorecard]: the site in build/site, of this checkout and of what CMake has built in BUILD. With
# `scorecard` the promises of the README are measured first; with `check` the programs and commands of the tutorials and
# recipes are run, and must print what the pages say. MSD_SITE names another folder than build/site.
set -eu
cd "$(dirname "$0")/../.."
build=$1
shift
mkdir -p "${MSD_SITE:-build/site}"
site=$(cd "${MSD_SITE:-build/site}" && pwd)
work=$site.work
# Debian's Python, which has Debian's packages, wherever another one stands first in the path.
python=/usr/bin/python3
[ -x $python ] || python=python3
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

mkdir -p "$work"
[ $# -eq 0 ] || cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
for what in "$@"; do
  case $what in
  check)
    $python docs/site/test_site.py
    $python docs/site/blocks.py "$work/prefix" "$work/blocks" docs/tutorials/*.md docs/recipes.md
    ;;
  scorecard) $python docs/site/scorecard.py "$build" "$work/prefix" "$work" ;;
  *) echo "site.sh: there is no '$what'; there are check and scorecard" >&2 && exit 2 ;;
  esac
done
$python docs/site/assemble.py . "$work"
PYTHONPATH=$PWD/docs/site $python -m mkdocs build --clean --strict -d "$site" -f "$work/mkdocs.yml" 2>"$work/mkdocs.log" ||
  { cat "$work/mkdocs.log" && exit 1; }
$python docs/site/links.py . "$site"
echo "the site: ${MSD_SITE:-build/site}/index.html"
