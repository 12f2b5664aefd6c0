#!/bin/sh
# site.sh BUILD [check] [scorecard]: makes the site in build/site from this checkout and the CMake build in BUILD.
# `scorecard` first measures the guarantees of docs/promises.md. `check` runs the programs and commands of the tutorials
# and recipes, which must print what the pages say. MSD_SITE names another folder than build/site.
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
    for page in first_scene student teacher game_programmer artist researcher; do pages="${pages-} docs/learn/$page.md"; done
    for page in recipes collisions stretchy_cloth other_programs; do pages="$pages docs/howto/$page.md"; done
    # shellcheck disable=SC2086
    $python docs/site/blocks.py "$work/prefix" "$work/blocks" $pages
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
