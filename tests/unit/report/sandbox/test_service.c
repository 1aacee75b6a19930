/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Worker and parent: what is asked arrives whole, a worker that was taken over gains nothing, and both end as one. */
#include "report/sandbox/service.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "report/sandbox/worker.h"
#include "tests/test.h"
#include "tests/unit/descriptors.h"

/* Answers with the request, backwards, and with a descriptor if it begins with 'd'. */
static int turn_round(void *context, const void *request, size_t size, struct service_answer *answer)
{
	const uint8_t *from = request;

	if (!size || from[0] == '!')
		return -EPROTO;
	answer->bytes = malloc(size);
	if (!answer->bytes)
		return -ENOMEM;
	for (size_t i = 0; i < size; i++)
		answer->bytes[i] = from[size - 1 - i];
	answer->size = size;
	answer->result = *(int *)context;
	if (from[0] == 'd')
		answer->fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return 0;
}

/* A parent in a child. Returns the worker's end. */
static int start_parent(pid_t *ret_pid)
{
	int ends[2], number = -7;
	const struct service service = {.serve = turn_round, .context = &number};

	if (service_line_open(ends))
		return -1;
	*ret_pid = fork();
	if (!*ret_pid) {
		int r;

		(void)close(ends[1]);
		while ((r = service_serve(ends[0], &service, 1, SERVICE_MOST)) > 0)
			;
		_exit(-r);
	}
	(void)close(ends[0]);
	return ends[1];
}

