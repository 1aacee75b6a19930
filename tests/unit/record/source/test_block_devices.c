/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Lines as /proc/partitions has them, whole and in parts. */
#include "record/source/block_devices.h"

#include <string.h>
#include <sys/sysmacros.h>

#include "tests/test.h"

static const char table[] = "major minor  #blocks  name\n"
			    "\n"
			    " 254       98   83886080 vda\n"
			    " 999        1      65536 nvme0n1p12\n"
			    " 253        0 9876543210 dm-0";

static void finds_names(struct test *t)
{
	struct block_devices *devices;
	const char *name;
	size_t done;

	REQUIRE(t, !block_devices_create(&devices));
	done = block_devices_parse(devices, table, strlen(table));
	CHECK_INT(t, done, strlen(table) - strlen(" 253        0 9876543210 dm-0"));
	name = block_devices_find(devices, makedev(254, 98));
	CHECK(t, name && !strcmp(name, "vda"));
	name = block_devices_find(devices, makedev(999, 1));
	CHECK(t, name && !strcmp(name, "nvme0n1p12"));
	CHECK(t, !block_devices_find(devices, makedev(998, 999)));
	block_devices_destroy(devices);
}

static void takes_no_line_that_is_another(struct test *t)
{
	static const char odd[] = "998 7\n"
				  "998 x 1 sda\n"
				  "998 8 12 0123456789012345678901234567890123456789012345\n";
	struct block_devices *devices;
	const char *name;

	REQUIRE(t, !block_devices_create(&devices));
	CHECK_INT(t, block_devices_parse(devices, odd, strlen(odd)), strlen(odd));
	CHECK(t, !block_devices_find(devices, makedev(998, 7)));
	name = block_devices_find(devices, makedev(998, 8)); /* cut */
	CHECK(t, !name || strlen(name) < 40);
	block_devices_destroy(devices);
	block_devices_destroy(NULL);
}

TEST_MAIN(TEST(finds_names), TEST(takes_no_line_that_is_another))
