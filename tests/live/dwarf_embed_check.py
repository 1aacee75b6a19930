#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dwarf_embed_check.py REPORT TRACE CHECK[:ARGUMENT]...: compares the unwind information in a trace with the files
that it came from, using its own reader. Each check prints lines "yes WHAT" and "no WHAT: WHY". Exit 0 if all ran to
completion."""
import re
import struct
import subprocess
import sys

SECTIONS = {1: ".eh_frame", 2: ".debug_frame"}
FULL, MIN = 1, 2
LARGEST = 64 << 20  # limit of a section in a trace
VDSO = 6    # module kind


def sections_of(image):
    """name -> (address, bytes) of an ELF image."""
    table, = struct.unpack_from("<Q", image, 40)
    size, count, names = struct.unpack_from("<HHH", image, 58)
    headers = [struct.unpack_from("<IIQQQQ", image, table + i * size) for i in range(count)]
    text = image[headers[names][4]:][:headers[names][5]]
    return {text[h[0]:text.index(b"\0", h[0])].decode(): (h[3], image[h[4]:h[4] + h[5]]) for h in headers}


def own_vdso():
    """The vDSO is the same for all processes, so we use ours."""
    with open("/proc/self/maps", encoding="ascii") as maps, open("/proc/self/mem", "rb") as memory:
        start, end = (int(x, 16) for x in re.search(r"^(\w+)-(\w+) .*\[vdso\]$", maps.read(), re.M).groups())
        memory.seek(start)
        return memory.read(end - start)


def entries(piece, debug_frame):
    """(offset in the piece, offset of the CIE from the piece's start or None for a CIE or terminator). Whole entries, or ValueError."""
    at = 0
    while at < len(piece):
        length, = struct.unpack_from("<I", piece, at)
        if length == 0xffffffff or at + 4 + length > len(piece):
            raise ValueError(f"entry at {at} of a piece of {len(piece)} bytes is cut")
        cie, = struct.unpack_from("<I", piece, at + 4) if length else (0,)
        is_cie = cie == (0xffffffff if debug_frame else 0)
        yield at, None if not length or is_cie else cie if debug_frame else at + 4 - cie
        at += 4 + length


class Trace:
    """modules: number -> its last record's fields; status and pieces: number -> what was embedded."""
    def __init__(self, report, path):
        self.modules, self.status, self.pieces, self.path = {}, {}, {}, path
        dump = subprocess.run([report, "--dump", path], capture_output=True, text=True).stdout
        for line in dump.splitlines():
            kind, _, rest = line.strip().partition(" ")
            if kind == "module":
                self.modules[self.number(rest, "id")] = rest
            elif kind == "embed-module":
                self.status[self.number(rest, "module")] = self.number(rest, "status")
            elif kind == "embed-unwind":
                self.pieces.setdefault(self.number(rest, "module"), []).append(
                    {key: self.number(rest, key) for key in ("section", "address", "size", "offset", "text", "data")}
                    | {"bytes": bytes.fromhex(re.search(r" bytes=(\w*)", rest)[1])})

    @staticmethod
    def number(fields, key):
        return int(re.search(rf"(?:^| ){key}=(\w+)", fields)[1], 0)

    def path_of(self, module):
        return re.search(r' path="([^"]*)"', self.modules[module])[1]

    def image_of(self, module):
        if self.number(self.modules[module], "kind") == VDSO:
            return own_vdso()
        with open(self.path_of(module), "rb") as file:
            return file.read()

    def module_of(self, path):
        return next((m for m in self.status if self.path_of(m) == path), None)


def tell(what, wrong):
    print(f"no {what}: {wrong[0]}" if wrong else f"yes {what}")


def wrong_with_pieces(trace, module):
    image = trace.image_of(module)
    sections, code = sections_of(image), first_code(image)
    for piece in trace.pieces[module]:
        name = SECTIONS.get(piece["section"])
        address, content = sections.get(name, (None, b""))
        if (piece["address"], piece["size"]) != (address, min(len(content), LARGEST)):
            yield f"{trace.path_of(module)}: {name} at {piece['address']:#x}, {piece['size']} bytes; the file has {address:#x}"
        elif content[piece["offset"]:piece["offset"] + len(piece["bytes"])] != piece["bytes"]:
            yield f"{trace.path_of(module)}: {name}: other bytes at {piece['offset']}"
        elif (piece["text"], piece["data"]) != (code, 0):
            yield f"{trace.path_of(module)}: text {piece['text']:#x}, data {piece['data']:#x}, not {code:#x} and 0"


def first_code(image):
    """Address of the first executable PT_LOAD."""
    table, = struct.unpack_from("<Q", image, 32)
    size, count = struct.unpack_from("<HH", image, 54)
    for i in range(count):
        kind, flags, _, address = struct.unpack_from("<IIQQ", image, table + i * size)
        if kind == 1 and flags & 1:
            return address
    return 0


def check_bytes(trace, _):
    """Every piece equals the file at that place; no two overlap."""
    wrong = [w for m in trace.pieces for w in wrong_with_pieces(trace, m)]
    for m, pieces in trace.pieces.items():
        for section in SECTIONS:
            spans = sorted((p["offset"], p["offset"] + len(p["bytes"])) for p in pieces if p["section"] == section)
            wrong += [f"module {m}: {a} and {b} overlap" for a, b in zip(spans, spans[1:]) if a[1] > b[0]]
    tell(f"pieces of {len(trace.pieces)} modules are the files' bytes", wrong or ([] if trace.pieces else ["there are none"]))


def check_whole(trace, _):
    """Pieces hold whole entries, and each FDE's CIE is there."""
    wrong = []
    for module, pieces in trace.pieces.items():
        starts, wanted = set(), set()
        for piece in (p for p in pieces if p["section"] in SECTIONS):
            debug = piece["section"] == 2
            try:
                for at, cie in entries(piece["bytes"], debug):
                    starts.add((piece["section"], piece["offset"] + at))
                    if cie is not None:
                        wanted.add((piece["section"], cie if debug else piece["offset"] + cie))
            except ValueError as error:
                wrong.append(f"{trace.path_of(module)}: {error}")
        wrong += [f"{trace.path_of(module)}: no CIE at {w[1]}" for w in wanted - starts]
    tell("pieces hold whole entries with their CIEs", wrong or ([] if trace.pieces else ["there are none"]))


def check_level(trace, argument):
    """LEVEL/PATH/SECTION: how the module was embedded, and whether its section is there, whole or in part."""
    level, path, name = argument.split("@")
    module = trace.module_of(path)
    wrong = []
    if module is None:
        wrong.append("the module is not in the trace")
    elif trace.status[module] != (FULL if level == "full" else MIN):
        wrong.append(f"status {trace.status[module]}")
    else:
        number = next(n for n in SECTIONS if SECTIONS[n] == name)
        got = sum(len(p["bytes"]) for p in trace.pieces.get(module, []) if p["section"] == number)
        size = len(sections_of(trace.image_of(module))[name][1])
        if level == "full" and got != size or level == "min" and not 0 < got < size:
            wrong.append(f"{got} of {size} bytes are there")
    tell(f"{name} of {path} is there: {level}", wrong)


def check_functions(trace, argument):
    """PATH/SECTION/NAME,...: the FDE of each function is there, as readelf lists it."""
    path, name, functions = argument.split("@")
    frames = subprocess.run(["readelf", "-wF", path], capture_output=True, check=True, text=True).stdout
    frames = frames[frames.index(f"Contents of the {name} section"):]
    ranges = [(int(o, 16), int(a, 16), int(b, 16)) for o, a, b in re.findall(r"^(\w+) \w+ \w+ FDE .*pc=(\w+)\.\.(\w+)$", frames, re.M)]
    places = {n: int(a, 16) for a, n in re.findall(r"^(\w+) \w (\S+)$", subprocess.run(["nm", path], capture_output=True, check=True,
                                                                                    text=True).stdout, re.M)}
    pieces = [p for p in trace.pieces.get(trace.module_of(path), []) if SECTIONS.get(p["section"]) == name]
    wrong = []
    for function in functions.split(","):
        offset = next((o for o, a, b in ranges if a <= places[function] < b), None)
        if offset is None or not any(p["offset"] <= offset < p["offset"] + len(p["bytes"]) for p in pieces):
            wrong.append(f"{function}: its FDE at {offset} is not there")
    tell(f"{functions}: their FDEs are there", wrong)


def check_vdso(trace, _):
    """The vDSO's unwind information is there, equal to that of our own process, and its build-id is recorded."""
    module = next((m for m in trace.pieces if trace.number(trace.modules[m], "kind") == VDSO), None)
    tell("the vDSO's unwind information is there", ["it is not"] if module is None else list(wrong_with_pieces(trace, module)))
    if module is not None:
        told = bytes.fromhex(re.search(r" build_id=(\w*)", trace.modules[module])[1])
        tell("the vDSO's build-id is told", [] if len(told) >= 8 and told in sections_of(own_vdso())[".note"][1] else [told.hex()])


def check_few(trace, _):
    """Without snapshots: of call frame information a part of each section, and no code."""
    wrong = [] if trace.pieces else ["there is none"]
    for module, pieces in trace.pieces.items():
        sections = {SECTIONS.get(p["section"]) for p in pieces}
        bytes_there = sum(len(p["bytes"]) for p in pieces)
        if not sections <= {".eh_frame", ".debug_frame"} or bytes_there > 65536:
            wrong.append(f"{trace.path_of(module)}: {bytes_there} bytes of {sections}")
    tell("unwind information of what was hit is there, and nothing else", wrong)


def check_none(trace, _):
    tell("no unwind information is there", [f"of {len(trace.pieces)} modules"] if trace.pieces else [])


def main():
    trace = Trace(sys.argv[1], sys.argv[2])
    for word in sys.argv[3:]:
        name, _, argument = word.partition(":")
        globals()[f"check_{name}"](trace, argument)


main()
