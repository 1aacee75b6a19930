/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/tool/words.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/log.h"
#include "common/nearest.h"

enum { LINE_COLUMNS = 80, INDENT = 4 };

/* By name. Other forms are found too; the manual has only the names. */
static const struct word {
	const char *name, *forms; /* forms: separated by '|' */
	const char *meaning;
} words[] = {
	{"blocked", "asleep",
	 "A thread that sleeps until somebody wakes it, or the time that it did. Beside run queue: the part "
	 "of a wait before the wakeup."},
	{"branch", "branches",
	 "One way in which a function was reached: the callers from there on."},
	{"brief", "short|shorter",
	 "A wait shorter than -m of the recorder. It is counted and summed, but has no stack."},
	{"build-id", NULL,
	 "The number by which a file of a program is known, whatever its path."},
	{"by frame pointer", "frame pointer",
	 "Callers found by a chain of pointers on the stack. Functions that were built without them are "
	 "skipped, but not at the leaf: unwind tables show them there, or \"[caller unknown]\" that some may be "
	 "missing."},
	{"cancelled", NULL,
	 "A wait that never slept: the thread was about to, but was already woken, or a signal was pending."},
	{"chain", "chains|hop",
	 "Who was waited for, and whom that one waited for in turn: each hop leads from a wait to the thread "
	 "that ended it."},
	{"class", "classes",
	 "Why a thread left its CPU, or got none: blocked, preempted, yielded, cancelled, started or throttled."},
	{"comm", "comms",
	 "The name of a thread as the kernel has it, at most 15 bytes. A thread may change it."},
	{"cut at the depth limit", "depth limit",
	 "A stack with more callers than the recorder may take. /proc/sys/kernel/perf_event_max_stack sets "
	 "the limit."},
	{"damaged", "damage",
	 "Bytes of the trace are not as they were written. What could be read is shown."},
	{"digest", NULL,
	 "The first screen of a report: what the host did, what held it up, and what to look at next. Each "
	 "line ends with the options that print what it says."},
	{"ended", NULL,
	 "A wait that began and ended within the recording; see open."},
	{"filters", "filter",
	 "Options that choose whom a report is about, as -c, --pid, --time. Percentages are of what passed "
	 "them. Who ended their waits is shown whether it passes or not."},
	{"folded", NULL,
	 "One line a stack, from the outermost function to the innermost, and a number, for flame graphs."},
	{"guessed", "[guessed]",
	 "Callers beyond this mark were found by looking for return addresses on the stack. They may be "
	 "wrong."},
	{"hidden", "hides",
	 "A thread that the kernel does not show to BPF, as some sandboxes want. Its waits are not recorded."},
	{"hit", "hits",
	 "One time that a tracepoint or function was reached."},
	{"inlined", NULL,
	 "A function whose code is part of its caller's. It has no address of its own."},
	{"iowait", NULL,
	 "The part of a wait that the kernel counts as waiting for a disk."},
	{"irq", "softirq|interrupt",
	 "A wakeup from an interrupt. The thread that was interrupted has nothing to do with it, and is not "
	 "named as the waker."},
	{"leaf", NULL,
	 "The innermost function of a stack: the one that ran, or that the thread waits in."},
	{"left out", "left out on purpose|on purpose",
	 "Not recorded because nobody asked for it: the idle task, the recorder itself, what the filters "
	 "exclude, brief waits, hits beyond --rate-limit. It is counted, and is no loss."},
	{"lost", "losses|loss|lost events",
	 "Should have been recorded, and was not, as when a ring was full. The exit code is 3, and --info "
	 "says where and why."},
	{"mapping", "mappings",
	 "Which file is at which addresses of a process. Without it, an address has no name."},
	{"missed", "not delivered",
	 "Counted by the kernel, but not passed on to the recorder."},
	{"module", NULL,
	 "A program, a library, the kernel or one of its modules: where a function is from."},
	{"moment", NULL,
	 "A point in time as you type it: +2.5s from the start, 12:00:03.25 of the day in UTC, or a date."},
	{"noise", NULL,
	 "In --diff: what a figure differs by between the two halves of one trace, or by chance in so few "
	 "samples, if that is more. A change that is no larger is no news."},
	{"not ended", "had not ended",
	 "A wait that was still going on when the recording stopped. It was at least as long as printed."},
	{"open", NULL,
	 "A wait that began before the recording, or had not ended when it stopped. What is known of its "
	 "length is printed with >= or <=."},
	{"own", NULL,
	 "Events of the recorder and its helpers. They are left out."},
	{"percent", "percentages|%|share",
	 "Of the whole weight of one source in this report, after the filters and without what is set apart, before "
	 "anything is hidden by --min-percent, -U or -K."},
	{"preempted", NULL,
	 "A thread that could have run on, but another one got its CPU. It waited on the run queue."},
	{"pressure", NULL,
	 "In the digest: signs that something is short, such as threads on run queues, waits in D, and lost "
	 "events."},
	{"probe", "tracepoint|kfunc",
	 "A tracepoint or kernel function that was recorded with --trace or --kfunc."},
	{"ring", "ring full|rings",
	 "The memory through which the kernel hands events to the recorder. What does not fit is lost; "
	 "--ringbuf-size makes it larger."},
	{"root", NULL,
	 "The outermost function of a stack, where the thread began."},
	{"run queue", "queue|runqueue|runnable|run queues",
	 "The time in which a thread could have run, and waited for a CPU. Much of it means that there are "
	 "too few CPUs, or a limit on them."},
	{"running", NULL,
	 "The time that a thread had a CPU, as the kernel accounts for it."},
	{"sample", "samples",
	 "One look at what a CPU was doing, thousands of times a second."},
	{"self", NULL,
	 "What a function weighs without the functions that it called."},
	{"snapshot", "copied stack",
	 "Registers and stack memory of a thread, copied with --dwarf. The reporter finds the callers in it."},
	{"source", "sources",
	 "What one kind of hook recorded: cpu, offcpu, wakers, tracepoint, kfunc or tasks."},
	{"started", NULL,
	 "The time from the making of a thread to its first run."},
	{"state", "S|D|R|I|T|K",
	 "What the kernel says of a thread: R can run, S sleeps, D sleeps and cannot be disturbed, I is "
	 "idle, T is stopped, F is frozen. K sleeps like D but can be killed."},
	{"stolen", "steal|steal time",
	 "Time in which the hypervisor ran something else on our CPU."},
	{"story", "stories",
	 "In the digest: waits of the same kind that took long, who held them up in the end, and the worst "
	 "single one."},
	{"task", "thread|process|tid|pid|tgid",
	 "A thread. tid is its number, pid that of its process. A process has the name of its first thread."},
	{"throttled", NULL,
	 "Of a wait: the quota of a control group (cpu.max) kept the thread from running. Of samples: the kernel "
	 "took fewer than were asked for, because they cost too much."},
	{"throughout", "waited all the time|did nothing|set apart",
	 "From before the start of the recording until after its end. Threads of programs with one such sleep, which "
	 "may have nothing to do or hang, are grouped below a report; --throughout shows their stacks. Kernel threads "
	 "that woke no program, were never in D, and hardly ran are counted there, too."},
	{"total", NULL,
	 "What a function weighs together with all that it called."},
	{"trimmed", NULL,
	 "Callers at addresses where no file was mapped were taken off a stack: they were not code."},
	{"truncated", "[truncated]|cut where their copy ends",
	 "A stack that goes on beyond what was copied of it. The recorder copies at most --dwarf-size "
	 "bytes, 64 KiB by default and at most."},
	{"unknown", "[unknown]|unnamed",
	 "An address without a name: its file is missing, has no symbols, or was never known; --needs says "
	 "which. Of a thread's time: neither its waits nor the kernel's account of running time has it. These are "
	 "interrupts and stolen time, which the kernel charges to no thread, and what was lost or filtered."},
	{"unsure", "names may be wrong",
	 "A time in which records of processes are missing. Programs that started in it may have wrong names "
	 "or none."},
	{"unwinding", "unwound|unwind information",
	 "Finding the callers of a function from the memory of a stack, by tables in the program's file."},
	{"wait", "waits|off-cpu|offcpu",
	 "From the time when a thread leaves its CPU until it gets one again: blocked, or throttled, then run queue."},
	{"waker", "wakers|woken by",
	 "Who ended a wait: the thread that made the call that woke it, or an interrupt."},
	{"walk", "walks|tasks",
	 "One look at every thread: its state, how long it has waited, and its stack."},
	{"wall", "wall time|wall clock",
	 "Time as a clock on the wall has it, whatever a thread did in it."},
	{"weight", NULL,
	 "What is summed: time or cycles of samples, time of waits, number of hits and of walked tasks."},
	{"yielded", NULL,
	 "A thread that could have run on, and gave up its CPU by its own wish."},
};

