// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * README: names as compilers write them. C++ templates, operators and lambdas, and two
 * functions with symbols in Rust's manglings (legacy and v0), all burning CPU; the
 * report shows them demangled, --mangled shows what is in the file.
 *
 *   sudo rwalker-record -p 3 -u -c mangled -o trace.rwk     beside   workload 3
 */
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/prctl.h>
#include <vector>

namespace shop {

/* Inlined by hand: the work must be in the function whose name is to be shown. */
#define CRUNCH(parts)                                                              \
	do {                                                                       \
		uint64_t x_ = (parts);                                             \
		for (unsigned int i_ = 0; i_ < (parts) * 100000u; i_++) {          \
			x_ ^= x_ << 13;                                            \
			x_ ^= x_ >> 7;                                             \
			x_ ^= x_ << 17;                                            \
		}                                                                  \
		__asm__ volatile("" : "+r"(x_) : "r"(__builtin_frame_address(0))); \
	} while (0)

template <typename Key, int Parts>
class basket {
public:
	void add(const Key &, std::vector<std::pair<Key, double>> *)
	{
		CRUNCH(Parts);
	}
	basket &operator<<(const char *)
	{
		CRUNCH(Parts + 1);
		return *this;
	}
};

template <typename Visitor>
void each(Visitor visit)
{
	for (int i = 0; i < 2; i++)
		visit(i);
	__asm__ volatile("");
}

} // namespace shop

extern "C" {
void rust_legacy() __asm__("_ZN4shop6ledger5Entry5total17h0123456789abcdefE");
void rust_v0() __asm__("_RNvNtCs1234_4shop6ledger7balance");

void rust_legacy() { CRUNCH(3); }
void rust_v0() { CRUNCH(3); }
}

static void round_trip()
{
	shop::basket<std::string, 2> words;
	shop::basket<long, 4> numbers;

	words.add("tea", nullptr);
	numbers.add(7, nullptr);
	words << "biscuit";
	shop::each([](int) { CRUNCH(1); });
	rust_legacy();
	rust_v0();
}

int main(int argc, char **argv)
{
	using clock = std::chrono::steady_clock;
	std::chrono::duration<double> seconds(argc > 1 ? strtod(argv[1], nullptr) : 3);
	auto end = clock::now() + seconds;

	prctl(PR_SET_NAME, "mangled");
	while (clock::now() < end)
		round_trip();
	return 0;
}
