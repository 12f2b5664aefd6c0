#!/bin/sh
# html.sh DOCS README FOLDER: the pages of DOCS and the README as HTML for pandoc's reader, with their pictures; links
# between them lead from page to page, others to where the package of Debian has what they name.
set -eu
docs=$1 readme=$2 folder=$3
links=$(dirname "$0")/links.lua
rm -rf "$folder"
mkdir -p "$folder"
cp -r "$docs/images" "$folder/images"
find "$folder/images" -name '*.gp' -delete
page() {
  title=$(sed -n '/^# /{s/^# //p;q}' "$1")
  pandoc -f gfm -t html5 -s --lua-filter="$links" --metadata pagetitle="$title" --metadata lang=en -o "$2" "$1"
}
page "$readme" "$folder/index.html"
for source in "$docs"/*.md; do
  page "$source" "$folder/$(basename "$source" .md).html"
done
