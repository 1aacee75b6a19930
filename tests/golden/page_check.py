#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""page_check.py REPORT TRACE [OPTION]...: the page of --html is only what it should be, whatever the names in the trace
are: known elements and attributes, code that its policy allows by hash, the text of the digest. Its figures:
tests/page/selftest_check.py."""
import base64
import collections
import hashlib
import html.parser
import os
import subprocess
import sys


class Document(html.parser.HTMLParser):
    """The page has only known elements and attributes, and each script and style is allowed by its hash."""

    TAGS = set("html head meta style title body main h1 details summary pre ul li p br noscript script".split())

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.wrong, self.code, self.policy, self.inside, self.shown = [], {}, "", None, ""
        self.counts = collections.Counter()
        own = text.find("</noscript>")
        self.own_end = text.count("\n", 0, own) + 1
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.counts[tag] += 1
        self.inside = tag
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        odd = set(attributes) & {"src", "href", "style", "onload", "onerror"}
        if self.getpos()[0] <= self.own_end and (tag not in self.TAGS or odd):
            self.wrong.append(f"an element that is not ours: {tag} {attributes}")

    def handle_data(self, data):
        if self.inside == "style" or (self.inside == "script" and self.counts["script"] == 2):
            self.code.setdefault(self.inside, "")
            self.code[self.inside] += data
        elif self.inside != "script":
            self.shown += data

    def handle_endtag(self, tag):
        self.inside = None


def check_document(text, digest):
    document = Document(text)
    wrong = document.wrong
    for kind, data in document.code.items():
        value = base64.b64encode(hashlib.sha256(data.encode()).digest()).decode()
        if f"{kind}-src 'sha256-{value}'" not in document.policy:
            wrong.append(f"the policy does not allow its {kind}: {document.policy}")
    if not document.policy.startswith("default-src 'none'; ") or document.counts["script"] != 2 or document.counts["style"] != 1:
        wrong.append(f"the document has {document.counts}, and the policy '{document.policy}'")
    if digest not in document.shown:
        wrong.append("the digest is not in the page")
    return wrong


def main():
    report, trace, *options = sys.argv[1:]

    def text(*view):
        run = subprocess.run([report, "--no-cache", "--symfs", "/nowhere", "--debug-dir", "/nowhere", *options, *view, trace],
                             capture_output=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
        if run.returncode not in (0, 3):
            sys.exit(f"{view} ended with {run.returncode}: {run.stderr.decode()[:200]}")
        return run.stdout.decode("utf-8")

    wrong = check_document(text("--html"), text("--digest"))
    for line in wrong[:5]:
        print(line[:400])
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
