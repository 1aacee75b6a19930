/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a reporter that was taken over may send the opener: the first byte chooses the settings, the
 * rest is a packet. Packets that are no request are not served; others get one answer, whole, and a
 * descriptor only with a result of 0. Nothing behind the packet's end is read.
 */
#include "report/opener/opener_worker.c"

#include <sanitizer/asan_interface.h>
#include <sys/socket.h>

#include "tests/fuzz/fuzz.h"

static void check_answer(int socket, const struct opener_request *request)
{
	static struct opener_answer answer;
	int fd = -1;
	ssize_t size = packet_receive(socket, &answer, sizeof(answer), 0, &fd);
	const bool opened = request->question == OPENER_QUESTION_FILE && !answer.error;

	fuzz_require(size > (ssize_t)offsetof(struct opener_answer, path));
	fuzz_require(size == (ssize_t)opener_answer_size(&answer));
	fuzz_require(answer.number == request->number && answer.error <= 0 && opened == (fd >= 0));
	if (fd >= 0)
		(void)close(fd);
}

static void ask(struct worker *worker)
{
	struct opener_shared *shared = worker->shared;
	int ends[2], channels[OPENER_CHANNELS];

	fuzz_require(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
	for (size_t i = 0; i < OPENER_CHANNELS; i++)
		channels[i] = ends[0];
	shared->place = (struct walk_place){0};
	opener_begin_work(shared);
	serve(worker, channels);
	fuzz_require(!atomic_load(&shared->work));
	check_answer(ends[1], &shared->request);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	static const char *const files[] = {"/dev/null", NULL}, *const folders[] = {"/usr/lib/", NULL};
	static struct opener_shared shared;
	const struct opener_settings settings = {.files = files, .folders = folders,
						 .no_local_files = length && bytes[0] & 1,
						 .network_files = length && bytes[0] & 2};
	static struct worker worker;
	uint8_t *behind;

	if (length < 2 || length - 1 > sizeof(shared.request))
		return 0;
	memset(&shared.request, 'x', sizeof(shared.request));
	memcpy(&shared.request, bytes + 1, length - 1);
	shared.silent_count = shared.timeouts = 0;
	worker.settings = &settings;
	worker.shared = &shared;
	behind = (uint8_t *)&shared.request + length - 1;
	ASAN_POISON_MEMORY_REGION(behind, sizeof(shared.request) - (length - 1));
	if (is_sound(&shared.request, (ssize_t)length - 1))
		ask(&worker);
	ASAN_UNPOISON_MEMORY_REGION(behind, sizeof(shared.request) - (length - 1));
	return 0;
}
