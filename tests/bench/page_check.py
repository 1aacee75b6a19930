# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What `make bench` does to BENCH.md, with made-up sections: prints "ok NAME" and "not ok NAME - why". Exit 1 if one is not ok."""

import pathlib
import re
import sys
import tempfile

import bench
import settings
from page import MARK, Page

NAMES = ("first", "second", "third", "fourth")
HEAD = "# Benchmark\n\nOf the machine that was."
HAND = MARK.format("by-hand") + "\n## What was missed\n\nWritten by hand.\n"
FIGURE = "{} as measured now"
failed = 0


def check(name, good, why):
    global failed   # pylint: disable=global-statement
    failed += not good
    print(f"ok {name}" if good else f"not ok {name} - {why}")


def old(name):
    """With blank lines and trailing blanks, as people leave them."""
    return MARK.format(name) + f"\n## Of {name}\n\n| a | b |  \n\n\nfigures of then\n"


def section(name):
    def run(report, _):
        if name == "fourth":
            raise SystemExit("bench: the fourth section fails")
        report.heading(f"Of {name}")
        report.text(FIGURE.format(name))
    return bench.Section(run, 7)


def ran(folder, before, chosen, quick=False):
    """BENCH.md and the page of quick runs after a run of the chosen sections, and the message it exited with. Empty: no such page."""
    root = pathlib.Path(tempfile.mkdtemp(dir=folder))
    settings.ROOT, settings.OUT, settings.TRACES = root, root / "out", root / "traces"
    settings.QUICK, settings.SECTIONS = quick, chosen
    if before:
        (root / "BENCH.md").write_text(before, encoding="utf-8")
    ended = ""
    try:
        bench.main()
    except SystemExit as end:
        ended = str(end)
    pages = [path.read_text(encoding="utf-8") if path.exists() else "" for path in (root / "BENCH.md", root / "out/BENCH.md")]
    return *pages, ended


def check_merge(folder):
    before = "\n\n".join(part.rstrip("\n") for part in (HEAD, old("first"), old("third"), HAND)) + "\n"
    after, _, _ = ran(folder, before, ["third"])
    begin, end = before.index(MARK.format("third")), before.index(HAND)
    check("others_stay", after.startswith(before[:begin]) and after.endswith("\n\n" + HAND), repr(after))
    new = after[begin:len(after) - len(before) + end]
    check("one_is_new", FIGURE.format("third") in new and "figures of then" not in new, repr(new))
    check("it_says_when", re.search(r"^Measured at \d\d:\d\d-\d\d:\d\d on 20\d\d-\d\d-\d\d \(commit .*, Linux \d.*with 7\s+rounds\.$", new,
                                    re.M | re.S), repr(new))
    after, _, _ = ran(folder, before, ["second"])
    check("new_one_in_order", list(Page(after).sections) == ["first", "second", "third", "by-hand"], list(Page(after).sections))
    check("the_rest_is_the_same", re.sub(rf"{MARK.format('second')}\n.*?(?=<!--)", "", after, flags=re.S) == before, repr(after))


def check_whole(folder):
    before = "\n\n".join(part.rstrip("\n") for part in (HEAD, old("second"), HAND)) + "\n"
    del bench.SECTIONS["fourth"]
    after, _, _ = ran(folder, before, [])
    check("all_are_new", "figures of then" not in after and all(FIGURE.format(name) in after for name in NAMES[:3]), repr(after))
    check("with_a_new_head", "that was" not in after and after.startswith("# Benchmark\n"), repr(after))
    check("but_for_the_hand", after.endswith("\n\n" + HAND), repr(after))
    after, _, _ = ran(folder, "", ["second"])
    check("page_from_nothing", after.startswith("# Benchmark\n") and list(Page(after).sections) == ["second"], repr(after))
    bench.SECTIONS["fourth"] = section("fourth")


def check_failures(folder):
    before = "\n\n".join(part.rstrip("\n") for part in (HEAD, *map(old, NAMES), HAND)) + "\n"
    after, beside, _ = ran(folder, before, ["first", "second"], quick=True)
    check("quick_touches_nothing", after == before, repr(after))
    check("quick_has_its_own", FIGURE.format("second") in beside and "mean nothing" in beside and "Of third" not in beside, repr(beside))
    after, _, ended = ran(folder, before, ["first", "fourth", "second"])
    check("failure_is_told", "the fourth section fails" in ended, ended)
    check("what_was_done_is_kept", FIGURE.format("first") in after and after.count("figures of then") == 3, repr(after))
    after, _, ended = ran(folder, before, ["first", "fifth"])
    check("unknown_name_at_once", after == before and "no section 'fifth'" in ended, ended)
    twice = before + "\n" + old("first")
    after, _, ended = ran(folder, twice, ["second"])
    check("twice_is_refused", after == twice and "there twice: first" in ended, ended)


def check_real(text, known):
    page = Page(text)
    check("the_page_is_kept", page.text() == text, "BENCH.md would change where nothing is measured")
    strange = set(page.sections) - set(known) - {"by-hand"}
    check("its_names_are_known", page.sections and not strange, f"sections that nothing measures: {strange}")
    bare = [name for name, part in page.sections.items() if name != "by-hand" and not re.search(r"^Measured ", part, re.M)]
    check("each_says_when", not bare, f"sections that do not say when they were measured: {bare}")


def main():
    check_real((settings.ROOT / "BENCH.md").read_text(encoding="utf-8"), bench.SECTIONS)
    bench.SECTIONS = {name: section(name) for name in NAMES}
    bench.say = lambda what: None
    with tempfile.TemporaryDirectory() as folder:
        check_merge(folder)
        check_whole(folder)
        check_failures(folder)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
