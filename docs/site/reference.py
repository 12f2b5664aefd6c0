"""The reference of the C interface, made from the comments of its headers: a page for each header, and one of all.

The headers are the only source. What they leave without a word, and names in their comments that are nowhere
declared, are errors, so that the reference cannot fall behind them.
"""

import html
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

TOKEN = re.compile(r"/\*(?P<comment>.*?)\*/|^#(?P<directive>(?:[^\n]*\\\n)*[^\n]*)$|(?P<code>[^\s/#][^;{}]*)", re.S | re.M)
NAME = re.compile(r"\b(?:msd|MSD)_\w*[A-Za-z0-9]\b")
SECTION = re.compile(r"^-{20,} (.+)$")


@dataclass
class Declaration:
    name: str
    kind: str  # function, struct, enum, type, macro
    code: str
    body: str = ""


@dataclass
class Group:
    """What stands under one comment."""
    comment: str
    section: str
    declarations: list = field(default_factory=list)


def plain(comment, column=0):
    """The text of a comment that begins in a column, with what indentation its lines have beyond its first word's."""
    first, *others = comment.strip("\n").split("\n")
    base = " " * (column + 3)
    return "\n".join([first.strip(), *(line[len(base):].rstrip() if line.startswith(base) else line.strip()
                                       for line in others)]).strip()


def column_of(text, place):
    return place - text.rfind("\n", 0, place) - 1


def closing(text, start):
    """The place behind the brace that closes the one at `start`."""
    depth = 0
    for i in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if depth == 0:
            return i + 1
    raise SystemExit("reference: a brace is never closed")


def declaration_at(text, start):
    """The declaration that begins at `start`, and the place behind it."""
    end = re.compile(r"[;{]").search(text, start).start()
    if text[end] == ";":
        code = text[start:end]
        name = re.search(r"\(\*(msd_\w+)\)\(|(msd_\w+)\(|(msd_\w+)$", code)
        kind = "function" if not code.startswith("typedef") else "type"
        return Declaration(next(filter(None, name.groups())), kind, code), end + 1
    after = closing(text, end)
    code = text[start:end].strip()
    if not code.startswith("typedef"):
        return Declaration(re.search(r"(msd_\w+)\(", code)[1], "function", code), after
    semicolon = text.index(";", after)
    name = text[after:semicolon].strip()
    kind = "enum" if "enum" in code else "struct"
    return Declaration(name, kind, code, text[end + 1:after - 1]), semicolon + 1


def read(path):
    """The comment that a header begins with, and its groups in their order."""
    text = path.read_text()
    text = re.sub(r"#ifdef __cplusplus\n.*?\n#endif\n", "", text, flags=re.S)
    head = re.match(r"/\*(.*?)\*/", text, re.S)
    overview, place = plain(head[1]), head.end()
    groups, section = [Group("", "")], ""
    while True:
        token = TOKEN.search(text, place)
        if not token:
            return overview, [group for group in groups if group.declarations]
        place = token.end()
        if token["comment"] is not None:
            title = SECTION.match(plain(token["comment"]))
            section = title[1] if title else section
            groups.append(Group("" if title else plain(token["comment"]), section))
        elif token["directive"] is not None:
            macro = re.match(r"define (MSD_\w+)(\(\w+\))? +\S", token["directive"])
            if macro and macro[1] not in ("MSD_API", "MSD_RESULT_NAME") and not macro[1].endswith("_H"):
                groups[-1].declarations.append(Declaration(macro[1], "macro", "#" + token["directive"]))
        else:
            declaration, place = declaration_at(text, token.start())
            if declaration.body and groups[-1].declarations:
                groups.append(Group("", section))
            groups[-1].declarations.append(declaration)


MEMBER = re.compile(r"/\*(?P<comment>.*?)\*/|^#[^\n]*$|(?P<code>[^\s/,#](?:[^/;,#(]|\([^)]*\))*)(?P<end>[;,]|$|(?=/))", re.S | re.M)


