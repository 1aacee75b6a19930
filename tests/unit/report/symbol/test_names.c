/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names as shown: c++filt is the oracle of full names, the short ones follow from them by the manual's rule; and which
 * of several symbols an address belongs to.
 */
#include "report/symbol/symbol_index.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/test.h"

static const char *library(void)
{
	static const char *const paths[] = {"/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib64/libstdc++.so.6"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (access(paths[i], R_OK) == 0)
			return paths[i];
	return NULL;
}

/* Lines "mangled demangled" of a shell command. */
static void compare(struct test *t, const char *command, unsigned long least)
{
	unsigned long lines = 0, wrong = 0;
	char line[16384];
	FILE *pipe = popen(command, "r");

	while (pipe && fgets(line, sizeof(line), pipe)) {
		char *space = strchr(line, ' '), *got;

		line[strcspn(line, "\n")] = '\0';
		if (!space)
			continue;
		*space = '\0';
		got = pretty_name(line, true);
		lines++;
		if (strcmp(got ? got : line, space + 1) != 0 && wrong++ == 0)
			printf("# %s: %s, not %s\n", line, got ? got : "(none)", space + 1);
		free(got);
	}
	if (pipe)
		pclose(pipe);
	CHECK(t, lines >= least);
	CHECK_INT(t, wrong, 0);
}

static void agrees_with_cxxfilt_on_libstdcxx(struct test *t)
{
	char command[1024];

	if (!library() || system("command -v nm >/dev/null && command -v c++filt >/dev/null") != 0)
		SKIP(t, "no libstdc++.so.6, nm or c++filt");
	snprintf(command, sizeof(command),
		 "nm -D --defined-only '%s' | awk '{ sub(/@.*/, \"\", $3) } "
		 "$2 ~ /[tTwWi]/ { print $3 }' >/tmp/dm.$$ && "
		 "c++filt -i </tmp/dm.$$ | paste -d ' ' /tmp/dm.$$ -; rm -f /tmp/dm.$$",
		 library());
	compare(t, command, 2000);
}

/* From RFC 2603 and the symbol names of rustc. */
static void agrees_with_cxxfilt_on_rust(struct test *t)
{
	if (system("command -v c++filt >/dev/null") != 0)
		SKIP(t, "no c++filt");
	compare(t,
		"for s in _RNvNtCs1234_7mycrate3foo3bar _RNvC6_123foo3bar "
		"_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y "
		"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE "
		"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
		"3bar17h930b740aa94f1d3aE "
		"_RINvNtC3std3mem8align_ofjdE; do echo \"$s $(c++filt -i -s auto \"$s\")\"; done",
		6);
}

static void agrees_with_cxxfilt_on_d(struct test *t)
{
	if (system("command -v c++filt >/dev/null") != 0)
		SKIP(t, "no c++filt");
	compare(t,
		"for s in _D4shop4cart__T6BasketTiVii7ZQo__T5totalTAyaZQlMFNbNiQmZm _D8demangle4testFPFLAiYi _Dmain "
		"_D8demangle4testFaZv _D8demangle4test6__ctorMFZv _D3fooQeFiZi; do "
		"echo \"$s $(c++filt -s dlang \"$s\")\"; done",
		6);
}

static void knows_names_of_ocaml(struct test *t)
{
	static const char *const names[][2] = {
		{"camlOmain__fun_520", "Omain.fun_520"},
		{"camlStdlib__List__map_481", "Stdlib.List.map_481"},
		{"camlShop__$2b$3f_12", "Shop.+?_12"},
		{"camlShop__a$zz_1", "Shop.a$zz_1"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *got = pretty_name(names[i][0], true);

		CHECK_STR(t, got, names[i][1]);
		free(got);
	}
}

/* Each part refers twice to the one before: 2^60 of them, if all were written. */
static void refuses_a_d_name_of_many_references(struct test *t)
{
	char name[1024], *got;
	size_t used = (size_t)snprintf(name, sizeof(name), "_D1fFS1a");

	for (int i = 0; i < 60; i++)
		used += (size_t)snprintf(name + used, sizeof(name) - used, "HQcQe");
	snprintf(name + used, sizeof(name) - used, "Zv");
	got = pretty_name(name, true);
	CHECK_STR(t, got, NULL);
	free(got);
}

/* Each level doubles the output: 2^40 characters and more, if all were written. */
static void stops_where_a_name_explodes(struct test *t)
{
	char name[1024], *got;
	size_t used = (size_t)snprintf(name, sizeof(name), "_Z1f");

	for (int i = 0; i < 40; i++)
		used += (size_t)snprintf(name + used, sizeof(name) - used, "St4pairI");
	used += (size_t)snprintf(name + used, sizeof(name) - used, "ii");
	for (int i = 0; i < 40; i++)
		used += (size_t)snprintf(name + used, sizeof(name) - used, "ES%d_", i);
	got = pretty_name(name, true);
	CHECK(t, !got || strlen(got) <= 4096);
	free(got);
}

static void bounds_its_input(struct test *t)
{
	char *name = malloc(1 << 20), *got;

	REQUIRE(t, name != NULL);
	memset(name, 'P', 1 << 20);
	memcpy(name, "_Z1f", 4);
	name[(1 << 20) - 1] = '\0';
	got = pretty_name(name, true);
	CHECK_STR(t, got, NULL);
	name[4000] = '\0';
	got = pretty_name(name, true);
	CHECK(t, !got || strlen(got) <= 4096);
	free(got);
	free(name);
}

static void check_short(struct test *t, const char *text, const char *brief)
{
	char *got = shorten_name(text);

	CHECK_STR(t, got ? got : text, brief);
	free(got);
}

#define MOST "aaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbb" /* 40 characters */
#define LONG "aaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbb" /* 43 characters */

static void shortens_lists_from_the_inside_out(struct test *t)
{
	check_short(t, "f<" LONG ">", "f<...>");
	check_short(t, "f<" MOST ">", "f<" MOST ">");
	check_short(t, "f<" MOST "b>", "f<...>");
	check_short(t, "outer<inner<" LONG ">, 2>::run", "outer<inner<...>, 2>::run");
	check_short(t, "one<" LONG ">::two<" LONG ">::three", "one<...>::two<...>::three");
	check_short(t, "work(" LONG ")::{lambda(int)#1}::operator()", "work(...)::{lambda(int)#1}::operator()");
	check_short(t, "{lambda(" LONG ")#1}::operator()<" LONG ">", "{lambda(...)#1}::operator()<...>");
	check_short(t, "each<main::{lambda(int)#1}>", "each<main::{lambda(int)#1}>");
}

static void keeps_what_is_no_list(struct test *t)
{
	static const char *const same[] = {
		"", "operator<", "operator<<", "operator>>=", "A::operator->", "A::operator->*", "operator_like<int>",
		"a_function_with_a_name_that_is_longer_than_any_list_may_be",
		"(anonymous namespace)::(anonymous namespace)::(anonymous namespace)::f",
		"operator<(", "f<" LONG, "f" LONG ">", "f(" LONG "))",
	};

	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		check_short(t, same[i], same[i]);
	check_short(t, "operator< <" LONG ">", "operator< <...>");
	check_short(t, "operator<< <" LONG ">", "operator<< <...>");
	check_short(t, "A::operator-><" LONG ">", "A::operator-><...>");
	check_short(t, "A::operator B<" LONG ">", "A::operator B<...>");
	check_short(t, "f<((a)>(b)), " LONG ">::g", "f<...>::g");
	check_short(t, "f<((a)<(b))>::g<" LONG ">", "f<((a)<(b))>::g<...>");
	check_short(t, "<alloc::vec::Vec<" LONG "> as core::ops::drop::Drop>::drop",
		    "<alloc::vec::Vec<...> as core::ops::drop::Drop>::drop");
	check_short(t, "core::slice::<impl core::iter::IntoIterator for Some::Type>::f",
		    "core::slice::<impl core::iter::IntoIterator for Some::Type>::f");
	check_short(t, "call::<fn(" LONG ") -> u8>", "call::<fn(...) -> u8>");
}

/* --- which symbol --- */

static void add(struct test *t, struct symbol_list *list, uint64_t address, uint64_t size, uint8_t binding,
		const char *name)
{
	CHECK(t, symbol_list_add(list, address, size, name, strlen(name)) == 0);
	list->symbols.items[list->symbols.count - 1].binding = binding;
}

static const char *name_at(const struct symbol_index *index, uint64_t address)
{
	uint32_t number;

	return symbol_index_find(index, address, &number) ? symbol_index_name(index, number) : NULL;
}

/* The order is perf's: tools/perf/util/symbol.c, choose_best_symbol(), as its manual tests show it. */
static void keeps_the_best_alias(struct test *t)
{
	enum { LOCAL = 0, GLOBAL = 1, WEAK = 2 };
	struct symbol_list list = {0};
	struct symbol_index *index;

	add(t, &list, 0x100, 0, GLOBAL, "no_size");
	add(t, &list, 0x100, 8, LOCAL, "size");
	add(t, &list, 0x200, 8, WEAK, "weak");
	add(t, &list, 0x200, 8, LOCAL, "strong_local");
	add(t, &list, 0x300, 8, LOCAL, "local_long_name");
	add(t, &list, 0x300, 8, GLOBAL, "global");
	add(t, &list, 0x400, 8, GLOBAL, "__libc_malloc");
	add(t, &list, 0x400, 8, GLOBAL, "malloc");
	add(t, &list, 0x500, 8, GLOBAL, "abc");
	add(t, &list, 0x500, 8, GLOBAL, "abcd");
	REQUIRE(t, symbol_index_create(&list, &index) == 0);
	CHECK_INT(t, symbol_index_count(index), 5);
	CHECK_STR(t, name_at(index, 0x100), "size");
	CHECK_STR(t, name_at(index, 0x200), "strong_local");
	CHECK_STR(t, name_at(index, 0x300), "global");
	CHECK_STR(t, name_at(index, 0x400), "malloc");
	CHECK_STR(t, name_at(index, 0x500), "abcd");
	symbol_index_destroy(index);
}

static void knows_where_symbols_end(struct test *t)
{
	struct symbol_list list = {0};
	struct symbol_index *index;

	add(t, &list, 0x2000, 0, 1, "last");
	add(t, &list, 0x1000, 0x100, 1, "outer");
	add(t, &list, 0x1040, 0x10, 1, "inner");
	add(t, &list, 0x1800, 0, 1, "open");
	REQUIRE(t, symbol_index_create(&list, &index) == 0);
	CHECK_STR(t, name_at(index, 0xfff), NULL);
	CHECK_STR(t, name_at(index, 0x103f), "outer");
	CHECK_STR(t, name_at(index, 0x104f), "inner");
	CHECK_STR(t, name_at(index, 0x1050), "outer");
	CHECK_STR(t, name_at(index, 0x1100), NULL);
	CHECK_STR(t, name_at(index, 0x1fff), "open");
	CHECK_STR(t, name_at(index, 0x2fff), "last");
	CHECK_STR(t, name_at(index, 0x3000), NULL);
	symbol_index_destroy(index);
}

static void survives_the_end_of_the_address_space(struct test *t)
{
	struct symbol_list list = {0};
	struct symbol_index *index;

	add(t, &list, UINT64_MAX - 1, 100, 1, "overflows");
	add(t, &list, UINT64_MAX, 0, 1, "none");
	REQUIRE(t, symbol_index_create(&list, &index) == 0);
	CHECK_STR(t, name_at(index, UINT64_MAX - 1), "overflows");
	CHECK_STR(t, name_at(index, UINT64_MAX - 2), NULL);
	symbol_index_destroy(index);
	REQUIRE(t, symbol_index_create(&list, &index) == 0);
	CHECK_STR(t, name_at(index, 0), NULL);
	symbol_index_destroy(index);
}

/* Half of a million at one address. Comparing each with all would take hours. */
static void is_never_quadratic(struct test *t)
{
	enum { SYMBOLS = 1 << 20, SECONDS = 60 };
	struct symbol_list list = {0};
	struct symbol_index *index;
	uint32_t number, found = 0;

	for (uint64_t i = 0; i < SYMBOLS; i++)
		add(t, &list, i % 2 ? 0 : i * 64, 64, 1, "name");
	REQUIRE(t, symbol_index_create(&list, &index) == 0);
	for (uint64_t i = 0; i < SYMBOLS; i++)
		found += symbol_index_find(index, i * 64, &number);
	CHECK_INT(t, found, SYMBOLS / 2);
	CHECK(t, clock() < (clock_t)SECONDS * CLOCKS_PER_SEC);
	symbol_index_destroy(index);
}

TEST_MAIN(TEST(shortens_lists_from_the_inside_out), TEST(keeps_what_is_no_list),
	  TEST(agrees_with_cxxfilt_on_libstdcxx), TEST(agrees_with_cxxfilt_on_rust),
	  TEST(agrees_with_cxxfilt_on_d), TEST(knows_names_of_ocaml),
	  TEST(refuses_a_d_name_of_many_references), TEST(stops_where_a_name_explodes),
	  TEST(bounds_its_input), TEST(keeps_the_best_alias), TEST(knows_where_symbols_end),
	  TEST(survives_the_end_of_the_address_space), TEST(is_never_quadratic))
