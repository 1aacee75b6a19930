/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/requirements.h"

#include "tests/test.h"

static void versions(struct test *t)
{
	CHECK(t, requirements_recent("6.1.0-18-amd64"));
	CHECK(t, requirements_recent("6.18.44"));
	CHECK(t, requirements_recent("10.0"));
	CHECK(t, !requirements_recent("6.0.19"));
	CHECK(t, !requirements_recent("5.15.0-91-generic"));
	CHECK(t, !requirements_recent("6"));
	CHECK(t, !requirements_recent(""));
}

TEST_MAIN(TEST(versions))
