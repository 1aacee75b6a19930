/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names as shown: c++filt is the oracle of full names; the short ones follow from them by the
 * manual's rule, by hand.
 */
#include "report/resolve/symbol/pretty_name.h"

#include <stdlib.h>
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
		"",
		"operator<",
		"operator<<",
		"operator>>=",
		"A::operator->",
		"A::operator->*",
		"operator_like<int>",
		"a_function_with_a_name_that_is_longer_than_any_list_may_be",
		"(anonymous namespace)::(anonymous namespace)::(anonymous namespace)::f",
		"operator<(",
		"f<" LONG,
		"f" LONG ">",
		"f(" LONG "))",
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

static void survives_any_nesting(struct test *t)
{
	char text[4096];

	memset(text, '<', sizeof(text) - 1);
	text[0] = 'f';
	text[sizeof(text) - 1] = '\0';
	check_short(t, text, text);
	for (size_t i = 1; i < sizeof(text) - 1; i++)
		text[i] = i % 2 ? '<' : 'f';
	check_short(t, text, text);
}

TEST_MAIN(TEST(shortens_lists_from_the_inside_out), TEST(keeps_what_is_no_list),
	  TEST(survives_any_nesting), TEST(agrees_with_cxxfilt_on_libstdcxx),
	  TEST(agrees_with_cxxfilt_on_rust), TEST(agrees_with_cxxfilt_on_d),
	  TEST(knows_names_of_ocaml), TEST(refuses_a_d_name_of_many_references),
	  TEST(stops_where_a_name_explodes), TEST(bounds_its_input))