def members(declaration):
    """[[["msd_real linear_damping"], "1/s, ..."], ...]: the fields of a struct, or the values of an enum, by comment. A
    comment on the line of a member is of that member alone."""
    found, body = [], declaration.body
    pattern = MEMBER if declaration.kind == "enum" else re.compile(MEMBER.pattern.replace("[^/;,#(]", "[^/;#(]"), re.S | re.M)
    for piece in pattern.finditer(body):
        if piece["comment"] is not None:
            line = body[body.rfind("\n", 0, piece.start()) + 1:piece.start()]
            if line.strip() and found:
                last = found[-1][0].pop()
                said = plain(piece["comment"], column_of(body, piece.start()))
                found = [row for row in found if row[0]] + [[[last], said], [[], ""]]
            else:
                found.append([[], plain(piece["comment"], column_of(body, piece.start()))])
        elif piece["code"] and not piece["code"].startswith("MSD_RESULTS("):
            if not found:
                found.append([[], ""])
            found[-1][0].append(" ".join(piece["code"].split()))
    return [row for row in found if row[0]]


def results(groups):
    """The rows of the table MSD_RESULTS, as members."""
    table = next(d.code for g in groups for d in g.declarations if d.name == "MSD_RESULTS")
    return [[[name], text] for name, text in re.findall(r'X\((\w+),[\s\\]*"(.*?)"\)', table)]


