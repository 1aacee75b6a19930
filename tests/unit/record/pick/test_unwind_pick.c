/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Which entries of hand-written call frame information are picked: by address, with their CIEs,
 * within limits, malformed ones.
 */
#include "record/pick/unwind_pick.h"

#include "tests/test.h"
#include "tests/unit/cfi_bytes.h"

enum { RA = 16, MOST = 4096, HIT_ROOM = 8 };

struct picked {
	struct unwind_pieces pieces;
	uint64_t hits[HIT_ROOM]; /* afterwards: those for which there was no entry */
	size_t count;
	int result;
};

static struct unwind_section_view view_of(const struct cfi_writer *writer, enum cfi_kind kind)
{
	return (struct unwind_section_view){.bytes = cfi_written(writer), .kind = kind};
}

static struct picked pick(const struct unwind_section_view *view, size_t count, const uint64_t *hits)
{
	struct picked picked = {.pieces.most = MOST, .count = count};

	memcpy(picked.hits, hits, count * sizeof(*hits));
	picked.result = unwind_pick_hit(view, picked.hits, &picked.count, &picked.pieces);
	return picked;
}

#define PICK(view, ...)                                                          \
	pick((view), sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), \
	     (const uint64_t[]){__VA_ARGS__})

static int is_piece(const struct unwind_pieces *pieces, size_t i, size_t offset, size_t end)
{
	return i < pieces->list.count && pieces->list.items[i].offset == offset &&
	       pieces->list.items[i].size == end - offset;
}

static void shares_a_cie(struct test *t)
{
	struct cfi_writer writer = {0};
	size_t cie = cfi_put_cie(&writer, RA, "", 0), first = writer.bytes.count, second, third;
	struct unwind_section_view view;
	struct picked picked;

	CFI_FDE(&writer, cie, 0x1000, 0x20, 0x41);
	second = writer.bytes.count;
	CFI_FDE(&writer, cie, 0x2000, 0x10, 0x42);
	third = writer.bytes.count;
	CFI_FDE(&writer, cie, 0x3000, 0x40, 0x43);
	view = view_of(&writer, CFI_EH_FRAME);

	picked = PICK(&view, 0x1000, 0x1005, 0x303f);
	CHECK_INT(t, picked.result, 0);
	CHECK_INT(t, picked.count, 0);
	CHECK_INT(t, picked.pieces.list.count, 2);
	CHECK(t, is_piece(&picked.pieces, 0, cie, second));
	CHECK(t, is_piece(&picked.pieces, 1, third, writer.bytes.count));
	CHECK_INT(t, picked.pieces.bytes, writer.bytes.count - (third - second));
	unwind_pieces_deinit(&picked.pieces);

	picked = PICK(&view, 0x3000);
	CHECK_INT(t, picked.pieces.list.count, 2);
	CHECK(t, is_piece(&picked.pieces, 0, cie, first));
	unwind_pieces_deinit(&picked.pieces);
	array_free(&writer.bytes);
}

/* The last byte before a function picks it, because a signal may return to its first one, but is not a hit in it. */
static void ends_of_functions(struct test *t)
{
	struct cfi_writer writer = {0};
	size_t cie = cfi_put_cie(&writer, RA, "", 0);
	struct unwind_section_view view;
	struct picked picked;

	CFI_FDE(&writer, cie, 0x2000, 0x10, 0x42);
	view = view_of(&writer, CFI_EH_FRAME);
	picked = PICK(&view, 0x1ffe, 0x2010, UINT64_MAX);
	CHECK_INT(t, picked.pieces.list.count, 0);
	CHECK(t, picked.count == 3 && picked.hits[0] == 0x1ffe && picked.hits[1] == 0x2010 &&
			 picked.hits[2] == UINT64_MAX);
	picked = PICK(&view, 0x1fff);
	CHECK_INT(t, picked.pieces.list.count, 1);
	CHECK(t, picked.count == 1 && picked.hits[0] == 0x1fff);
	unwind_pieces_deinit(&picked.pieces);
	picked = PICK(&view, 0x10, 0x200f, 0x9000);
	CHECK_INT(t, picked.pieces.list.count, 1);
	CHECK(t, picked.count == 2 && picked.hits[0] == 0x10 && picked.hits[1] == 0x9000);
	unwind_pieces_deinit(&picked.pieces);
	array_free(&writer.bytes);
}

