/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Worker and keeper: what is asked arrives whole, a worker that was taken over gains nothing, and both end as one. */
#include "report/sandbox/keeper.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "report/sandbox/worker.h"
#include "tests/test.h"
#include "tests/unit/descriptors.h"

/* Answers with the request, backwards, and with a descriptor if it begins with 'd'. */
static int turn_round(void *context, const void *request, size_t size, struct desk_answer *answer)
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

/* A keeper in a child. Returns the worker's end. */
static int start_keeper(pid_t *ret_pid)
{
	int ends[2], number = -7;
	const struct desk desk = {.serve = turn_round, .context = &number};

	if (keeper_line_open(ends))
		return -1;
	*ret_pid = fork();
	if (!*ret_pid) {
		int r;

		(void)close(ends[1]);
		while ((r = keeper_serve(ends[0], &desk, 1)) > 0)
			;
		_exit(-r);
	}
	(void)close(ends[0]);
	return ends[1];
}

static int end_keeper(int socket, pid_t pid)
{
	int status = -1;

	(void)close(socket);
	(void)waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void brings_back_what_was_asked(struct test *t)
{
	pid_t pid;
	struct keeper_desk far = {.socket = start_keeper(&pid)};
	const struct desk desk = keeper_desk_far(&far);
	const size_t size = 5 << 20; /* more than any socket holds */
	char *much = malloc(size);
	struct desk_answer answer;

	REQUIRE(t, far.socket >= 0 && much);
	CHECK_INT(t, desk_ask(&desk, "abc", 3, &answer), 0);
	CHECK_INT(t, answer.result, -7);
	CHECK(t, answer.size == 3 && !memcmp(answer.bytes, "cba", 3));
	CHECK_INT(t, answer.fd, -1);
	desk_answer_deinit(&answer);
	CHECK_INT(t, desk_ask(&desk, "d", 1, &answer), 0);
	CHECK(t, fcntl(answer.fd, F_GETFD) == FD_CLOEXEC);
	desk_answer_deinit(&answer);
	for (size_t i = 0; i < size; i++)
		much[i] = (char)(i * 7 + i / 251);
	much[0] = 'x';
	CHECK_INT(t, desk_ask(&desk, much, size, &answer), 0);
	REQUIRE(t, answer.size == size);
	for (size_t i = 0; i < size; i++)
		REQUIRE(t, answer.bytes[i] == (uint8_t)much[size - 1 - i]);
	desk_answer_deinit(&answer);
	CHECK_INT(t, end_keeper(far.socket, pid), 0);
	free(much);
}

/* What a keeper makes of these bytes, with a descriptor that nobody wanted. */
static int keeper_of(const uint32_t *words, size_t size)
{
	pid_t pid;
	int socket = start_keeper(&pid);

	(void)send(socket, words, size, MSG_NOSIGNAL);
	(void)shutdown(socket, SHUT_WR);
	return end_keeper(socket, pid);
}

static void believes_nothing(struct test *t)
{
	CHECK_INT(t, keeper_of((uint32_t[]){1, 0}, 8), EPROTO);		     /* no such desk */
	CHECK_INT(t, keeper_of((uint32_t[]){0xffffffff, 0}, 8), EPROTO);
	CHECK_INT(t, keeper_of((uint32_t[]){0, 0xffffffff}, 8), EPROTO);     /* too much */
	CHECK_INT(t, keeper_of((uint32_t[]){0, DESK_BYTES_MAX + 1}, 8), EPROTO);
	CHECK_INT(t, keeper_of((uint32_t[]){0, 0}, 8), EPROTO);		     /* the desk says so */
	CHECK_INT(t, keeper_of((uint32_t[]){0, 1, '!'}, 12), EPROTO);
	CHECK_INT(t, keeper_of((uint32_t[]){0, 100, 'x'}, 12), 0);	     /* ends in the middle: it is gone */
	CHECK_INT(t, keeper_of((uint32_t[]){0}, 3), 0);
}

/* Any number of them, with requests and with answers: none stays open. */
static void keeps_no_descriptor(struct test *t)
{
	const unsigned int before = count_descriptors();
	int number = 0, ends[2];
	const struct desk here = {.serve = turn_round, .context = &number};
	struct desk_answer answer;

	REQUIRE(t, !keeper_line_open(ends));
	struct keeper_desk far = {.socket = ends[1]};
	const struct desk desk = keeper_desk_far(&far);
	for (size_t count = 1; count <= 4; count++) {
		send_with_descriptors(ends[1], (uint32_t[]){0, 1}, 8, count);
		REQUIRE(t, send(ends[1], "x", 1, 0) == 1);
		CHECK_INT(t, keeper_serve(ends[0], &here, 1), 1);
		CHECK_INT(t, recv(ends[1], (char[9]){0}, 9, MSG_WAITALL), 9);
		send_with_descriptors(ends[0], (uint32_t[]){0, 1}, 8, count);
		REQUIRE(t, send(ends[0], "x", 1, 0) == 1);
		CHECK_INT(t, desk_ask(&desk, "y", 1, &answer), 0);
		desk_answer_deinit(&answer);
		CHECK_INT(t, recv(ends[0], (char[9]){0}, 9, MSG_WAITALL), 9);
	}
	(void)close(ends[0]);
	(void)close(ends[1]);
	CHECK_INT(t, count_descriptors(), before);
}

/* --- the two processes --- */

enum end { BY_CODE, BY_SIGNAL, BY_INTERRUPT, BY_BAD_REQUEST };

static int work(enum end end, int socket, int ready)
{
	struct keeper_desk far = {.socket = socket};
	const struct desk desk = keeper_desk_far(&far);
	struct desk_answer answer;

	if (end == BY_SIGNAL)
		(void)raise(SIGTERM);
	if (end == BY_BAD_REQUEST)
		(void)desk_ask(&desk, "!", 1, &answer);
	if (end == BY_INTERRUPT && write(ready, "x", 1) == 1)
		for (;;)
			(void)pause();
	return 5;
}

/* The status of a keeper whose worker ends like that; its interrupts come from us. */
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
		const struct desk desk = {.serve = turn_round, .context = &number};

		(void)signal(SIGINT, SIG_DFL);
		if (worker_fork(&worker, &(struct user){0}))
			_exit(99);
		_exit(worker.pid ? worker_keep(&worker, &desk, 1) : work(end, worker.socket, ready[1]));
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
	struct keeper_desk far = {.socket = socket};
	const struct desk desk = keeper_desk_far(&far);
	struct desk_answer answer;

	(void)signal(WORKER_INTERRUPT, note);
	if (write(ready, "x", 1) != 1 || desk_ask(&desk, NULL, 0, &answer) || answer.result || answer.size)
		return 7;
	return interrupted ? 5 : 6;
}

