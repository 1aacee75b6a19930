# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A build: make starts as many compilers as there are CPUs, and these take them.
mkdir -p /src/shop
for part in 1 2 3 4; do
	echo 'typedef unsigned long uint64_t;' >"/src/shop/part$part.c"
	for function in 1 2 3 4 5 6 7 8 9 10 11 12; do
		echo "uint64_t price_${part}_$function(const uint64_t *row, uint64_t count)
		{
			uint64_t sum = $function;

			for (uint64_t i = 0; i < count; i++)
				sum = row[i] % 7 ? sum * 31 + row[i] : sum / 3 + $part;
			return sum;
		}"
	done >>"/src/shop/part$part.c"
done
printf '%s\n' 'all: part1.o part2.o part3.o part4.o' '%.o: %.c' '	gcc -O2 -ffreestanding -c -o $@ $<' >/src/shop/Makefile
recorder -p 0 --offcpu 0 --wakers -u -f 199 -- make -s -j 2 -C /src/shop
cause '^comms +[5-9][0-9][.0-9]*% cc1'
cause '^ +held by (gcc blocked in do_wait [(]wait4[)] <- )?cc1 running'