enum { WORDS = sizeof(words) / sizeof(words[0]) };

static bool is_same(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !strncasecmp(text, word, length);
}

static bool has_form(const struct word *entry, const char *word)
{
	for (const char *form = entry->forms; form;) {
		size_t length = strcspn(form, "|");

		if (is_same(form, length, word))
			return true;
		form = form[length] ? form + length + 1 : NULL;
	}
	return false;
}

static const struct word *find(const char *word)
{
	for (size_t i = 0; i < WORDS; i++)
		if (is_same(words[i].name, strlen(words[i].name), word))
			return &words[i];
	for (size_t i = 0; i < WORDS; i++)
		if (has_form(&words[i], word))
			return &words[i];
	return NULL;
}

/* Wraps the text between words. */
static void print_wrapped(const char *text, FILE *out)
{
	int column = 0;

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column && column + 1 + length > LINE_COLUMNS) {
			(void)fputc('\n', out);
			column = 0;
		}
		column += column ? fprintf(out, " %.*s", length, text) :
				   fprintf(out, "%*s%.*s", INDENT, "", length, text);
		text += length;
		text += *text == ' ';
	}
	(void)fputc('\n', out);
}

static void print_list(FILE *out)
{
	size_t column = 0;

	(void)fputs("rwalker-report --explain WORD says what one of these means:\n", out);
	for (size_t i = 0; i < WORDS; i++) {
		size_t length = strlen(words[i].name) + 2;
		bool fits = column + length <= LINE_COLUMNS;

		column = fits ? column + length : length;
		(void)fprintf(out, "%s%s%s", i ? "," : "", !i ? "" : fits ? " " : "\n", words[i].name);
	}
	(void)fputc('\n', out);
}

