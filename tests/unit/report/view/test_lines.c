/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Lines and inlined functions in the views, compared with hand-written text. */
#include "tests/unit/report/view/fake_profile.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

static void set_line(struct profile *p, uint32_t frame, const char *file, uint32_t line, bool inlined)
{
	p->symbols[frame].file = file;
	p->symbols[frame].line = line;
	p->symbols[frame].inlined = inlined;
	p->frames[frame].inline_depth = inlined;
}

/*
 * main calls sum, in which add is inlined; it also calls add itself. Frames are numbered in the
 * order of the chains.
 */
static struct profile *some_lines(void)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "a", 7, "main@a+0x5;sum@a+0x10;add@a+0x10", 6);
	fake_entry(p, cpu, "a", 7, "main@a+0x9;add@a+0x3", 4);
	set_line(p, 0, "/src/dir/main.c", 12, false);
	set_line(p, 1, "/src/dir/sum.c", 40, false);
	set_line(p, 2, "/src/dir/sum.h", 3, true);
	set_line(p, 3, "/src/dir/main.c", 13, false);
	set_line(p, 4, "sum\n.c", 0, false);
	return p;
}

static void tree_has_lines(struct test *t)
{
	struct profile *p = some_lines();

	fake_check(t, p, VIEW_TREE, &plain,
		   "# cpu cpu-clock: 10 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   ">>> 60.00%  add [inlined]  Comms: a\n"
		   "    |\n"
		   "    main+0x5 main.c:12\n"
		   "    sum+0x10 sum.c:40\n"
		   "    add [inlined] sum.h:3\n"
		   "\n"
		   ">>> 40.00%  add  Comms: a\n"
		   "    |\n"
		   "    main+0x9 main.c:13\n"
		   "    add+0x3 sum\\x0a.c:?\n"
		   "\n");
	free(p);
}

static void verbose_tree_has_paths(struct test *t)
{
	struct profile *p = some_lines();
	struct view_settings settings = plain;

	settings.addresses = true;
	settings.max_groups = 1;
	fake_check(t, p, VIEW_TREE, &settings,
		   "# cpu cpu-clock: 10 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   ">>> 60.00%  add [inlined]  Comms: a\n"
		   "    |\n"
		   "    0x0000000000001005 main+0x5 [a] /src/dir/main.c:12\n"
		   "    0x0000000000001010 sum+0x10 [a] /src/dir/sum.c:40\n"
		   "    0x0000000000001010 add [inlined] [a] /src/dir/sum.h:3\n"
		   "\n"
		   "# leaf functions not shown: 1, 40.00% in all\n");
	free(p);
}

static void folded_stacks_mark_what_is_inlined(struct test *t)
{
	struct profile *p = some_lines();
	struct view_settings settings = plain;

	fake_check(t, p, VIEW_FOLDED, &plain, "a;main;add 4\na;main;sum;add_[i] 6\n");
	settings.offsets = true;
	fake_check(t, p, VIEW_FOLDED, &settings, "a;main+0x9;add+0x3 4\na;main+0x5;sum+0x10;add_[i] 6\n");
	free(p);
}

/* As bcc prints them, without lines; one name in one module stays unambiguous, inlined or not. */
static void stacks_mark_what_is_inlined(struct test *t)
{
	struct profile *p = some_lines();

	fake_check(t, p, VIEW_STACKS, &plain,
		   "# cpu cpu-clock: 10 samples in 5.00 s, kernel and user stacks\n"
		   "\n"
		   "    add\n"
		   "    main\n"
		   "    -                a\n"
		   "        4\n"
		   "\n"
		   "    add [inlined]\n"
		   "    sum\n"
		   "    main\n"
		   "    -                a\n"
		   "        6\n"
		   "\n");
	free(p);
}

/* A name known only from DWARF has no offset. */
static void no_offset_is_made_up(struct test *t)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples");

	fake_entry(p, cpu, "a", 7, "main@a;hidden@a", 1);
	set_line(p, 1, "x.c", 9, false);
	p->symbols[1].no_offset = true;
	fake_check(t, p, VIEW_TREE, &plain,
		   "# cpu cpu-clock: 1 sample in 5.00 s, kernel and user stacks\n"
		   "\n"
		   ">>> 100.00%  hidden  Comms: a\n"
		   "    |\n"
		   "    main+0x0\n"
		   "    hidden x.c:9\n"
		   "\n");
	free(p);
}

TEST_MAIN(TEST(tree_has_lines), TEST(verbose_tree_has_paths), TEST(folded_stacks_mark_what_is_inlined),
	  TEST(stacks_mark_what_is_inlined), TEST(no_offset_is_made_up))
