"""words.py WORDS FILE...: phrases of the list WORDS, British spellings, long sentences and long pages in these files.

Prints a line for each, and fails if there is one. Paths are relative to the working folder, the top of the tree.

British spellings are searched for in all text of a file, names included; in Markdown code is left out. Phrases are
searched for in prose alone, and so are sentences, see prose_of(). Pages of docs/reference and docs/theory may be longer
than others, and sentences of docs/theory and of the notes of bench/ too.
"""

import os
import re
import subprocess
import sys

SENTENCE_MAX = 40
PAGE_MAX = 1500

# In the place of text that is no prose: BREAK ends a sentence, WORD stands for a letter of a word.
BREAK = "\x00"
WORD = "\x01"

# Where literals of several words are messages, and where comments are read.
MESSAGES = ("app", "engine", "scenes", "render", "web", "python/msd")
COMMENTS = ("engine", "render", "web", "scenes/input", "scenes/meshes", "scenes/skeletons", "python/msd")
PAGES = ("README.md", "CHANGELOG.md", "docs", "bench/notes", "web/npm/README.md")


def inside(path, *folders):
    return any(path == folder or path.startswith(folder + "/") for folder in folders)


def fill(text, character):
    """As many characters in the same lines."""
    return "\n".join([character * len(line) for line in text.split("\n")])


def filled(pattern, character, text, flags=0):
    return re.sub(pattern, lambda match: fill(match.group(), character), text, flags=flags)


class Patterns:
    """Pairs of a regular expression and what to write instead, searched for together."""

    def __init__(self, frame, pairs):
        self.any = re.compile(frame % "|".join(pattern for pattern, _ in pairs))
        self.each = [(re.compile(frame % pattern), replacement) for pattern, replacement in pairs]

    def places(self, text):
        for match in self.any.finditer(text):
            replacement = next(replacement for pattern, replacement in self.each if pattern.match(text, match.start()))
            yield match.start(), match.end(), replacement


class Rules:
    """What a list of words says."""

    def __init__(self, path):
        self.exceptions = []
        groups = {"phrases": [], "spellings": []}
        group = None
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                line = line.rstrip("\n")
                if line in ("[phrases]", "[spellings]"):
                    group = groups[line[1:-1]]
                elif line.startswith("="):
                    self.exceptions.append(line[1:])
                elif line and not line.startswith("#"):
                    pattern, _, replacement = line.partition("\t")
                    if not replacement or group is None:
                        sys.exit("%s:%d: expected a regular expression, a tab and what to write" % (path, number))
                    group.append((pattern, replacement))
        self.phrases = Patterns(r"\b(?:%s)\b", [(pattern.replace(" ", r"[\s>]+"), replacement)
                                               for pattern, replacement in groups["phrases"]])
        # For grep, which does not look around. Ends of words are no part of what is found.
        self.any_spelling = "|".join(pattern for pattern, _ in groups["spellings"])
        self.spellings = Patterns("(?:%s)", [
            (pattern.replace("([^a-z]|$)", "(?![a-z])").replace("(^|[^a-z])", "(?<![a-z])"), replacement)
            for pattern, replacement in groups["spellings"]])

    def lower(self, text):
        """In small letters, without the exceptions."""
        for exception in self.exceptions:
            if exception in text:
                text = filled(re.escape(exception), WORD, text)
        return text.lower()


def markdown_prose(text):
    """A page without code, formulas, link targets and tags."""
    text = filled(r"^([ >]*)(```|~~~).*?^[ >]*\2[ \t]*$", BREAK, text, re.S | re.M)
    text = filled(r"<!--.*?-->", BREAK, text, re.S)
    text = filled(r"\$\$.*?\$\$", " ", text, re.S)
    text = filled(r"(`+)(?!`).*?(?<!`)\1(?!`)", WORD, text, re.S)
    text = filled(r"\$[^$\n]+\$", WORD, text)
    text = filled(r"(?<=\])\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)", " ", text)
    text = filled(r"^\[[^\]]+\]: .*$", BREAK, text, re.M)
    text = filled(r"https?://[^\s)]+", WORD, text)
    return filled(r"</?[a-zA-Z][^<>]*>", " ", text)


def markdown_sentences(prose):
    """Prose without tables. Headings and items of lists are sentences of their own."""
    prose = filled(r"^[ \t]*(\||#|!!!).*$", BREAK, prose, re.M)
    return filled(r"^[ \t]*([-*+]|\d+[.)])[ \t]", BREAK, prose, re.M)


QUOTED = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
TOKENS = {
    "c": re.compile(r"/\*.*?\*/|//[^\n]*|" + QUOTED, re.S),
    "js": re.compile(r"/\*.*?\*/|//[^\n]*|`(?:\\.|[^`\\])*`|" + QUOTED, re.S),
    "py": re.compile(r"#[^\n]*|\"\"\".*?\"\"\"|" + QUOTED, re.S),
}
LANGUAGES = {".c": "c", ".h": "c", ".cpp": "c", ".glsl": "c", ".js": "js", ".mjs": "js", ".ts": "js", ".py": "py"}


def literal_prose(body):
    """A literal of several words without escapes and conversions; of a single word nothing."""
    if not re.search(r"\S\s+\S", body):
        return fill(body, BREAK)
    # Lines of their own: of other text, of lists and examples, of manual pages and of gnuplot.
    body = filled(r"\\n(?=\\n|\s|\.|set |plot )|\n(?=[ \t]*\n)|  +", BREAK, body)
    body = filled(r"\\n|\\(?=.)", " ", body)
    return filled(r"`[^`\n]*`|\$\{[^}]*\}|%[-+]?[\d.*]*[hlzj]*[a-z]", WORD, body)