static int say_unknown(const char *word)
{
	struct nearest nearest = nearest_begin(word, strlen(word));

	for (size_t i = 0; i < WORDS; i++)
		nearest_try(&nearest, words[i].name);
	if (nearest.name)
		return log_error(ENOENT, "there is no explanation of '%s'; did you mean '%s'?", word, nearest.name);
	return log_error(ENOENT, "there is no explanation of '%s'; --explain lists the words", word);
}

int words_explain(const char *word, FILE *out)
{
	const struct word *found;

	if (!word) {
		print_list(out);
		return 0;
	}
	if (!strcmp(word, "all")) {
		for (size_t i = 0; i < WORDS; i++)
			(void)fprintf(out, "%s: %s\n", words[i].name, words[i].meaning);
		return 0;
	}
	found = find(word);
	if (!found)
		return say_unknown(word);
	(void)fprintf(out, "%s\n", found->name);
	print_wrapped(found->meaning, out);
	return 0;
}

int words_explain_each(const char *const *typed, size_t count, FILE *out)
{
	char joined[256] = "";
	size_t used = 0;
	int r = 0;

	for (size_t i = 0; i < count && used < sizeof(joined); i++)
		used += (size_t)snprintf(joined + used, sizeof(joined) - used, "%s%s", i ? " " : "", typed[i]);
	if (find(joined))
		return words_explain(joined, out);
	for (size_t i = 0; i < count; i++)
		if (words_explain(typed[i], out) < 0)
			r = -ENOENT;
	return r;
}
