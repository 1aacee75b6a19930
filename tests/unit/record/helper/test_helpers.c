/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The helpers, run for real through the spawner. */
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/embed/symbol_source.h"
#include "record/helper/helpers.h"
#include "tests/test.h"

/* Before the recording the last line counts. What is named anew during the recording has both names. */
static void a_place_that_had_two_names_has_both(struct test *t)
{
	static const char TEXT[] = "1000 10 old\n1000 10 one\n2000 10 same\n3000 10 a\n",
			  LATER[] = "1000 10 two\n2000 10 same\n3000 10 b\n3000 8 c\n";
	static const char *const names[] = {"one or two", "same", "a or b", "c or 2 others"};
	const uint64_t hits[] = {0x1008, 0x2008, 0x3004, 0x300c};
	struct symbol_wish wish = {.what = ELF_PERF_MAP, .room = 1 << 30};
	struct symbol_source *source;
	const struct event_symbol *symbols;
	struct spawner *spawner;
	struct elf_reply reply;
	size_t count = 0;
	int fd = memfd_create("map", 0);

	wish.settled = strlen(TEXT);
	REQUIRE(t, fd >= 0 && write(fd, TEXT, strlen(TEXT)) > 0 && write(fd, LATER, strlen(LATER)) > 0);
	REQUIRE(t, !helpers_start(0, &spawner) && !symbol_source_create(spawner, false, &source));
	REQUIRE(t, !symbol_source_ask(source, &wish, fd, hits, 4, &reply) && !reply.error);
	REQUIRE(t, symbol_source_next(source, &symbols, &count) > 0 && count == 4);
	for (size_t i = 0; i < count; i++) {
		char text[64];

		(void)snprintf(text, sizeof(text), "%.*s", (int)symbols[i].name.length, symbols[i].name.bytes);
		CHECK_STR(t, text, names[i]);
	}
	symbol_source_destroy(source);
	spawner_destroy(spawner);
}

static void tells_that_the_spawner_was_killed(struct test *t)
{
	struct spawner *spawner;
	siginfo_t info;

	REQUIRE(t, !helpers_start(0, &spawner));
	CHECK(t, !spawner_has_ended(spawner));
	CHECK(t, !kill(spawner_pid(spawner), SIGKILL));
	/* Its socket is closed by then. */
	CHECK(t, !waitid(P_PID, (id_t)spawner_pid(spawner), &info, WEXITED | WNOWAIT));
	CHECK(t, spawner_has_ended(spawner));
	spawner_destroy(spawner);
}

/* What only the spawner may do, it does itself. */
static void opens_events_for_others(struct test *t)
{
	const struct perf_event_attr dummy = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(dummy),
					      .config = PERF_COUNT_SW_DUMMY};
	struct {
		struct perf_event_attr attr;
		uint32_t cpu, unused;
	} request = {.attr = dummy};
	struct spawner *spawner;
	int fd;

	if (geteuid())
		SKIP(t, "needs root");
	REQUIRE(t, !helpers_start(0, &spawner));
	fd = spawner_do(spawner, HELPER_PERF_OPEN, &request, sizeof(request));
	CHECK(t, fd >= 0 && !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	(void)close(fd);
	request.cpu = 1 << 20;
	CHECK(t, spawner_do(spawner, HELPER_PERF_OPEN, &request, sizeof(request)) < 0);
	CHECK_INT(t, spawner_do(spawner, HELPER_PERF_OPEN, &request, 8), -EINVAL);
	CHECK_INT(t, spawner_do(spawner, HELPER_KINDS, &request, 8), -EINVAL);
	CHECK(t, !spawner_has_ended(spawner));
	spawner_destroy(spawner);
}

TEST_MAIN(TEST(opens_events_for_others), TEST(tells_that_the_spawner_was_killed), TEST(a_place_that_had_two_names_has_both))