def comment_prose(body):
    """A comment without names in backquotes. Empty lines, items of lists and columns of tables end sentences."""
    body = filled(r"`[^`\n]*`", WORD, body)
    return filled(r"\n[ \t]*(?=\n)|\n[ \t/*]*- |(?<=\S)   +(?=\S)|-{4,}", BREAK, body)


def source_prose(text, language, comments):
    """Messages, and comments if wanted. Literals that follow each other are one, and so are lines of comments."""
    parts = []
    end = 0
    before = None
    for match in TOKENS[language].finditer(text):
        token = match.group()
        gap = text[end:match.start()]
        is_line = token.startswith(("//", "#"))
        kind = "line" if is_line else "block" if token.startswith("/*") else "string"
        joined = kind == before and kind != "block" and not gap.strip() and (kind == "string" or gap.count("\n") == 1)
        if joined:
            parts[-1] = fill(parts[-1], " ")
        parts.append(gap if joined else fill(gap, BREAK))
        if kind == "string":
            size = 3 if token.startswith('"""') else 1
            parts += [fill(token[:size], " " if joined else BREAK), literal_prose(token[size:-size]), BREAK * size]
        elif comments:
            start = 1 if token[0] == "#" else 2
            stop = len(token) - (0 if is_line else 2)
            parts += [(" " if joined else BREAK) * start, comment_prose(token[start:stop]), BREAK * (len(token) - stop)]
        else:
            parts += [fill(token, BREAK), ""]
        end = match.end()
        before = kind
    parts.append(fill(text[end:], BREAK))
    return "".join(parts)


def kept(pattern, text, group):
    """What a group of the matches has; all else is BREAK."""
    parts = []
    end = 0
    for match in re.finditer(pattern, text, re.S):
        if match.start(group) >= 0:
            parts += [fill(text[end:match.start(group)], BREAK), match.group(group)]
            end = match.end(group)
    return "".join(parts + [fill(text[end:], BREAK)])


def prose_of(path, text):
    """The prose of a file, in the same places, and what of it is measured by sentences; '' is nothing."""
    suffix = os.path.splitext(path)[1]
    if suffix == ".md" and inside(path, *PAGES):
        prose = markdown_prose(text)
        is_measured = inside(path, "README.md", "docs") and not inside(path, "docs/theory")
        return prose, markdown_sentences(prose) if is_measured else ""
    if suffix == ".json" and inside(path, "scenes"):
        return kept(r'"(?:title|description)"\s*:\s*"((?:\\.|[^"\\])*)"', text, 1), ""
    if suffix == ".html" and inside(path, "web"):
        return kept(r'<(?:script|style)\b.*?</|title="([^"]*)"|>([^<]+)', re.sub(r'\btitle="', '>itle="', text), 2), ""
    if suffix not in LANGUAGES or not inside(path, *MESSAGES):
        return "", ""
    messages = source_prose(text, LANGUAGES[suffix], False)
    prose = source_prose(text, LANGUAGES[suffix], True) if inside(path, *COMMENTS) else messages
    return prose, prose if inside(path, "engine/include") else messages


def count_words(text):
    return sum(re.search(r"[\w\x01]", word) is not None for word in text.split())


def long_sentences(prose):
    """Places and lengths of those that are too long."""
    begin = 0
    for match in re.finditer(r"""[.!?:;]["')\]*_]*(?=\s)|[\x00\s]*\x00|\n[ \t]*\n|\Z""", prose):
        sentence = prose[begin:match.end()].rstrip(BREAK)
        # Most have too few letters.
        if len(sentence) > 2 * SENTENCE_MAX:
            words = count_words(sentence)
            if words > SENTENCE_MAX:
                yield begin + len(sentence) - len(sentence.lstrip()), sentence.split()[:5], words
        begin = match.end()


def complaints(path, rules, has_spellings):
    """Pairs of a line and what is wrong there; the line 0 is all of the file."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()

    def line(place):
        return text.count("\n", 0, place) + 1

    if has_spellings:
        shown = markdown_prose(text) if path.endswith(".md") else text
        for start, end, american in rules.spellings.places(rules.lower(shown)):
            # All of the word
            start -= len(re.search(r"[^\W\d_]*\Z", text[:start]).group())
            end += len(re.match(r"[^\W\d_]*", text[end:]).group())
            yield line(start), '"%s": British; write %s' % (text[start:end], american)
    prose, measured = prose_of(path, text)
    if prose:
        for start, end, replacement in rules.phrases.places(rules.lower(prose)):
            yield line(start), '"%s": write %s' % (" ".join(text[start:end].split()), replacement)
    for start, words, count in long_sentences(measured):
        yield line(start), "a sentence of %d words, %d is the most: %s ..." % (
            count, SENTENCE_MAX, " ".join(words).replace(WORD, "`"))
    if measured and path.endswith(".md") and not inside(path, "docs/reference"):
        count = count_words(prose.replace(BREAK, " "))
        if count > PAGE_MAX:
            yield 0, "%d words, %d is the most of a page" % (count, PAGE_MAX)


def main():
    rules = Rules(sys.argv[1])
    paths = sys.argv[2:]
    # grep takes a hundredth of the time.
    listed = subprocess.run(["grep", "-liE", "--", rules.any_spelling] + paths, stdout=subprocess.PIPE, text=True)
    if listed.returncode > 1:
        return 2
    misspelled = set(listed.stdout.splitlines())
    failed = False
    for path in paths:
        for line, complaint in sorted(complaints(path, rules, path in misspelled)):
            print("%s:%s %s" % (path, "%d:" % line if line else "", complaint))
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
