/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* A process that asks for the cache's file is not trusted: no bytes that it sends do more than valid requests can. */
#include "report/resolve/cache/name_desk.h"

#include "report/resolve/cache/name_wire.h"
#include "tests/test.h"
#include "tests/unit/report/resolve/cache/scratch_cache.h"

static int ask(const struct desk *desk, const void *bytes, size_t size)
{
	struct desk_answer answer;
	int r = desk_ask(desk, bytes, size, &answer);

	desk_answer_deinit(&answer);
	return r;
}

static void wants_it_open(struct test *t)
{
	const struct name_cache_settings settings = {.path = "/nonexistent/names.sqlite"}, nowhere = {0};
	struct name_desk *own, *none;

	REQUIRE(t, !name_desk_create(&settings, &own) && !name_desk_create(&nowhere, &none));
	for (uint8_t number = 0; number <= NAME_REQUESTS; number++) {
		const struct desk desk = name_desk_of(own), empty = name_desk_of(none);
		const bool open = number != NAME_OPEN && number != NAME_CLOSE && number != NAME_CLEAR;

		CHECK(t, !open || ask(&desk, &number, 1) == -EPROTO);
		CHECK_INT(t, ask(&empty, &number, 1), -EPROTO);
	}
	name_desk_destroy(own);
	name_desk_destroy(none);
}

/* Requests of each kind, with random bytes at the beginning, that end too early or too late. */
static void survives_any_bytes(struct test *t)
{
	struct place place;
	struct name_desk *own;
	struct random random = random_make(7);
	struct desk desk;
	size_t refused = 0;

	place_start(&place);
	const struct name_cache_settings settings = {.path = place.path, .now = NOW};
	REQUIRE(t, !name_desk_create(&settings, &own));
	desk = name_desk_of(own);
	for (int i = 0; i < 3000; i++) {
		uint8_t bytes[64] = {NAME_OPEN, 1};
		const size_t size = 2 + (size_t)random_below(&random, sizeof(bytes) - 2);
		int r;

		(void)ask(&desk, bytes, 2); /* again after each close */
		bytes[0] = (uint8_t)random_below(&random, NAME_REQUESTS + 1);
		for (size_t k = 1; k < size; k++)
			bytes[k] = (uint8_t)random_below(&random, k < 4 ? 8 : 256);
		r = ask(&desk, bytes, size);
		refused += r == -EPROTO;
		REQUIRE(t, r == 0 || r == -EPROTO);
	}
	CHECK(t, refused > 1000);
	name_desk_destroy(own);
	(void)place_stop(&place);
}

TEST_MAIN(TEST(wants_it_open), TEST(survives_any_bytes))
