/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The tree of wakers compared with hand-written text: it begins with what they did, not with the wakeup itself. */
#include "tests/unit/report/view/fake_view.h"

static const struct view_settings plain = {.min_share = 2500, .filters = ""};

/* A profile with the source of the wakers alone. */
static struct profile *some_wakers(void)
{
	struct profile *p = fake_recorded();

	p->sources[0].kind = PROFILE_WAKERS;
	fake_entry(p, 0, "db", 1, "main@db;unlock@db;futex_wake+0x1;wake_up_q;try_to_wake_up", 3000000);
	fake_entry(p, 0, "db", 1, "main@db;commit@db;futex_wake+0x1;wake_up_q+0x2;try_to_wake_up+0x3", 1000000);
	fake_entry(p, 0, "dd", 2,
		   "main@dd;pipe_write;__wake_up_sync_key;__wake_up_common;autoremove_wake_function;try_to_wake_up",
		   5000000);
	fake_entry(p, 0, "x", 3, "main@x;wake_up_process;try_to_wake_up", 700000); /* nothing is left: as it is */
	fake_entry(p, 0, "x", 3, "main@x;signal_it", 200000);
	fake_entry(p, 0, "x", 3, "", 100000);
	for (size_t i = 0; i < p->entry_count; i++)
		p->entries[i].samples = i + 1;
	p->sources[0].samples = 21;
	return p;
}

static const char grouped_wakers[] =
	"\n"
	">>> 50.00%  pipe_write  (5.0ms)  Comms: dd\n"
	"    |\n"
	"    main+0x0 [dd]\n"
	"    pipe_write+0x0\n"
	"\n"
	">>> 40.00%  futex_wake  (4.0ms)  Comms: db\n"
	"    |\n"
	"    main+0x0 [db]\n"
	"    |--30.00%--unlock+0x0\n"
	"    |          futex_wake+0x1\n"
	"     --10.00%--commit+0x0\n"
	"               futex_wake+0x1\n"
	"\n"
	">>> 7.00%  try_to_wake_up  (0.7ms)  Comms: x\n"
	"    |\n"
	"    main+0x0 [x]\n"
	"    wake_up_process+0x0\n"
	"    try_to_wake_up+0x0\n"
	"\n"
	">>> 2.00%  signal_it  (0.2ms)  Comms: x\n"
	"    |\n"
	"    main+0x0 [x]\n"
	"    signal_it+0x0\n"
	"\n"
	">>> 1.00%  [no call chain]  (0.1ms)  Comms: x\n"
	"\n"
	"# the wakeup's own frames (try_to_wake_up ...) "
	"are passed over at the leaf, in 6 of 21 waits; -v shows them\n";

static void groups_wakers_by_what_they_did(struct test *t)
{
	struct profile *p = some_wakers();

	fake_check_printed(t, p, tree_view, &plain, grouped_wakers);
	free(p);
}

/* -v shows all; for sleepers and CPU time, nothing is skipped. */
static void passes_nothing_else(struct test *t)
{
	static const enum profile_source_kind kinds[] = {PROFILE_WAKERS, PROFILE_OFFCPU, PROFILE_CPU};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct profile *p = some_wakers();
		struct view_settings settings = plain;
		char *text;

		p->sources[0].kind = kinds[i];
		settings.addresses = kinds[i] == PROFILE_WAKERS;
		CHECK_INT(t, fake_view(p, tree_view, &settings, &text), 0);
		CHECK(t, strstr(text, ">>> 97.00%  try_to_wake_up  (9.7ms"));
		CHECK(t, !strstr(text, "passed over"));
		free(text);
		free(p);
	}
}

static void refuses_wakers_that_contradict(struct test *t)
{
	struct profile *p = some_wakers();
	uint32_t node = p->entries[0].node;
	char *text;

	p->nodes[node].parent = node;
	CHECK_INT(t, fake_view(p, tree_view, &plain, &text), -EBADMSG);
	free(text);
	p->nodes[node].parent = node - 1;
	p->entries[0].node = (uint32_t)p->node_count;
	CHECK_INT(t, fake_view(p, tree_view, &plain, &text), -EBADMSG);
	free(text);
	free(p);
}

TEST_MAIN(TEST(groups_wakers_by_what_they_did), TEST(passes_nothing_else), TEST(refuses_wakers_that_contradict))
