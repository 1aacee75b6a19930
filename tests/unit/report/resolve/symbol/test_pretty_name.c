/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Names as shown: full names are c++filt's and rustfilt's, the short ones follow from them by the
 * manual's rule, by hand.
 */
#include "report/resolve/symbol/pretty_name.h"

#include <stdlib.h>

#include "tests/test.h"

static void check_name(struct test *t, const char *mangled, const char *full, const char *brief)
{
	char *text = pretty_name(mangled, true);

	CHECK_STR(t, text, full);
	free(text);
	text = pretty_name(mangled, false);
	CHECK_STR(t, text, brief);
	free(text);
}

static void names_cxx(struct test *t)
{
	check_name(t, "_ZNSt6vectorIiSaIiEE9push_backERKi",
		   "std::vector<int, std::allocator<int> >::push_back(int const&)",
		   "std::vector<int, std::allocator<int> >::push_back");
	check_name(t, "_ZNSt6vectorISsSaISsEE9push_backERKSs",
		   "std::vector<std::string, std::allocator<std::string> >::push_back(std::string const&)",
		   "std::vector<...>::push_back");
	check_name(t, "_ZNSt3setIlSt4lessIlESaIlEE4findERKl",
		   "std::set<long, std::less<long>, std::allocator<long> >::find(long const&)", "std::set<...>::find");
	check_name(t, "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc",
		   "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::"
		   "append(char const*)", "std::__cxx11::basic_string<...>::append");
	check_name(t, "_ZN12_GLOBAL__N_13runEv", "(anonymous namespace)::run()", "(anonymous namespace)::run");
	check_name(t, "_ZltRK1AS1_", "operator<(A const&, A const&)", "operator<");
	check_name(t, "_ZN1AclEv", "A::operator()()", "A::operator()");
	check_name(t, "_ZN1AssERKS_", "A::operator<=>(A const&)", "A::operator<=>");
	check_name(t, "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const",
		   "main::{lambda(int)#1}::operator()");
}

static void names_rust(struct test *t)
{
	check_name(t, "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str",
		   "core::fmt::Formatter::write_str");
	check_name(t,
		   "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$"
		   "3bar17h930b740aa94f1d3aE",
		   "<Test + 'static as foo::Bar<Test>>::bar", "<Test + 'static as foo::Bar<Test>>::bar");
	check_name(t, "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar", "mycrate::foo::bar");
	check_name(t, "_RINvNtC3std3mem8align_ofjdE", "std::mem::align_of::<usize, f64>",
		   "std::mem::align_of::<usize, f64>");
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

TEST_MAIN(TEST(names_cxx), TEST(names_rust), TEST(shortens_lists_from_the_inside_out), TEST(keeps_what_is_no_list),
	  TEST(survives_any_nesting))
