/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Escape sequences, control characters and bidirectional overrides in comms, symbols, modules, paths, states
 * and the account are never printed raw, in any view with any setting; and a large, deep tree is printed in
 * reasonable time.
 */
#include "tests/unit/report/view/fake_events.h"

#define EVIL "x\033]0;owned\007\033[2J\177\r\n\xc2\x9b" "31m\xe2\x80\xae" "y\xff"

static struct profile *evil_profile(void)
{
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, EVIL, "samples");

	fake_entry(p, cpu, EVIL, 1, "f@" EVIL ";" EVIL "@app;?@" EVIL, 60);
	fake_entry(p, cpu, EVIL, 2, "f@other;g@app;h@app", 40);
	fake_entry(p, cpu, EVIL, 2, "", 40);
	(void)fake_recording(p, 0, SECOND);
	(void)fake_event(p, cpu, fake_probe(p, EVIL, 1), EVIL, 1, 1, "f@" EVIL ";" EVIL "@app;?@" EVIL);
	(void)fake_event(p, cpu, PROFILE_NO_PROBE, EVIL, 1, 1, EVIL);
	p->modules[0].path = p->modules[0].build_id = EVIL;
	(void)fake_source(p, PROFILE_TASKS, EVIL, "samples");
	p->walks[p->walk_count++] = (struct profile_walk){.number = 1, .seen = 1};
	(void)fake_walked(p, 0, EVIL, 5, "D\033[31m", EVIL "+0x1");
	p->sources[1].samples = 1;
	fake_note(p, EVIL, 0);
	return p;
}

/*
 * Bytes that must not be printed: controls except newline and tab, which an export has, and the
 * multi-byte ones among EVIL.
 */
static bool is_clean(const char *text)
{
	for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++)
		if ((*byte < 0x20 && *byte != '\n' && *byte != '\t') || *byte == 0x7f || *byte == 0xff)
			return false;
	return !strstr(text, "\xc2\x9b") && !strstr(text, "\xe2\x80\xae") && !strstr(text, "\r");
}

static void prints_nothing_raw(struct test *t)
{
	for (unsigned int bits = 0; bits < 32; bits++)
		for (int kind = -1; kind < VIEW_KINDS; kind++) {
			struct profile *p = evil_profile();
			struct view_settings settings = {
				.addresses = bits & 1,
				.offsets = bits & 2,
				.per_process = bits & 4,
				.delimited = bits & 8,
				.user_only = bits & 16,
				.timestamps = bits & 16,
				.interval = bits & 8 ? SECOND / 4 : 0,
				.filters = "",
			};
			char *text;

			if (kind >= 0 && views[kind].binary) /* tests/golden/exports_check.py reads these */
				continue;
			if (kind == VIEW_FOLDED)
				p->source_count = 1;
			text = fake_print(p, kind < 0 ? NULL : &views[kind], &settings);
			/* There are no waits, and machine-readable lines have no other text. */
			CHECK(t, strstr(text, "owned") || kind == VIEW_TOP_WAITS_RAW || kind == VIEW_FOLDED_WAKERS);
			CHECK(t, is_clean(text));
			free(text);
			free(p);
		}
}

static void one_line_stays_one_line(struct test *t)
{
	struct profile *p = evil_profile();
	struct view_settings settings = {.filters = ""};
	char *text;
	size_t lines = 0;

	p->source_count = 1;
	text = fake_print(p, &views[VIEW_FOLDED], &settings);
	for (const char *c = text; *c; c++)
		lines += *c == '\n';
	CHECK_INT(t, lines, 4);
	free(text);
	free(p);
}

/* A chain of `depth` calls with a branch at each of them: everything is shown. */
static void prints_deep_trees_in_linear_space(struct test *t)
{
	enum { DEPTH = 150 };
	struct profile *p = fake_profile();
	uint32_t cpu = fake_source(p, PROFILE_CPU, "cpu-clock", "samples"), node = 0;
	struct view_settings settings = {.filters = ""};
	char *text;

	fake_entry(p, cpu, "a", 1, "leaf@x", 1);
	for (uint32_t depth = 0; depth < DEPTH; depth++) {
		uint32_t frame = fake_frame(p, "step@x", 6);

		p->nodes[p->node_count] = (struct profile_node){.parent = node, .frame = frame};
		node = (uint32_t)p->node_count++;
		p->nodes[p->node_count] = (struct profile_node){.parent = node, .frame = 0};
		p->entries[p->entry_count++] = (struct profile_entry){
			.source = cpu, .node = (uint32_t)p->node_count++, .task = 0, .samples = 1, .weight = 1};
		p->sources[cpu].samples = ++p->sources[cpu].weight;
	}
	text = fake_print(p, &views[VIEW_TREE], &settings);
	CHECK(t, strstr(text, "[level 149] "));
	CHECK(t, strlen(text) < 3 * DEPTH * 600);
	free(text);
	free(p);
}

TEST_MAIN(TEST(prints_nothing_raw), TEST(one_line_stays_one_line), TEST(prints_deep_trees_in_linear_space))
