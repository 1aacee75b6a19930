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

/* --- files --- */

/* Not /usr/local or /opt, where the owner of a host installs programs. */
static const char *const folders[] = {
	"/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/", "/usr/bin/", "/usr/sbin/", "/usr/lib/",
	"/usr/lib32/", "/usr/lib64/", "/usr/libexec/",
};

static const char *const files[] = {
	/* the C library and the loader */
	"ld-linux*.so.[0-9]*", "ld-[0-9].[0-9]*.so", "ld-musl-*.so.[0-9]*", "libc.so.6",
	"libc-[0-9].[0-9]*.so", "libm.so.6", "libm-[0-9].[0-9]*.so", "libmvec.so.1", "libpthread.so.0",
	"libpthread-[0-9].[0-9]*.so", "libdl.so.2", "libdl-[0-9].[0-9]*.so", "librt.so.1",
	"librt-[0-9].[0-9]*.so", "libresolv.so.2", "libnss_files.so.2", "libnss_dns.so.2",
	"libnss_systemd.so.2", "libutil.so.1", "libcrypt.so.[12]*", "libanl.so.1", "libthread_db.so.1",
	/* of compilers and languages */
	"libstdc++.so.6*", "libgcc_s.so.1", "libgomp.so.1*", "libatomic.so.1*", "libasan.so.[0-9]*",
	"libubsan.so.[0-9]*", "libtsan.so.[0-9]*", "libgfortran.so.[0-9]*", "libquadmath.so.0*",
	"libc++.so.1*", "libc++abi.so.1*", "libunwind.so.[0-9]*", "libLLVM*.so*", "libclang*.so.[0-9]*",
	"libpython[23].*so*", "libperl.so.5*", "libruby*.so.[0-9]*", "libjvm.so", "libjava.so",
	"libjli.so", "libnode.so.[0-9]*", "libtcl8.*so*", "liblua5.*so*", "libluajit-5.1.so.2*",
	/* libraries */
	"libz.so.1*", "liblzma.so.5*", "libbz2.so.1*", "libzstd.so.1*", "liblz4.so.1*",
	"libdeflate.so.0*", "libsnappy.so.1*", "libssl.so.[0-9]*", "libcrypto.so.[0-9]*",
	"libgnutls.so.30*", "libnettle.so.[0-9]*", "libhogweed.so.[0-9]*", "libgmp.so.10*",
	"libgcrypt.so.20*", "libgpg-error.so.0*", "libffi.so.[0-9]*", "libglib-2.0.so.0*",
	"libgobject-2.0.so.0*", "libgio-2.0.so.0*", "libgmodule-2.0.so.0*", "libpcre*.so.[0-9]*",
	"libsystemd.so.0*", "libsystemd-shared-*.so", "libsystemd-core-*.so", "libudev.so.1*",
	"libselinux.so.1*", "libsepol.so.[12]*", "libacl.so.1*", "libattr.so.1*", "libcap.so.2*",
	"libcap-ng.so.0*", "libmount.so.1*", "libblkid.so.1*", "libuuid.so.1*", "libsmartcols.so.1*",
	"libexpat.so.1*", "libxml2.so.2*", "libsqlite3.so.0*", "libelf.so.1*", "libelf-[0-9].*.so",
	"libdw.so.1*", "libdw-[0-9].*.so", "libbpf.so.[01]*", "libncurses*.so.[56]*", "libtinfo.so.[56]*",
	"libreadline.so.[78]*", "libkmod.so.2*", "libdbus-1.so.3*", "libpam*.so.0*", "libaudit.so.1*",
	"libseccomp.so.2*", "libidn2.so.0*", "libunistring.so.[25]*", "libtasn1.so.6*",
	"libp11-kit.so.0*", "libkrb5*.so.[0-9]*", "libgssapi_krb5.so.2*", "libcurl*.so.4*",
	"libnghttp2.so.14*", "libssh*.so.[14]*", "libldap*.so.2*", "libjemalloc.so.[12]*",
	"libtcmalloc*.so.4*", "libmimalloc.so.2*", "libnuma.so.1*", "libhwloc.so.15*", "libboost_*.so.1*",
	"libprotobuf*.so.[0-9]*", "libicu*.so.[0-9]*", "libpq.so.5*", "libmariadb*.so.3*", "libaio.so.1*",
	"liburing.so.[12]*", "libibverbs.so.1*", "librdmacm.so.1*", "libX11*.so.6*", "libxcb*.so.[01]*",
	"libwayland-*.so.[01]*", "libGL*.so.[01]*", "libEGL*.so.1*", "libdrm*.so.[12]*",
	"libopenblas*.so.0*", "libblas.so.3*", "liblapack.so.3*",
	/* shells, tools, interpreters, compilers */
	"sh", "bash", "dash", "zsh", "busybox", "coreutils", "cat", "cp", "mv", "rm", "ls", "ln", "dd",
	"df", "du", "sort", "uniq", "cut", "tr", "wc", "head", "tail", "tee", "date", "sleep", "sync",
	"true", "false", "env", "seq", "yes", "grep", "sed", "gawk", "mawk", "find", "xargs", "tar",
	"gzip", "bzip2", "xz", "zstd", "lz4", "md5sum", "sha256sum", "curl", "wget", "rsync", "less",
	"more", "vim*", "nano", "top", "htop", "ps", "free", "vmstat", "pidstat", "iostat", "sar", "perf",
	"perf_[56].*", "strace", "gdb", "bpftool", "bpftrace", "fio", "stress", "stress-ng", "sysbench",
	"openssl", "python[23]*", "perl", "perl5*", "ruby*", "node", "nodejs", "php*", "lua*", "java",
	"javac", "gcc*", "g++*", "cc1", "cc1plus", "cpp*", "collect2", "lto1", "lto-wrapper", "ld",
	"ld.bfd", "ld.gold", "ld.lld", "as", "*-linux-gnu-gcc-[0-9]*", "*-linux-gnu-g++-[0-9]*",
	"*-linux-gnu-ld.bfd", "*-linux-gnu-as", "clang*", "make", "ninja", "cmake", "git",
	"git-remote-http", "ssh", "scp", "sudo", "su", "tmux", "screen",
	/* services */
	"init", "systemd", "systemd-journald", "systemd-udevd", "systemd-logind", "systemd-networkd",
	"systemd-resolved", "systemd-timesyncd", "systemd-executor", "udevadm", "dbus-daemon",
	"dbus-broker", "cron", "crond", "rsyslogd", "sshd", "sshd-session", "sshd-auth", "agetty",
	"login", "chronyd", "ntpd", "polkitd", "NetworkManager", "irqbalance", "nginx", "apache2",
	"httpd", "haproxy", "postgres", "mysqld", "mariadbd", "redis-server", "memcached", "mongod",
	"named", "unbound", "postfix", "dovecot", "dockerd", "containerd", "containerd-shim*", "runc",
	"crun", "conmon", "podman", "kubelet", "qemu-system-*", "libvirtd", "smbd", "rpcbind",
	"rpc.mountd",
};

bool common_file(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash || strstr(path, "/local/"))
		return false;
	for (size_t i = 0; i < COUNT(folders); i++)
		if (!strncmp(path, folders[i], strlen(folders[i])))
			return matches_any(files, COUNT(files), slash + 1);
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