/* The status if the keeper gets Ctrl-C, but handles it so late that the worker's request is there, too. */
static int status_of_late_keeper(void)
{
	int status = 0, ready[2];
	pid_t pid;
	char byte;

	if (pipe(ready) || (pid = fork()) < 0)
		return -1;
	if (!pid) {
		struct worker worker;
		const struct desk desk = worker_interrupts_desk();

		(void)signal(SIGINT, SIG_DFL);
		if (worker_fork(&worker, &(struct user){0}))
			_exit(99);
		if (!worker.pid)
			_exit(await_interrupts(worker.socket, ready[1]));
		if (read(ready[0], &byte, 1) != 1 || raise(SIGINT))
			_exit(98);
		_exit(worker_keep(&worker, &desk, 1));
	}
	(void)close(ready[0]);
	(void)close(ready[1]);
	(void)waitpid(pid, &status, 0);
	return status;
}

static void passes_interrupts_on_before_it_answers(struct test *t)
{
	for (int i = 0; i < 20; i++)
		CHECK_INT(t, status_of_late_keeper(), 5 << 8);
}

TEST_MAIN(TEST(brings_back_what_was_asked), TEST(believes_nothing), TEST(keeps_no_descriptor),
	  TEST(passes_interrupts_on_before_it_answers), TEST(ends_as_the_worker_did))