/* What follows an entry that exceeds the section cannot be found; the rest is usable. */
static void ends_at_what_is_malformed(struct test *t)
{
	struct cfi_writer writer = {0};
	size_t cie = cfi_put_cie(&writer, RA, "", 0), good = writer.bytes.count;
	struct unwind_section_view view;
	struct picked picked;

	cfi_begin(&writer, false); /* names an FDE as its CIE */
	cfi_put_uint(&writer, 4, 4);
	cfi_put_uint(&writer, 0x1000, 4);
	cfi_put_uint(&writer, 0x20, 4);
	cfi_end(&writer);
	cfi_begin(&writer, false); /* names a CIE before the section */
	cfi_put_uint(&writer, 0x10000, 4);
	cfi_end(&writer);
	view = view_of(&writer, CFI_EH_FRAME);
	picked = PICK(&view, 0x1000);
	CHECK_INT(t, picked.pieces.list.count, 0);
	CHECK_INT(t, picked.count, 1);

	writer.bytes.count = good;
	CFI_FDE(&writer, cie, 0x1000, 0x20, 0x41);
	cfi_put_uint(&writer, 0xfffffff0, 4);
	CFI_FDE(&writer, cie, 0x2000, 0x20, 0x41);
	view = view_of(&writer, CFI_EH_FRAME);
	picked = PICK(&view, 0x1000, 0x2000);
	CHECK_INT(t, picked.pieces.list.count, 1);
	CHECK(t, picked.count == 1 && picked.hits[0] == 0x2000);
	unwind_pieces_deinit(&picked.pieces);
	picked = (struct picked){.pieces.most = MOST};
	CHECK_INT(t, unwind_pick_all(&view, &picked.pieces), 0);
	CHECK(t, picked.pieces.list.count == 1 && picked.pieces.bytes < writer.bytes.count &&
			 picked.pieces.bytes > good);
	unwind_pieces_deinit(&picked.pieces);
	for (size_t size = 0; size < writer.bytes.count; size++) { /* truncated anywhere: never out of bounds (ASan) */
		view.bytes.size = size;
		picked = PICK(&view, 0x1000);
		CHECK_INT(t, picked.result, 0);
		unwind_pieces_deinit(&picked.pieces);
	}
	array_free(&writer.bytes);
}

/* An FDE may refer to bytes in the middle of another entry as its CIE. Pieces still do not overlap. */
static void pieces_do_not_overlap(struct test *t)
{
	struct cfi_writer writer = {0};
	size_t outer = cfi_put_cie(&writer, RA, "", 0), inner;
	struct unwind_section_view view;
	struct picked picked;
	uint32_t reach = 0;

	cfi_begin_fde(&writer, outer, 0x1000, 0x20);
	CFI_PUT(&writer, 0, 0, 0);
	inner = writer.bytes.count; /* aligned, inside the FDE: a CIE that ends after it */
	cfi_put_uint(&writer, 28, 4);
	cfi_put_uint(&writer, 0, 4);
	CFI_PUT(&writer, 1, 'z', 'R', 0, 1, 0x78, RA, 1, 0x1b, 0, 0, 0);
	cfi_end(&writer);
	CHECK_INT(t, inner % 4, 0);
	cfi_begin_fde(&writer, inner, 0x2000, 0x20);
	cfi_end(&writer);
	cfi_begin_fde(&writer, outer, 0x3000, 0x20);
	cfi_end(&writer);
	view = view_of(&writer, CFI_EH_FRAME);
	picked = PICK(&view, 0x1000, 0x2000, 0x3000);
	CHECK_INT(t, picked.count, 0);
	CHECK_INT(t, picked.pieces.bytes, writer.bytes.count);
	for (size_t i = 0; i < picked.pieces.list.count; i++) {
		CHECK(t, picked.pieces.list.items[i].offset >= reach);
		reach = picked.pieces.list.items[i].offset + picked.pieces.list.items[i].size;
	}
	CHECK_INT(t, reach, writer.bytes.count);
	unwind_pieces_deinit(&picked.pieces);
	array_free(&writer.bytes);
}

TEST_MAIN(TEST(shares_a_cie), TEST(ends_of_functions), TEST(ends_at_what_is_malformed),
	  TEST(pieces_do_not_overlap))
