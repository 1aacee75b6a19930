/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Rules of --trigger as the manual has them; what is wrong is refused. */
#include "record/plan/trigger_rule.h"

#include "common/time_units.h"
#include "tests/test.h"

static void waits(struct test *t)
{
	struct trigger_rule rule;

	REQUIRE(t, trigger_rule_parse("wait:D>500ms", &rule) == 0);
	CHECK(t, rule.kind == TRIGGER_WAIT && rule.states == 2 && !*rule.name);
	CHECK_INT(t, rule.value, 500 * MILLISECOND);
	REQUIRE(t, trigger_rule_parse("wait:comm=/^a>b$/>2", &rule) == 0);
	CHECK_STR(t, rule.name, "^a>b$");
	CHECK_INT(t, rule.value, 2 * SECOND);
	REQUIRE(t, trigger_rule_parse("wait:DS,comm=/x/>1m", &rule) == 0);
	CHECK(t, rule.states == 3 && !strcmp(rule.name, "x") && rule.value == 60 * SECOND);
	REQUIRE(t, trigger_rule_parse("wait>1s", &rule) == 0);
	CHECK(t, !rule.states && !*rule.name);
	REQUIRE(t, trigger_rule_parse("runq:comm=/db/>50ms", &rule) == 0);
	CHECK(t, rule.kind == TRIGGER_RUNQ && rule.value == 50 * MILLISECOND);
	REQUIRE(t, trigger_rule_parse("stuck:D>5s", &rule) == 0);
	CHECK(t, rule.kind == TRIGGER_STUCK && rule.value == 5 * SECOND);
}

static void shares(struct test *t)
{
	struct trigger_rule rule;

	REQUIRE(t, trigger_rule_parse("psi:cpu.some>30%/2s", &rule) == 0);
	CHECK(t, rule.kind == TRIGGER_PSI && rule.pressure == PRESSURE_CPU && !rule.full && !*rule.name);
	CHECK_INT(t, rule.value, 3000);
	CHECK_INT(t, rule.window, 2 * SECOND);
	REQUIRE(t, trigger_rule_parse("psi:system.slice/db/io.full>0.5%/500ms", &rule) == 0);
	CHECK(t, rule.pressure == PRESSURE_IO && rule.full && rule.value == 50);
	CHECK_STR(t, rule.name, "system.slice/db");
	REQUIRE(t, trigger_rule_parse("cpu:/sys/fs/cgroup/a>b>180%/5s", &rule) == 0);
	CHECK_STR(t, rule.name, "/sys/fs/cgroup/a>b");
	CHECK(t, rule.kind == TRIGGER_CPU && rule.value == 18000 && rule.window == 5 * SECOND);
}

static void commands(struct test *t)
{
	struct trigger_rule rule;

	REQUIRE(t, trigger_rule_parse("exec:'test -e /x'/10s", &rule) == 0);
	CHECK_STR(t, rule.name, "test -e /x");
	CHECK(t, rule.kind == TRIGGER_EXEC && rule.window == 10 * SECOND);
	REQUIRE(t, trigger_rule_parse("exec:\"a b\"/1m", &rule) == 0);
	CHECK_STR(t, rule.name, "a b");
	REQUIRE(t, trigger_rule_parse("exec:/bin/check/10s", &rule) == 0);
	CHECK_STR(t, rule.name, "/bin/check");
}

static void mistakes(struct test *t)
{
	static const char *const rules[] = {
		"", "x", "wait", "wait:", "wait:>1s", "wait:Q>1s", "wait:D1s", "wait:D>", "wait:D>1x", "wait:D>0",
		"wait:D>1s/2s", "wait:comm>1s", "wait:comm=x>1s", "wait:comm=/x>1s", "wait:comm=//>1s", "runq:D>1s",
		"stuck:S>1s", "psi", "psi:disk.some>1%/2s", "psi:cpu>1%/2s", "psi:cpu.some>1/2s", "psi:cpu.some>1%",
		"psi:cpu.some>101%/2s", "psi:cpu.some>1%/20s", "psi:cpu.some>1%/100ms", "cpu:>1%/2s", "cpu:a>1%",
		"cpu:a", "exec:", "exec:x", "exec:/10s", "exec:'x/10s", "exec:x/0.5", "exec:'x'y/1s",
	};
	struct trigger_rule rule;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!CHECK_INT(t, trigger_rule_parse(rules[i], &rule), -EINVAL))
			printf("# %s\n", rules[i]);
}

TEST_MAIN(TEST(waits), TEST(shares), TEST(commands), TEST(mistakes))
