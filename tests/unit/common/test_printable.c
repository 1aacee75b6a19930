/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/printable.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tests/random.h"
#include "tests/test.h"

static const struct {
	const char *input;
	size_t length;
	const char *output;
} table[] = {
#define ROW(input, output) {input, sizeof(input) - 1, output}
	ROW("", ""),
	ROW("kworker/0:1", "kworker/0:1"),
	ROW("a\\b~ ", "a\\\\b~ "), /* so that no name looks like another, escaped one */
	ROW("\\x1b", "\\\\x1b"),
	ROW("\033[31mred\033[0m", "\\x1b[31mred\\x1b[0m"),
	ROW("\033]0;title\a", "\\x1b]0;title\\x07"),
	ROW("one\ntwo\ttab\rback\b", "one\\x0atwo\\x09tab\\x0dback\\x08"),
	ROW("nul\0in", "nul\\x00in"),
	ROW("\177", "\\x7f"),
	ROW("\302\2331m", "\\xc2\\x9b1m"), /* CSI as one C1 control */
	ROW("\302\240", "\302\240"),	     /* the first character after C1 */
	ROW("\233", "\\x9b"),
	ROW("gr\303\274n \342\202\254 \360\237\220\247", "gr\303\274n \342\202\254 \360\237\220\247"),
	ROW("\342\200\256cba", "\\xe2\\x80\\xaecba"), /* U+202E right-to-left override */
	ROW("\342\200\252\342\200\251\342\200\250", "\\xe2\\x80\\xaa\\xe2\\x80\\xa9\\xe2\\x80\\xa8"),
	ROW("\342\201\246\342\201\251", "\\xe2\\x81\\xa6\\xe2\\x81\\xa9"), /* isolates */
	ROW("\342\200\247\342\200\257\342\201\237\342\201\252",
	    "\342\200\247\342\200\257\342\201\237\342\201\252"),
	ROW("\342\200\213\342\200\217", "\\xe2\\x80\\x8b\\xe2\\x80\\x8f"), /* U+200B, 200F, not those around them */
	ROW("\342\200\212\342\200\220", "\342\200\212\342\200\220"),
	ROW("\330\234\330\233", "\\xd8\\x9c\330\233"), /* U+061C */
	ROW("\357\273\277\357\273\276", "\\xef\\xbb\\xbf\357\273\276"), /* U+FEFF */
	ROW("\363\240\200\201\363\240\201\277", "\\xf3\\xa0\\x80\\x81\\xf3\\xa0\\x81\\xbf"), /* tags */
	ROW("\363\240\202\200", "\363\240\202\200"), /* U+E0080 */
	ROW("\300\233", "\\xc0\\x9b"),			       /* overlong ESC */
	ROW("\340\200\233", "\\xe0\\x80\\x9b"),	       /* the same in three */
	ROW("\355\240\200", "\\xed\\xa0\\x80"),	       /* a surrogate */
	ROW("\364\220\200\200", "\\xf4\\x90\\x80\\x80"), /* above U+10FFFF */
	ROW("\303", "\\xc3"),				       /* truncated */
	ROW("\342\202", "\\xe2\\x82"),
	ROW("\342\202A", "\\xe2\\x82A"),
#undef ROW
};

static void escapes_the_table(struct test *t)
{
	char out[256];

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		size_t length = printable_escape(out, sizeof(out), table[i].input, table[i].length);

		CHECK_STR(t, out, table[i].output);
		CHECK_INT(t, length, strlen(table[i].output));
	}
}

/* The bytes of a printable name; -1: it is none. */
static int unescape(const char *text, unsigned char *bytes)
{
	int length = 0;

	for (; *text; length++) {
		unsigned int byte;

		if (*text != '\\') {
			bytes[length] = (unsigned char)*text++;
		} else if (text[1] == '\\') {
			bytes[length] = '\\';
			text += 2;
		} else {
			if (sscanf(text, "\\x%2x", &byte) != 1)
				return -1;
			bytes[length] = (unsigned char)byte;
			text += 4;
		}
	}
	return length;
}

/* A name follows from what is printed, so no two names are printed alike. */
static void names_can_be_read_back(struct test *t)
{
	static const char letters[] = "\\\\x1b0\033\302\233a;";
	struct random random = random_make(8);

	for (int i = 0; i < 5000; i++) {
		unsigned char input[24], back[96];
		char out[4 * sizeof(input) + 1];
		size_t length = random_below(&random, sizeof(input));

		for (size_t at = 0; at < length; at++)
			input[at] = (unsigned char)letters[random_below(&random, sizeof(letters) - 1)];
		(void)printable_escape(out, sizeof(out), input, length);
		REQUIRE(t, unescape(out, back) == (int)length);
		CHECK_MEM(t, back, input, length);
	}
}