static int end_parent(int socket, pid_t pid)
{
	int status = -1;

	(void)close(socket);
	(void)waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void brings_back_what_was_asked(struct test *t)
{
	pid_t pid;
	struct far_service far = {.line = start_parent(&pid)};
	const struct service service = service_far(&far);
	const size_t size = 5 << 20; /* more than any socket holds */
	char *much = malloc(size);
	struct service_answer answer;

	REQUIRE(t, far.line >= 0 && much);
	CHECK_INT(t, service_ask(&service, "abc", 3, &answer), 0);
	CHECK_INT(t, answer.result, -7);
	CHECK(t, answer.size == 3 && !memcmp(answer.bytes, "cba", 3));
	CHECK_INT(t, answer.fd, -1);
	service_answer_deinit(&answer);
	CHECK_INT(t, service_ask(&service, "d", 1, &answer), 0);
	CHECK(t, fcntl(answer.fd, F_GETFD) == FD_CLOEXEC);
	service_answer_deinit(&answer);
	for (size_t i = 0; i < size; i++)
		much[i] = (char)(i * 7 + i / 251);
	much[0] = 'x';
	CHECK_INT(t, service_ask(&service, much, size, &answer), 0);
	REQUIRE(t, answer.size == size);
	for (size_t i = 0; i < size; i++)
		REQUIRE(t, answer.bytes[i] == (uint8_t)much[size - 1 - i]);
	service_answer_deinit(&answer);
	CHECK_INT(t, end_parent(far.line, pid), 0);
	free(much);
}

/* What a parent makes of a packet with this head, of `size` bytes in all. */
static int parent_of(uint32_t number, uint32_t bytes, size_t size, char first)
{
	struct {
		uint64_t id;
		uint32_t number, size;
		char bytes[SERVICE_MOST_SHORT];
	} packet = {.number = number, .size = bytes, .bytes[0] = first};
	pid_t pid;
	int socket = start_parent(&pid);

	(void)send(socket, &packet, size, MSG_NOSIGNAL);
	(void)shutdown(socket, SHUT_WR);
	return end_parent(socket, pid);
}

static void believes_nothing(struct test *t)
{
	enum { HEAD = 16 };

	CHECK_INT(t, parent_of(1, 0, HEAD, 0), EPROTO); /* no such service */
	CHECK_INT(t, parent_of(UINT32_MAX, 0, HEAD, 0), EPROTO);
	CHECK_INT(t, parent_of(0, UINT32_MAX, HEAD, 0), EPROTO); /* too much */
	CHECK_INT(t, parent_of(0, SERVICE_MOST + 1, HEAD, 0), EPROTO);
	CHECK_INT(t, parent_of(0, 0, HEAD, 0), EPROTO); /* the service says so */
	CHECK_INT(t, parent_of(0, 1, HEAD + 1, '!'), EPROTO);
	CHECK_INT(t, parent_of(0, 100, HEAD + 1, 'x'), EPROTO); /* a part */
	CHECK_INT(t, parent_of(0, 1, HEAD + 2, 'x'), EPROTO);
	CHECK_INT(t, parent_of(0, 0, 3, 0), EPROTO);
	CHECK_INT(t, parent_of(0, SERVICE_MOST_SHORT + 1, HEAD + SERVICE_MOST_SHORT, 'x'), 0); /* ends in the middle: it is gone */
}

/* Nobody waits for the rest of a request if the line is for short ones. */
static void waits_for_no_rest(struct test *t)
{
	const struct {
		uint64_t id;
		uint32_t number, size;
		char bytes[SERVICE_MOST_SHORT];
	} packet = {.size = SERVICE_MOST_SHORT + 1, .bytes = "x"};
	int number = 0, ends[2];
	const struct service here = {.serve = turn_round, .context = &number};

	REQUIRE(t, !service_line_open(ends));
	CHECK_INT(t, send(ends[1], &packet, sizeof(packet), 0), sizeof(packet));
	CHECK_INT(t, service_serve(ends[0], &here, 1, SERVICE_MOST_SHORT), -EPROTO);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

/* Any number of them, with requests and with answers: none stays open. An answer for somebody else is skipped. */
static void keeps_no_descriptor(struct test *t)
{
	const unsigned int before = count_descriptors();
	int number = 0, ends[2];
	const struct service here = {.serve = turn_round, .context = &number};
	struct service_answer answer;
	char packet[17] = {[12] = 1, [16] = 'x'};

	REQUIRE(t, !service_line_open(ends));
	struct far_service far = {.line = ends[1]};
	const struct service service = service_far(&far);
	for (size_t count = 1; count <= 4; count++) {
		const uint64_t id = (uint64_t)getpid() << 32 | (uint32_t)count, none = 0;

		send_with_descriptors(ends[1], packet, sizeof(packet), count);
		CHECK_INT(t, service_serve(ends[0], &here, 1, SERVICE_MOST), 1);
		CHECK_INT(t, recv(ends[1], (char[99]){0}, 99, 0), sizeof(packet));
		memcpy(packet, &none, sizeof(none));
		send_with_descriptors(ends[0], packet, sizeof(packet), count);
		memcpy(packet, &id, sizeof(id));
		send_with_descriptors(ends[0], packet, sizeof(packet), count);
		CHECK_INT(t, service_ask(&service, "y", 1, &answer), 0);
		service_answer_deinit(&answer);
		CHECK_INT(t, recv(ends[0], (char[99]){0}, 99, 0), sizeof(packet));
	}
	(void)close(ends[0]);
	(void)close(ends[1]);
	CHECK_INT(t, count_descriptors(), before);
}

/* --- the two processes --- */

enum end { BY_CODE, BY_SIGNAL, BY_INTERRUPT, BY_BAD_REQUEST };

static int work(enum end end, int socket, int ready)
{
	struct far_service far = {.line = socket};
	const struct service service = service_far(&far);
	struct service_answer answer;

	if (end == BY_SIGNAL)
		(void)raise(SIGTERM);
	if (end == BY_BAD_REQUEST)
		(void)service_ask(&service, "!", 1, &answer);
	if (end == BY_INTERRUPT && write(ready, "x", 1) == 1)
		for (;;)
			(void)pause();
	return 5;
}

/* The status of a parent whose worker ends like that; its interrupts come from us. */
static int status_of(enum end end)
{
	int status = 0, ready[2];
	pid_t pid;
	char byte;

	if (pipe(ready) || (pid = fork()) < 0)
		return -1;
	if (!pid) {
		struct worker worker;
		int number = 0;
		const struct service service = {.serve = turn_round, .context = &number};

		(void)signal(SIGINT, SIG_DFL);
		if (worker_fork(&worker, &(struct user){0}))
			_exit(99);
		_exit(worker.pid ? worker_serve(&worker, &(struct worker_services){&service, &service, 1}) : work(end, worker.lines[WORKER_LINE], ready[1]));
	}
	(void)close(ready[1]);
	if (read(ready[0], &byte, 1) == 1) /* once is enough */
		(void)kill(pid, SIGINT);
	(void)close(ready[0]);
	(void)waitpid(pid, &status, 0);
	return status;
}

static void ends_as_the_worker_did(struct test *t)
{
	int status = status_of(BY_CODE);

	CHECK(t, WIFEXITED(status) && WEXITSTATUS(status) == 5);
	status = status_of(BY_SIGNAL);
	CHECK(t, WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	status = status_of(BY_INTERRUPT);
	CHECK(t, WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	status = status_of(BY_BAD_REQUEST);
	CHECK(t, WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

static volatile sig_atomic_t interrupted;

static void note(int number)
{
	(void)number;
	interrupted = 1;
}

static int await_interrupts(int socket, int ready)
{
	struct far_service far = {.line = socket};
	const struct service service = service_far(&far);
	struct service_answer answer;

	(void)signal(WORKER_INTERRUPT, note);
	if (write(ready, "x", 1) != 1 || service_ask(&service, NULL, 0, &answer) || answer.result || answer.size)
		return 7;
	return interrupted ? 5 : 6;
}

/* The status if the parent gets Ctrl-C, but handles it so late that the worker's request is there, too. */
static int status_of_late_parent(void)
{
	int status = 0, ready[2];
	pid_t pid;
	char byte;

	if (pipe(ready) || (pid = fork()) < 0)
		return -1;
	if (!pid) {
		struct worker worker;
		const struct service service = worker_interrupts_service();

		(void)signal(SIGINT, SIG_DFL);
		if (worker_fork(&worker, &(struct user){0}))
			_exit(99);
		if (!worker.pid)
			_exit(await_interrupts(worker.lines[WORKER_LINE], ready[1]));
		if (read(ready[0], &byte, 1) != 1 || raise(SIGINT))
			_exit(98);
		_exit(worker_serve(&worker, &(struct worker_services){&service, &service, 1}));
	}
	(void)close(ready[0]);
	(void)close(ready[1]);
	(void)waitpid(pid, &status, 0);
	return status;
}

static void passes_interrupts_on_before_it_answers(struct test *t)
{
	for (int i = 0; i < 20; i++)
		CHECK_INT(t, status_of_late_parent(), 5 << 8);
}

TEST_MAIN(TEST(brings_back_what_was_asked), TEST(believes_nothing), TEST(waits_for_no_rest), TEST(keeps_no_descriptor),
	  TEST(passes_interrupts_on_before_it_answers), TEST(ends_as_the_worker_did))
