/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Nested templates, for many nested inlined calls: for tests/oracle/test_lines.sh. WITH_REGEX takes long to compile. */
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#ifdef WITH_REGEX
#include <regex>
#endif
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

namespace {

template <int N, typename T> struct tower {
	T value{};
	tower<N - 1, T> below;
	auto sum() const { return value + below.sum(); }
	void raise(T by)
	{
		value += by;
		below.raise(value / 2);
	}
};

template <typename T> struct tower<0, T> {
	T value{};
	auto sum() const { return value; }
	void raise(T by) { value = by; }
};

template <typename K> int keys(const char *text)
{
	std::map<K, std::vector<std::string>> by_key;
	std::unordered_map<std::string, std::set<K>> back;
	std::istringstream in(text);

	for (std::string word; in >> word;) {
		by_key[K(word.size())].push_back(word);
		back[word].insert(K(word[0]));
	}
	for (auto &[key, words] : by_key) {
		std::sort(words.begin(), words.end(), [](auto &a, auto &b) { return a.size() < b.size() || a > b; });
		words.erase(std::unique(words.begin(), words.end()), words.end());
	}
	return std::accumulate(back.begin(), back.end(), int(by_key.size()),
			       [](int n, auto &pair) { return n + int(pair.second.size()); });
}

using any = std::variant<int, double, std::string, std::vector<int>>;

struct measure {
	size_t operator()(int i) const { return size_t(i); }
	size_t operator()(double d) const { return size_t(d * 2); }
	size_t operator()(const std::string &s) const { return s.size(); }
	size_t operator()(const std::vector<int> &v) const { return v.size(); }
};

template <typename... T> auto pack(T... t)
{
	return std::make_tuple(std::make_shared<T>(t)...);
}

}

int main(int argc, char **argv)
{
	tower<12, long> a;
	tower<9, double> b;
	std::string text = argv[0];
	std::vector<any> all{1, 2.0, text, std::vector<int>(5)};
	std::function<int(int)> fib = [&](int i) { return i < 2 ? i : fib(i - 1) + fib(i - 2); };
	auto packed = pack(1, 2.5, text, 'c');
	int n = keys<int>(argv[0]) + keys<unsigned char>(argv[0]);

	a.raise(argc);
	b.raise(argc);
#ifdef WITH_REGEX
	std::smatch match;
	n += std::regex_search(text, match, std::regex("(a+|b*)[0-9]{2,3}"));
#endif
	for (auto &one : all)
		n += int(std::visit(measure{}, one));
	std::cout << a.sum() + b.sum() + n + fib(10) + *std::get<0>(packed) << "\n";
}