/* A buffer of any size holds a prefix of the whole output that ends between two pieces. */
static void cuts_between_pieces(struct test *t)
{
	static const char input[] = "a\033\342\202\254\303\274\360\237\220\247\377z";
	static const char whole[] = "a\\x1b\342\202\254\303\274\360\237\220\247\\xffz";
	static const bool may_end[sizeof(whole)] = {
		[0] = true, [1] = true, [5] = true, [8] = true, [10] = true, [14] = true, [18] = true, [19] = true};

	for (size_t room = 0; room <= sizeof(whole) + 1; room++) {
		char out[sizeof(whole) + 4];
		size_t length;

		memset(out, '#', sizeof(out));
		length = printable_escape(out, room, input, sizeof(input) - 1);
		CHECK(t, out[room] == '#'); /* nothing beyond the end */
		if (!room) {
			CHECK_INT(t, length, 0);
			continue;
		}
		CHECK(t, length < room && out[length] == '\0' && may_end[length]);
		CHECK_MEM(t, out, whole, length);
		for (size_t end = length + 1; end < room && end < sizeof(whole); end++)
			CHECK(t, !may_end[end]); /* nor earlier than needed */
	}
}

/* The oracle for well-formedness: Python's decoder. One record per line: input and output in hex. */
static const char *const python_check =
	"import sys\n"
	"def shown(c):\n"
	"  n = ord(c)\n"
	"  if n == 92: return b'\\\\' * 2\n"
	"  if 0xdc80 <= n <= 0xdcff: return b'\\\\x%02x' % (n - 0xdc00)\n"
	"  bad = n < 32 or 127 <= n < 160 or n in (0x61c, 0xfeff) or 0x200b <= n <= 0x200f or\\\n"
	"    0x2028 <= n <= 0x202e or 0x2060 <= n <= 0x2069 or 0xe0000 <= n <= 0xe007f\n"
	"  return b''.join(b'\\\\x%02x' % b for b in c.encode()) if bad else c.encode()\n"
	"n = 0\n"
	"for line in sys.stdin:\n"
	"  given, got = (bytes.fromhex(w) for w in line.rstrip('\\n').split(' '))\n"
	"  want = b''.join(map(shown, given.decode('utf-8', 'surrogateescape')))\n"
	"  if got != want: sys.exit('%r gives %r, not %r' % (given, got, want))\n"
	"  n += 1\n"
	"print('# python agrees on', n)\n";

static void put_hex(FILE *out, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		(void)fprintf(out, "%02x", ((const unsigned char *)bytes)[i]);
}

static void put_record(FILE *python, const unsigned char *input, size_t length)
{
	char out[64];
	size_t size = printable_escape(out, sizeof(out), input, length);

	put_hex(python, input, length);
	(void)fputc(' ', python);
	put_hex(python, out, size);
	(void)fputc('\n', python);
}

/* Bytes at which UTF-8's rules change. */
static unsigned char edge_byte(struct random *random)
{
	static const unsigned char edges[] = {0x00, 0x1f, 0x20, 0x7e, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x9f, 0xa0, 0xa5,
					      0xa6, 0xa8, 0xae, 0xaf, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xe2,
					      0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff};

	return edges[random_below(random, sizeof(edges))];
}

static void put_records(FILE *python)
{
	struct random random = random_make(7);
	unsigned char input[6];

	for (unsigned int one = 0; one < 256; one++) {
		input[0] = (unsigned char)one;
		put_record(python, input, 1);
	}
	for (unsigned int two = 0; two < 65536; two++) {
		input[0] = (unsigned char)(two >> 8);
		input[1] = (unsigned char)two;
		put_record(python, input, 2);
	}
	for (unsigned int low = 0; low < 16384; low++) { /* all that begin with E2: the separators and overrides */
		input[0] = 0xe2;
		input[1] = (unsigned char)(0x80 + (low >> 8));
		input[2] = (unsigned char)low;
		put_record(python, input, 3);
	}
	for (unsigned int low = 0; low < 16384; low++) { /* all that begin with EF or F3 A0: the mark, and the tags */
		const unsigned char second = (unsigned char)(0x80 + (low >> 8)), third = (unsigned char)low;

		put_record(python, (const unsigned char[]){0xef, second, third}, 3);
		put_record(python, (const unsigned char[]){0xf3, 0xa0, second, third}, 4);
	}
	for (unsigned int i = 0; i < test_rounds(80000); i++) {
		size_t length = 3 + random_below(&random, 4);

		for (size_t at = 0; at < length; at++)
			input[at] = edge_byte(&random);
		put_record(python, input, length);
	}
}

static void agrees_with_python(struct test *t)
{
	FILE *python;

	if (system("python3 -c '' >/dev/null 2>&1"))
		SKIP(t, "no python3");
	(void)fflush(stdout);
	REQUIRE(t, !setenv("PRINTABLE_CHECK", python_check, 1));
	python = popen("python3 -c \"$PRINTABLE_CHECK\"", "w");
	REQUIRE(t, python);
	put_records(python);
	CHECK_INT(t, pclose(python), 0);
}

TEST_MAIN(TEST(escapes_the_table), TEST(names_can_be_read_back), TEST(cuts_between_pieces),
	  TEST(agrees_with_python))
