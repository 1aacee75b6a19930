/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/common_names.h"

#include "tests/test.h"

#define EACH(list) (size_t i = 0; i < sizeof(list) / sizeof((list)[0]); i++)

static void knows_kernel_threads(struct test *t)
{
	static const char *const common[] = {"kthreadd", "ksoftirqd/0", "kworker/0:1H", "kworker/u8:2", "swapper/11",
					     "kswapd0", "rcu_preempt"};
	static const char *const own[] = {"kworker/alice", "jbd2/sda1-8", "vhost-1234", "wg-crypt-wg0", "payroll",
					  "kthreadd2", "ksoftirqd/", "", "napi/eth0-12", "dmcrypt_write/2"};

	for EACH (common)
		test_check(t, common_comm(common[i], strlen(common[i])), "'%s' is private", common[i]);
	for EACH (own)
		test_check(t, !common_comm(own[i], strlen(own[i])), "'%s' is public", own[i]);
}

static void cuts_releases(struct test *t)
{
	static const struct {
		const char *given;
		const char *kept;
	} releases[] = {
		{"6.1.0-28-amd64", "6.1.0-28-amd64"},
		{"6.12.117+deb12-cloud-amd64", "6.12.117+deb12-cloud-amd64"},
		{"6.8.0-1021-aws", "6.8.0-1021-aws"},
		{"5.14.0-503.el9_5.x86_64", "5.14.0-503.el9_5.x86_64"},
		{"6.11.4-301.fc41.x86_64", "6.11.4-301.fc41.x86_64"},
		{"6.18.0-rc4", "6.18.0-rc4"},
		{"6.1.0-payroll", "6.1.0"},
		{"6.1.0-28-amd64-payroll+", "6.1.0-28-amd64"},
		{"6.1.0-alice1-amd64", "6.1.0"},
		{"6.1.0-g0123456789ab", "6.1.0"},
		{"6.1.0-20261122123456", "6.1.0"},
		{"payroll", ""},
		{"", ""},
	};

	for EACH (releases) {
		char kept[64];

		(void)snprintf(kept, sizeof(kept), "%.*s", (int)common_release(releases[i].given), releases[i].given);
		CHECK_STR(t, kept, releases[i].kept);
	}
}

static void knows_probes(struct test *t)
{
	static const char *const common[] = {"sched:sched_switch", "block:block_rq_issue", "tcp_sendmsg",
					     "ext4:ext4_sync_file_enter", "syscalls:sys_enter_read"};
	static const char *const own[] = {"user_events:payroll_paid", "uprobes:salary", "probe_payroll:main",
					  "kprobes:alices_probe", "synthetic:latency", "tcp sendmsg", "", "a:b:c",
					  "sched:", "user_events_alice:x"};

	for EACH (common)
		test_check(t, common_probe(common[i]), "'%s' is private", common[i]);
	for EACH (own)
		test_check(t, !common_probe(own[i]), "'%s' is public", own[i]);
}

static void knows_little_else(struct test *t)
{
	CHECK(t, common_recorder("rwalker-record 0.1.0"));
	CHECK(t, !common_recorder("rwalker-record 0.1.0-alice"));
	CHECK(t, !common_recorder("payroll 1"));
	CHECK(t, common_machine("x86_64"));
	CHECK(t, !common_machine("x86_64 of alice"));
	CHECK(t, common_helper_words("recording dumps") && common_helper_words("files"));
	CHECK(t, !common_helper_words("files of alice") && !common_helper_words(""));
	CHECK(t, common_cgroup_words("v2 namespace") && !common_cgroup_words("v2 alice"));
	CHECK(t, common_function("main"));
	CHECK(t, !common_function("main_payroll"));
	CHECK(t, common_source("cpu-clock"));
	CHECK(t, !common_source("payroll"));
	CHECK(t, common_identifier("do_idle.cold", 12));
	CHECK(t, !common_identifier("do idle", 7));
	CHECK(t, !common_identifier("a\0b", 3));
}

static void knows_block_devices(struct test *t)
{
	static const char *const common[] = {"sda", "sda1", "sdab12", "vda", "xvda1", "nvme0n1", "nvme0n1p2",
					     "mmcblk0p1", "loop7", "dm-0", "md127", "sr0", "zram0", "nbd3p1", "rbd0"};
	static const char *const own[] = {"", "sd", "payroll", "dm-", "dm-payroll", "sdpayroll", "md127_alice",
					  "loop7 ", "nvme0n1p2x", "vg-alice-root", "sda1-8"};

	for EACH (common)
		test_check(t, common_block_device(common[i], strlen(common[i])), "'%s' is private", common[i]);
	for EACH (own)
		test_check(t, !common_block_device(own[i], strlen(own[i])), "'%s' is public", own[i]);
	CHECK(t, !common_block_device("sda\0x", 5));
}

TEST_MAIN(TEST(knows_block_devices), TEST(knows_kernel_threads),
	  TEST(cuts_releases), TEST(knows_probes), TEST(knows_little_else))
