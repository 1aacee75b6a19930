#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""canaries.py TRACE LIST: prints the lines of a list whose values are found in a trace. It searches the file, each of
its chunks unpacked, and its dump. A line of the list is one of

  word HEX    a number of at most 8 bytes: as bytes in either order, as text in hexadecimal and decimal, as a varint, plain and
              zig-zag; also the number before it, because a return address is sometimes stored as the byte before it
  bytes HEX   bytes: as they are, reversed, as text in hexadecimal; and both halves as words, if they are 16
  text TEXT   as UTF-8 and UTF-16, as hexadecimal and base64, and each piece of 6 bytes

--chunks leaves out the dump, which takes long for a large trace. With --text the file is a text, not a trace."""
import base64, contextlib, io, os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rwk_dump

PIECE = 6


def varint(number):
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def word_forms(word):
    for near in (word, max(word - 1, 0)):
        yield from (near.to_bytes(8, "little"), near.to_bytes(8, "big"), b"%x" % near, b"%X" % near, b"%d" % near,
                    varint(near), varint(near << 1))


def bytes_forms(data):
    yield from (data, data[::-1], data.hex().encode(), data.hex().upper().encode(), data[::-1].hex().encode())
    if len(data) == 16:
        for half in (data[:8], data[8:]):
            yield from word_forms(int.from_bytes(half, "little"))
            yield from word_forms(int.from_bytes(half, "big"))


def base64_forms(data):
    """Base64 of the data at each alignment, without the characters that depend on what is before and after it."""
    for lead in range(3):
        coded = base64.b64encode(b"\0" * lead + data)
        start, end = (0, 2, 3)[lead], len(data) + lead
        yield coded[start:end // 3 * 4]


def text_forms(text):
    data = text.encode()
    yield from (data, text.encode("utf-16-le"), text.encode("utf-16-be"), data.hex().encode(), data.hex().upper().encode())
    yield from (form for form in base64_forms(data) if len(form) >= PIECE)
    yield from (data[i:i + PIECE] for i in range(len(data) - PIECE + 1))


FORMS = {
    "word": lambda value: word_forms(int(value, 16)),
    "bytes": lambda value: bytes_forms(bytes.fromhex(value)),
    "text": text_forms,
}


def parts_of(path, with_dump):
    """The file, its chunks unpacked, and their dump."""
    data = open(path, "rb").read()
    parts, text, unpack = [data], io.StringIO(), rwk_dump.lz4_block
    def keep(packed):
        parts.append(bytes(unpack(packed)))
        return parts[-1]
    rwk_dump.lz4_block = keep
    with contextlib.redirect_stdout(text):
        rwk_dump.dump(data)
    return parts + ([text.getvalue().encode("utf-8", "surrogateescape")] if with_dump else [])


def beginnings(forms):
    """The first 8 bytes of each form, or 4 of a shorter one; forms of less than 4 bytes have none."""
    return {form[:8 if len(form) >= 8 else 4] for form in forms if len(form) >= 4}


def present(data, wanted):
    """The wanted beginnings that occur anywhere in the data, which is read as numbers at each offset."""
    found = set()
    for size, code in ((4, "I"), (8, "Q")):
        numbers = {int.from_bytes(begin, sys.byteorder) for begin in wanted if len(begin) == size}
        for offset in range(size):
            end = offset + (len(data) - offset) // size * size
            found.update(number.to_bytes(size, sys.byteorder) for number in
                         numbers.intersection(memoryview(data)[offset:end].cast(code)))
    return found


def main(trace, listed, options):
    parts = [open(trace, "rb").read()] if "--text" in options else parts_of(trace, "--chunks" not in options)
    # The separator of the parts occurs in no form. A form is searched for only if its beginning was found.
    everything = (b"\xff\x00" * 16).join(parts)
    lines = [line.rstrip("\n").split(" ", 1) for line in open(listed)]
    forms = [list(FORMS[kind](value)) for kind, value in lines]
    begun = present(everything, beginnings(form for some in forms for form in some))
    for (kind, value), some in zip(lines, forms):
        if any((len(form) < 4 or beginnings([form]) <= begun) and form in everything for form in some):
            print(kind, value)


if __name__ == "__main__":
    main(*[argument for argument in sys.argv[1:] if argument[:2] != "--"], sys.argv[1:])
