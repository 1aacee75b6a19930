/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/scrub/common_names.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdint.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool matches_any(const char *const *patterns, size_t count, const char *text)
{
	for (size_t i = 0; i < count; i++)
		if (!fnmatch(patterns[i], text, 0))
			return true;
	return false;
}

static bool is_any(const char *const *words, size_t count, const char *text, size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(words[i]) == length && !memcmp(words[i], text, length))
			return true;
	return false;
}

/* --- the kernel --- */

bool common_comm(const char *comm, size_t length)
{
	static const char *const plain[] = {
		"kthreadd", "rcu_gp", "rcu_par_gp", "rcu_sched", "rcu_preempt", "rcu_tasks_kthre",
		"rcu_tasks_rude_", "rcu_tasks_trace", "slub_flushwq", "netns", "mm_percpu_wq",
		"oom_reaper", "writeback", "ksmd", "khugepaged", "khungtaskd", "kauditd", "kdevtmpfs",
		"kintegrityd", "kblockd", "blkcg_punt_bio", "kthrotld", "devfreq_wq", "watchdogd",
		"kstrp", "zswap-shrink", "ecryptfs-kthrea", "inet_frag_wq", "pool_workqueue_",
		"edac-poller", "cryptd", "ata_sff", "md", "kworker/R-rcu_g", "kworker/R-netns",
	};
	static const char *const numbered[] = {
		"swapper/", "migration/", "ksoftirqd/", "cpuhp/", "kworker/", "kswapd", "kcompactd",
		"idle_inject/", "rcuc/", "rcub/", "rcuop/", "rcuog/", "rcuos/", "watchdog/",
		"backlog_napi/", "ktimers/", "irq_work/", "scsi_eh_", "scsi_tmf_", "kdamond.",
	};

	if (is_any(plain, COUNT(plain), comm, length))
		return true;
	for (size_t i = 0; i < COUNT(numbered); i++) {
		size_t prefix = strlen(numbered[i]);

		if (length <= prefix || memcmp(comm, numbered[i], prefix) != 0)
			continue;
		while (prefix < length && comm[prefix] && strchr("0123456789uH:", comm[prefix]))
			prefix++;
		return prefix == length;
	}
	return false;
}

bool common_machine(const char *machine)
{
	static const char *const machines[] = {
		"x86_64", "aarch64", "i686", "armv7l", "ppc64le", "s390x", "riscv64", "loongarch64",
	};

	return is_any(machines, COUNT(machines), machine, strlen(machine));
}

/* "28", "fc40", "deb12u1", "el9", "amd64": a number, a known word, or both. */
static bool is_release_word(const char *word, size_t length)
{
	static const char *const words[] = {
		"", "rc", "deb", "bpo", "u", "cloud", "amd", "arm", "x", "_", "aarch", "generic",
		"lowlatency", "server", "aws", "azure", "gcp", "oracle", "kvm", "raspi", "rpi", "v", "rt",
		"default", "lts", "arch", "zen", "hardened", "pve", "fc", "el", "elrepo", "amzn", "cm",
		"azl", "uek", "vanilla", "common", "unsigned",
	};
	size_t letters = 0, end;

	while (letters < length && !isdigit((unsigned char)word[letters]))
		letters++;
	for (end = letters; end < length && isdigit((unsigned char)word[end]);)
		end++;
	if (end < length) /* in "deb12u1" another word follows */
		return is_any(words, COUNT(words), word, letters) && is_release_word(word + end, length - end);
	/* A long number may be anything. */
	return end - letters <= 4 && is_any(words, COUNT(words), word, letters);
}

size_t common_release(const char *release)
{
	static const char separators[] = ".-+_~";
	size_t kept = 0;

	while (release[kept]) {
		size_t start = kept + (strchr(separators, release[kept]) != NULL);
		size_t length = strcspn(release + start, ".-+~");

		if (!length || !is_release_word(release + start, length))
			break;
		kept = start + length;
	}
	return kept;
}

bool common_recorder(const char *recorder)
{
	static const char *const programs[] = {"rwalker-record ", "rwalker-report "};

	for (size_t i = 0; i < COUNT(programs); i++)
		if (!strncmp(recorder, programs[i], strlen(programs[i])))
			return !recorder[strlen(programs[i]) + strspn(recorder + strlen(programs[i]), "0123456789.")];
	return false;
}

static bool only_words(const char *const *words, size_t count, const char *text)
{
	bool known = *text;

	for (const char *at = text; *at && known; at += strspn(at, " ")) {
		size_t length = strcspn(at, " ");

		known = is_any(words, count, at, length);
		at += length;
	}
	return known;
}

bool common_cgroup_words(const char *text)
{
	static const char *const words[] = {"v2", "v1", "namespace", "incomplete"};

	return only_words(words, COUNT(words), text);
}

bool common_helper_words(const char *text)
{
	static const char *const words[] = {"recording", "files", "dumps"};

	return only_words(words, COUNT(words), text);
}

bool common_function(const char *name)
{
	static const char *const names[] = {"main", "_start", "_init", "_fini", "__restore_rt", "__libc_start_main",
					    "__libc_start_call_main", "[unknown]"};

	return is_any(names, COUNT(names), name, strlen(name));
}

bool common_source(const char *name)
{
	static const char *const names[] = {"cycles", "cpu-clock", "sched_switch", "sched_waking", "tasks"};

	return is_any(names, COUNT(names), name, strlen(name));
}

bool common_identifier(const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_.$", name[i] ? name[i] : ' '))
			return false;
	return length > 0;
}

/* The kind is followed by letters of a disk or by numbers: "sda1", "nvme0n1p2", "dm-0". */
bool common_block_device(const char *name, size_t length)
{
	static const char *const kinds[] = {"sd", "vd", "hd", "xvd", "nvme", "mmcblk", "loop", "ram", "zram", "nbd",
					    "sr", "fd", "dm-", "md", "pmem", "bcache", "rbd", "drbd"};
	static const char *const lettered[] = {"sd", "vd", "hd", "xvd"};
	size_t prefix = 0, at;

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (length > strlen(kinds[i]) && !memcmp(name, kinds[i], strlen(kinds[i])) && strlen(kinds[i]) > prefix)
			prefix = strlen(kinds[i]);
	at = prefix;
	if (is_any(lettered, COUNT(lettered), name, prefix))
		while (at < length && at < prefix + 2 && islower((unsigned char)name[at]))
			at++;
	while (at < length && (isdigit((unsigned char)name[at]) ||
			       (at > prefix && strchr("np", name[at] ? name[at] : ' '))))
		at++;
	return prefix && at == length;
}

bool common_probe(const char *name)
{
	static const char *const defined_by_users[] = {"user_events", "user_events_*", "uprobes", "kprobes", "eprobes",
						       "fprobes", "synthetic", "probe", "probe_*", "rtla*"};
	const char *colon = strchr(name, ':'), *event = colon ? colon + 1 : name;
	char group[64];
	size_t length = colon ? (size_t)(colon - name) : 0;

	if (length >= sizeof(group) || (colon && !common_identifier(name, length)))
		return false;
	memcpy(group, name, length);
	group[length] = '\0';
	return common_identifier(event, strlen(event)) &&
	       !matches_any(defined_by_users, COUNT(defined_by_users), group);
}
