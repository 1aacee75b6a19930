/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Packets with descriptors: a peer that was taken over cannot fill the receiver's table of them. */
#include "common/packet.h"

#include <stdbool.h>

#include "tests/test.h"
#include "tests/unit/descriptors.h"

/* How many descriptors are left open by a packet with `count` of them; *ret_fd is closed. */
static int left_by(struct test *t, size_t count, bool wanted)
{
	const unsigned int before = count_descriptors();
	int ends[2], fd = -1, bytes = 7, got = 0;

	if (!test_check(t, !socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), "no sockets"))
		return -1;
	send_with_descriptors(ends[0], &bytes, sizeof(bytes), count);
	CHECK_INT(t, packet_receive(ends[1], &got, sizeof(got), 10000, wanted ? &fd : NULL), sizeof(got));
	CHECK_INT(t, got, 7);
	CHECK(t, (fd >= 0) == (wanted && count));
	if (fd >= 0)
		(void)close(fd);
	(void)close(ends[0]);
	(void)close(ends[1]);
	return (int)(count_descriptors() - before);
}

static void no_descriptor_is_left(struct test *t)
{
	for (size_t count = 1; count <= 4; count++) {
		CHECK_INT(t, left_by(t, count, true), 0);
		CHECK_INT(t, left_by(t, count, false), 0);
	}
}

TEST_MAIN(TEST(no_descriptor_is_left))
