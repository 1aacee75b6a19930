/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* --on: which waits fit an expression, by kind, object, owner and other end; by hand. */
#include "report/view/object/object_pattern.h"

#include "tests/unit/report/view/fake_view.h"

enum { READ = 1, CALLS };

static uint32_t add_object(struct profile *profile, struct profile_object object)
{
	object.comm = object.comm ? object.comm : "";
	object.name = object.name ? object.name : "";
	object.local = object.local ? object.local : "";
	object.peer = object.peer ? object.peer : "";
	profile->objects[profile->object_count] = object;
	return (uint32_t)profile->object_count++;
}

static struct profile *profile_with_calls(void)
{
	static const struct profile_operation operations[CALLS] = {{.name = ""},
								  {.kind = PROFILE_IN_CALL, .name = "read",
								   .direction = PROFILE_READS}};
	struct profile *profile = fake_recorded();

	memcpy(profile->operations, operations, sizeof(operations));
	profile->operation_count = CALLS;
	(void)add_object(profile, (struct profile_object){0});
	return profile;
}

static struct profile_wait *add_wait(struct profile *profile, uint32_t operation, uint32_t object)
{
	struct profile_wait *wait = fake_wait(profile, "app", 7, "schedule", BOOT, BOOT + MS);

	wait->operation = operation;
	wait->object = object;
	return wait;
}

/* Asked twice: the second answer is remembered. */
static void check_fit(struct test *t, const struct profile *profile, const struct profile_wait *wait,
		      const char *expression, int want)
{
	struct object_pattern pattern = {0};
	struct profile_wait_test fits = object_pattern_test(&pattern);

	if (regcomp(&pattern.expression, expression, REG_EXTENDED | REG_NOSUB))
		abort();
	for (int i = 0; i < 2; i++)
		if (!test_check(t, fits.passes(fits.context, profile, wait) == want, "another answer than expected"))
			printf("# about '%s'\n", expression);
	object_pattern_deinit(&pattern);
}

static void fits_kind_and_object(struct test *t)
{
	struct profile *profile = profile_with_calls();
	uint32_t file = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_FILE, .name = "/var/tcp"});
	const struct profile_wait *wait = add_wait(profile, READ, file);

	check_fit(t, profile, wait, "^file ", 1);
	check_fit(t, profile, wait, "^file in read of /var/tcp$", 1);
	check_fit(t, profile, wait, "tcp", 1);
	check_fit(t, profile, wait, "^tcp", 0);
	check_fit(t, profile, wait, "write|fsync", 0);
	free(profile);
}

static void fits_owner_and_other_end(struct test *t)
{
	struct profile *profile = profile_with_calls();
	uint32_t pipe = add_object(profile, (struct profile_object){.kind = PROFILE_OBJECT_PIPE, .inode = 42});
	uint32_t futex = add_object(profile, (struct profile_object){
		.kind = PROFILE_OBJECT_FUTEX, .address = 0x40});
	const struct profile_wait *read = add_wait(profile, READ, pipe);
	struct profile_wait *lock = add_wait(profile, 0, futex);

	lock->held = PROFILE_HELD_BY_OWNER;
	lock->owner = fake_task(profile, "main", 9, 9);
	profile->objects[pipe].users[PROFILE_WRITES] = (struct profile_users){1, fake_task(profile, "cc1", 8, 8), true};
	check_fit(t, profile, read, "written by cc1 8", 1);
	check_fit(t, profile, read, "held at first by main", 0);
	check_fit(t, profile, lock, "held at first by main 9", 1);
	check_fit(t, profile, lock, "futex.*cc1", 0);
	free(profile);
}

/* A wait without an object has only its call; one without either fits nothing. */
static void fits_what_is_known(struct test *t)
{
	struct profile *profile = profile_with_calls();

	check_fit(t, profile, add_wait(profile, READ, 0), "^in read$", 1);
	check_fit(t, profile, add_wait(profile, 0, 0), ".*", 0);
	free(profile);
}

/* Two waits that differ in one thing only have answers of their own. */
static void tells_waits_apart(struct test *t)
{
	struct profile *profile = profile_with_calls();
	uint32_t futex = add_object(profile, (struct profile_object){
		.kind = PROFILE_OBJECT_FUTEX, .address = 0x40});
	struct object_pattern pattern = {0};
	struct profile_wait_test fits = object_pattern_test(&pattern);
	struct profile_wait *one = add_wait(profile, 0, futex), *other = add_wait(profile, 0, futex);

	one->held = other->held = PROFILE_HELD_BY_OWNER;
	one->owner = fake_task(profile, "main", 9, 9);
	other->owner = fake_task(profile, "clerk", 10, 10);
	if (regcomp(&pattern.expression, "main", REG_EXTENDED | REG_NOSUB))
		abort();
	CHECK_INT(t, fits.passes(fits.context, profile, one), 1);
	CHECK_INT(t, fits.passes(fits.context, profile, other), 0);
	object_pattern_deinit(&pattern);
	free(profile);
}

TEST_MAIN(TEST(fits_kind_and_object), TEST(fits_owner_and_other_end), TEST(fits_what_is_known), TEST(tells_waits_apart))
