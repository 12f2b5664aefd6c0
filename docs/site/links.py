#!/usr/bin/python3
"""links.py REPOSITORY SITE: every link and anchor of the site, and of the documents as they read on a Git host, leads
somewhere, and no page loads anything from elsewhere."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).parent))
from assemble import LINK, host_slug, is_external, outside_code  # noqa: E402

LOADED = {("img", "src"), ("script", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("link", "href")}


class Page(HTMLParser):
    """The anchors of a page, where it leads, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.anchors.update(filter(None, (given.get("id"), given.get("name") if tag == "a" else None)))
        for key in ("href", "src"):
            if key in given and given[key] is not None:
                loaded = (tag, key) in LOADED and given.get("rel") not in ("canonical", "next", "prev")
                (self.loads if loaded else self.links).append(given[key])


def check_site(site):
    pages = {path.resolve(): Page(path.read_text()) for path in sorted(site.rglob("*.html")) if "web" not in path.relative_to(site).parts}
    count = 0
    for path, page in pages.items():
        where = path.relative_to(site.resolve())
        yield from (f"{where}: loads {one} from elsewhere" for one in page.loads if is_external(one) and not one.startswith("data:"))
        for target in page.links + page.loads:
            if is_external(target) or where.name == "404.html":
                continue
            count += 1
            name, _, anchor = target.partition("#")
            there = (path.parent / unquote(name)).resolve() if name else path
            there = there / "index.html" if there.is_dir() else there
            if not there.exists():
                yield f"{where}: {target} leads nowhere"
            elif anchor and there in pages and unquote(anchor) not in pages[there].anchors | {"__codelineno", ""}:
                yield f"{where}: {target}: there is no such anchor"
    for sheet in site.rglob("*.css"):
        yield from (f"{sheet.relative_to(site)}: loads {url}" for url in re.findall(r"url\(['\"]?(https?:[^)]*)", sheet.read_text()))
    print(f"links: {count} links of {len(pages)} pages")


def anchors_on_host(text):
    """Of headings, a second one of the same name with -1, and those that are written out."""
    anchors = set()
    def heading(found):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", found[1]).replace("`", "")
        slug, n = host_slug(words), 0
        while slug in anchors:
            n += 1
            slug = f"{host_slug(words)}-{n}"
        anchors.add(slug)
        return ""
    outside_code(text, lambda part: re.sub(r"^#{1,6} +(.*?)(?: *\{#.*\})?$", heading, part, flags=re.M))
    return anchors | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def check_host(root):
    documents = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "bench/notes").glob("*.md"), *(root / "python").glob("*.md")]
    texts = {path.resolve(): path.read_text() for path in documents}
    anchors = {path: anchors_on_host(text) for path, text in texts.items()}
    for path, text in texts.items():
        targets = []
        outside_code(text, lambda part: targets.extend(found["target"] for found in LINK.finditer(part)) or part)
        targets += re.findall(r'<(?:img|a)[^>]*\b(?:src|href)="([^"]+)"', text)
        for target in targets:
            name, _, anchor = target.partition("#")
            there = (path.parent / unquote(name)).resolve() if name else path
            if is_external(target):
                continue
            if not there.exists():
                yield f"{path.relative_to(root.resolve())}: {target} leads nowhere on a Git host"
            elif anchor and there in anchors and anchor not in anchors[there]:
                yield f"{path.relative_to(root.resolve())}: {target}: there is no such heading"


if __name__ == "__main__":
    wrong = [*check_host(Path(sys.argv[1])), *check_site(Path(sys.argv[2]))]
    print("\n".join(sorted(set(wrong))), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)