class Reference:
    def __init__(self, folder):
        self.pages = {path.name: read(path) for path in sorted(Path(folder).glob("*.h"))}
        self.where = {}
        for page, (_, groups) in self.pages.items():
            for group in groups:
                for d in group.declarations:
                    self.where.setdefault(d.name, page)
                    for row in (self.members_of(page, d) if d.kind == "enum" else []):
                        for code in row[0]:
                            self.where.setdefault(code.split()[0], page)

    def members_of(self, page, declaration):
        return results(self.pages[page][1]) if declaration.name == "msd_result" else members(declaration)

    def errors(self):
        wrong = []
        for page, (overview, groups) in self.pages.items():
            said = [overview]
            for group in groups:
                said.append(group.comment)
                for d in group.declarations:
                    said += [row[1] for row in self.members_of(page, d)] if d.body else []
                    alone = d.kind == "function" and not group.comment
                    if alone and not re.fullmatch(r"msd_default_\w+_def", d.name) and group.declarations[0].kind == "function":
                        wrong.append(f"{page}: {d.name} has no comment")
            for name in sorted({name for text in said for name in NAME.findall(text)}):
                family = any(known.startswith(name) for known in self.where)
                if name not in self.where and not family and not self.is_known(name):
                    wrong.append(f"{page}: a comment names {name}, which no header declares")
        return wrong

    @staticmethod
    def is_known(name):
        """Names of the build, and those that a name of the interface is linked under."""
        return name in ("MSD_PRECISION", "MSD_DOUBLE", "MSD_SHARED", "MSD_API") or \
            name.startswith("msd_default_world_def_")

    def linked(self, text, page):
        """Escaped text in which the names of the interface, headers and documents are links."""
        def name(found):
            word = found[0]
            if word not in self.where or word.endswith("_COUNT"):
                return word
            there = "" if self.where[word] == page else self.where[word][:-2] + ".html"
            return f'<a href="{there}#{word}">{word}</a>'
        text = NAME.sub(name, html.escape(text, quote=False))
        headers = "|".join(header[:-2] for header in self.pages if header != page)
        text = re.sub(rf"(?<![\w/&;])({headers})\.h\b", r'<a href="\1.html">\1.h</a>', text)
        text = re.sub(r"\bdocs/(\w+)\.md", r'<a href="../docs/\1.html">\1</a>', text)
        return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)

    def prose(self, text, page):
        """Paragraphs and lists of dashes; other lines that stand further in are formulas, programs and tables, and
        keep their spaces."""
        out = []
        for block in re.split(r"\n\s*\n", text):
            for kind, lines in _runs(block.split("\n")):
                if kind == "formula":
                    words = self.linked(textwrap.dedent("\n".join(lines)), page)
                    out.append(f'<pre class="formula">{words}</pre>')
                else:
                    words = self.linked("\n".join(lines), page)
                    out.append(f"<ul><li>{words[2:]}</li></ul>" if kind == "item" else f"<p>{words}</p>")
        return "\n".join(out).replace("</ul>\n<ul>", "\n")

    def page(self, page):
        overview, groups = self.pages[page]
        overview = re.sub(r"^msd: ", "", overview)
        out = [f"# {page}", "", f'<div class="api"><pre><code>#include &lt;msd/{page}&gt;</code></pre>',
               self.prose(overview[:1].upper() + overview[1:], page), "</div>", ""]
        section, shown = "", set()
        for group in groups:
            if group.section != section:
                section = group.section
                out += [f"## {section[:1].upper()}{section[1:]}", ""]
            fresh = [d for d in group.declarations if d.name not in shown]
            shown |= {d.name for d in fresh}
            if not fresh:
                continue
            more = " …" if len(fresh) > 1 else ""
            out += [f"### `{fresh[0].name}`{more} {{#{fresh[0].name}}}", "", '<div class="api">']
            if group.comment:
                out.append(self.prose(group.comment, page))
            for n, d in enumerate(fresh):
                out.append(self.declared(d, page, anchor=n > 0))
            out += ["</div>", ""]
        return "\n".join(out)

    def declared(self, d, page, anchor):
        target = f' id="{d.name}"' if anchor else ""
        code = re.sub(r"^(MSD_API|static inline) ", "", d.code)
        if d.body:
            code = f"{d.code} {{ ... }} {d.name};"
        elif d.kind != "macro":
            code += ";"
        out = [f"<pre{target}><code>{self.linked(code, page)}</code></pre>"]
        if d.name == "MSD_RESULTS":
            return f"<pre{target}><code>#define MSD_RESULTS(X) ...</code></pre>"
        if d.body:
            out.append("<dl>")
            for codes, comment in self.members_of(page, d):
                if codes[0].endswith("_COUNT"):
                    continue
                for code in codes:
                    word = code.split()[0]
                    if word.endswith("_COUNT"):
                        continue
                    mark = f' id="{word}"' if d.kind == "enum" and self.where.get(word) == page else ""
                    out.append(f"<dt{mark}><code>{self.linked(code, page) if d.kind != 'enum' else html.escape(code)}</code></dt>")
                out.append(f"<dd>{self.prose(comment, page)}</dd>" if comment else "<dd></dd>")
            out.append("</dl>")
        return "\n".join(out)

    def index(self):
        overview, _ = self.pages["msd.h"]
        out = ["# The C interface", "", '<div class="api"><pre><code>#include &lt;msd/msd.h&gt;</code></pre>',
               self.prose(re.sub(r"^msd: p", "P", overview), ""), "</div>", "", "## Which header is for what", "",
               "| header | is for | functions |", "|---|---|---|"]
        for page, (text, groups) in self.pages.items():
            if page == "msd.h":
                continue
            first = re.split(r"(?<=[.:])\s*\n\s*\n|\.\s", re.sub(r"^msd: ", "", text))[0].rstrip(".")
            functions = len({d.name for g in groups for d in g.declarations if d.kind == "function"})
            out.append(f"| [{page}]({page[:-2]}.md) | {' '.join(first.split())} | {functions} |")
        out += ["", "In C++ [msd.hpp](../engine/include/msd/msd.hpp.html) has the same with exceptions and ranges"
                " ([how](../docs/howto/embed_cmake.md#c)).", "", "## Every name", "", '<div class="api names">']
        for name in sorted(self.where, key=str.lower):
            if not name.endswith("_COUNT"):
                out.append(self.linked(name, ""))
        return "\n".join(out + ["</div>", ""])

    def write(self, folder):
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for page in self.pages:
            if page != "msd.h":
                (folder / f"{page[:-2]}.md").write_text(self.page(page))
        (folder / "index.md").write_text(self.index())


def _runs(lines):
    """Lines that belong together, with what they are: words, an item of a list, or a formula."""
    runs = []
    for line in lines:
        kind = "item" if line.startswith("- ") else "formula" if line.startswith("  ") else "words"
        if kind == "formula" and runs and runs[-1][0] == "item":
            runs[-1][1].append(line.strip())
        elif runs and runs[-1][0] == kind and kind != "item":
            runs[-1][1].append(line)
        else:
            runs.append((kind, [line]))
    return runs
