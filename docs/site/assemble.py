#!/usr/bin/python3
"""assemble.py REPOSITORY FOLDER: the pages of the site, for mkdocs, in FOLDER/source.

The pages have the places that they have in the repository, so their links to each other hold in both. What else a
page links to, sources and folders, becomes a page of its own beside them. To these come the reference of the C
interface, and the pages that others have left in FOLDER: the scorecard.
"""

import html
import re
import shutil
import sys
from pathlib import Path
from urllib.parse import unquote

import yaml

sys.path.insert(0, str(Path(__file__).parent))
from reference import Reference  # noqa: E402

PICTURES = {".png", ".jpg", ".webp", ".svg", ".gif"}
LINK = re.compile(r"(?P<before>!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()(?P<target>[^)\s]+)(?P<after>\))")
HEADERS = "engine/include/msd/"
NOTES = "bench/notes/"
LARGEST_SOURCE = 400_000
# Where Debian's libjs-katex puts it.
KATEX = Path("/usr/share/javascript/katex")
# The pages that the navigation names one by one.
GROUPS = ("docs/learn/", "docs/howto/", "docs/reference/", "docs/explain/")


def host_slug(text, separator="-"):
    """The anchor of a heading, as Git hosts make it: so a link to it holds in both places."""
    text = re.sub(r"<[^>]*>", "", html.unescape(text)).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", separator)


def outside_code(text, change):
    """The text with `change` made of what is not in fenced code."""
    parts = re.split(r"(^ *```.*?^ *```[ \t]*$)", text, flags=re.S | re.M)
    return "".join(part if n % 2 else change(part) for n, part in enumerate(parts))


def is_external(target):
    return re.match(r"[a-z]+:", target) is not None


class Site:
    def __init__(self, root, out):
        self.root, self.out = Path(root).resolve(), Path(out)
        self.source = self.out / "source"
        self.wanted, self.shown, self.wrong = [], set(), []

    def page(self, path, text=None):
        """Copies a page, or this text as one, its links to what is no page led to where that is in the site."""
        def link(found):
            return found["before"] + self.target(path, found["target"]) + found["after"]
        text = outside_code(text or (self.root / path).read_text(), lambda part: LINK.sub(link, part))
        self.write(path, text)

    def target(self, path, target):
        if is_external(target) or target.startswith("#"):
            return target
        name, _, anchor = target.partition("#")
        there = (self.root / path).parent.joinpath(unquote(name)).resolve()
        if not there.exists() or self.root not in there.parents:
            self.wrong.append(f"{path}: links to {target}, which is not there")
            return target
        local = there.relative_to(self.root).as_posix()
        up = "../" * (len(Path(path).parts) - 1)
        if there.suffix in PICTURES or there.suffix == ".md":
            if there.suffix in PICTURES:
                self.copy(local)
            return target
        if local.startswith(HEADERS) and there.suffix == ".h":
            return f"{up}api/{'index' if there.stem == 'msd' else there.stem}.md" + ("#" + anchor if anchor else "")
        if local + "/" == HEADERS:
            return f"{up}api/index.md"
        self.wanted.append(local)
        return up + self.place(local)

    def place(self, local):
        """Where the page of a source or folder is."""
        if (self.root / local).is_dir():
            return f"{local}/README.md" if (self.root / local / "README.md").exists() else f"{local}/index.html"
        return f"{local}.html"

    def sources(self):
        """A page for each source and folder that pages link to, and for what is in those folders."""
        while self.wanted:
            local = self.wanted.pop()
            if local in self.shown:
                continue
            self.shown.add(local)
            path = self.root / local
            if path.is_dir():
                if not (path / "README.md").exists():
                    self.folder(local, path)
            else:
                self.file(local, path)

    def folder(self, local, path):
        names = sorted(p for p in path.iterdir() if not p.name.startswith(("__pycache__", ".")) and self.readable(p))
        self.wanted += [p.relative_to(self.root).as_posix() for p in names]
        items = "".join(f'<li><a href="{p.name}{"/index" if p.is_dir() else ""}.html">{p.name}</a></li>\n' for p in names)
        self.write(f"{local}/index.html", self.bare(local, f"<ul>\n{items}</ul>", depth=local.count("/") + 1))

    @staticmethod
    def readable(path):
        if path.is_dir():
            return not (path / "README.md").exists()
        if path.stat().st_size > LARGEST_SOURCE:
            return False
        return b"\0" not in path.read_bytes()[:4096]

    def file(self, local, path):
        lines = html.escape(path.read_text(errors="replace"), quote=False)
        self.write(f"{local}.html", self.bare(local, f"<pre>{lines}</pre>", depth=local.count("/")))

    @staticmethod
    def bare(title, body, depth):
        up = "../" * depth
        return (f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
                f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                f'<link rel="stylesheet" href="{up}docs/site/style.css"></head>\n<body class="source">'
                f'<p><a href="{up}index.html">msd</a> / {title}</p>\n{body}\n</body></html>\n')

    def copy(self, local):
        there = self.source / local
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self.root / local, there)

    def write(self, local, text):
        there = self.source / local
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_text(text)

    def demo(self):
        """The page with the demo of the browser, where ./dev web has built it."""
        built = self.root / "build/web/page"
        words = "# In the browser\n\n"
        if (built / "index.html").exists():
            shutil.copytree(built, self.source / "web")
            words += ('The same engine and drawing, compiled to WebAssembly. Drag the cloth with the pointer or a '
                      'finger. It needs a server for its files: opened from a disk the page stays empty.\n\n'
                      '<iframe class="demo" src="web/index.html" title="msd in the browser"></iframe>\n\n'
                      '[The demo on a page of its own](web/index.html)\n')
        else:
            words += ("This copy of the site was built without the demo of the browser: `./dev web` makes that, and then "
                      "`./dev site` shows it here.\n\nUntil then there are the [pictures of the scenes](docs/reference/scenes.md), and the [viewer](docs/howto/viewer.md) "
                      "of the command: `msd view curtain`.\n")
        self.write("demo.md", words)

    def scorecard(self):
        made = self.out / "scorecard.md"
        self.page("scorecard.md", made.read_text() if made.exists() else
                  "# Scorecard\n\nThis copy of the site was built without it: `./dev scorecard` measures.\n")

    def navigation(self, pages):
        text = (self.root / "docs/site/mkdocs.yml").read_text()
        named = set(re.findall(r"[\w/]+\.md", text))
        self.wrong += [f"{page}: is not in the navigation of docs/site/mkdocs.yml" for page in pages
                       if page.startswith(GROUPS) and page not in named]
        config = yaml.load(text, Loader=_loader())
        reference = sorted(p.name for p in (self.source / "api").glob("*.md") if p.name != "index.md")
        headers = next(item["C interface"] for section in config["nav"] for item in section.get("Look up", [])
                       if "C interface" in item)
        headers += ["api/index.md"] + [{n[:-3] + ".h": f"api/{n}"} for n in reference]
        if KATEX.exists():
            shutil.copytree(KATEX, self.source / "katex", ignore=shutil.ignore_patterns("contrib", "*.mjs", "katex.js", "katex.css"))
            self.copy("docs/site/math.js")
            config["markdown_extensions"].append({"pymdownx.arithmatex": {"generic": True}})
            config["extra_css"].append("katex/katex.min.css")
            config["extra_javascript"] = ["katex/katex.min.js", "docs/site/math.js"]
        (self.out / "mkdocs.yml").write_text(yaml.dump(config, sort_keys=False, Dumper=_dumper()))

    def build(self):
        shutil.rmtree(self.source, ignore_errors=True)
        pages = ["README.md", "CHANGELOG.md"]
        pages += sorted(p.relative_to(self.root).as_posix() for folder in ("docs", NOTES) for p in (self.root / folder).rglob("*.md"))
        reached = set()
        while pages_left := [p for p in pages if p not in reached]:
            for page in pages_left:
                reached.add(page)
                self.page(page)
            pages += [self.place(w) for w in set(self.wanted) if self.place(w).endswith(".md") and self.place(w) not in pages]
        for picture in (self.root / "docs/images").rglob("*"):
            if picture.suffix in PICTURES:
                self.copy(picture.relative_to(self.root).as_posix())
        self.scorecard()
        self.copy("docs/site/style.css")
        self.wanted += [HEADERS + "msd.hpp", "LICENSE"]
        self.sources()
        reference = Reference(self.root / HEADERS)
        self.wrong += reference.errors()
        reference.write(self.source / "api")
        self.demo()
        self.navigation(pages)
        return self.wrong


class _Tag(str):
    """A tag of YAML that only mkdocs understands, kept as it is."""


def _loader():
    class Loader(yaml.SafeLoader):
        pass
    Loader.add_multi_constructor("tag:yaml.org,2002:python/name:", lambda loader, suffix, node: _Tag(suffix))
    return Loader


def _dumper():
    class Dumper(yaml.SafeDumper):
        pass
    Dumper.add_representer(_Tag, lambda dumper, tag: dumper.represent_scalar(
        f"tag:yaml.org,2002:python/name:{tag}", ""))
    return Dumper


if __name__ == "__main__":
    errors = Site(sys.argv[1], sys.argv[2]).build()
    print("\n".join(errors), file=sys.stderr, end="\n" if errors else "")
    sys.exit(1 if errors else 0)
