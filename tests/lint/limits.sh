#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Sizes. A function has at most 60 lines, and 97 of 100 functions at most 32; they nest at most 3 levels. A line has at
# most 120 columns, and 95 of 100 lines at most 100 (tabs are 8). A .c has at most 800 lines, a .h 200.
. "$(dirname "$0")/lint.bash"

command -v ctags >/dev/null || without universal-ctags

# Prints "FILE:LINE<tab>text" for each function above the limit, and ".<tab>text" if too many are long.
long_functions()
{
	files '*.[ch]' | ctags -L - -x --kinds-C=f --kinds-C++=f --langmap=C:.c.h --fields=+ne --_xformat='%F %n %e %N' |
		awk '{ lines = $3 - $2 + 1; long += lines > 32 }
			lines > 60 { printf "%s:%d\tfunction %s has %d lines, the limit is 60\n", $1, $2, $4, lines }
			END { if (long * 33 > NR)
				printf ".\t%d of %d functions have more than 32 lines, the limit is 3 %%\n", long, NR }'
}

# Nested control statements; "else if" continues its "if". Prints where a function nests deeper than 3 levels.
deep_functions()
{
	files '*.[ch]' | xargs -r perl -0777 -ne '
		sub newlines { $_[0] =~ tr/\n//cdr }
		s{/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\x27(?:\\.|[^\x27\\\n])*\x27}{
			substr($&, 0, 1) eq "/" ? " " . newlines($&) : "0"
		}gse;
		s/^[ \t]*#(?:[^\n]*\\\n)*[^\n]*/newlines($&)/gme;
		our ($file, @words, @lines, $i, $deepest, $place) = ($ARGV);
		our ($line) = (1);
		while (/(\n)|(\w+|[^\s\w])/g) {
			if ($1) { $line++ } else { push @words, $2; push @lines, $line }
		}
		push @words, ("") x 2; # so that reading the next one stays within the array
		sub group {
			my $open = 0;
			do {
				$open++ if $words[$i] =~ /^[([{]$/;
				$open-- if $words[$i] =~ /^[])}]$/;
				$i++;
			} while $open && $i < @lines;
		}
		sub skip { my $end = shift; $i++ while $i < @lines && $words[$i] ne $end; $i++ }
		sub statement {
			my $depth = shift;
			($deepest, $place) = ($depth, $lines[$i]) if $depth > $deepest && $i < @lines;
			if ($words[$i] eq "{") {
				$i++;
				statement($depth) while $i < @lines && $words[$i] ne "}";
				$i++;
			} elsif ($words[$i] =~ /^(?:if|for|while|switch)$/) {
				$i++;
				group();
				statement($depth + 1);
				if ($words[$i] eq "else") {
					$i++;
					statement($words[$i] eq "if" ? $depth : $depth + 1);
				}
			} elsif ($words[$i] eq "do") {
				$i++;
				statement($depth + 1);
				skip(";");
			} elsif ($words[$i] =~ /^(?:case|default)$/) {
				skip(":");
			} else {
				while ($i < @lines && $words[$i] !~ /^[;}]$/) { $words[$i] =~ /^[([{]$/ ? group() : $i++ }
				$i++ if $words[$i] eq ";";
			}
		}
		for ($i = 0; $i < @lines;) {
			if ($i && $words[$i] eq "{" && $words[$i - 1] eq ")") {
				$deepest = 0;
				statement(0);
				print "$file:$place\tnests $deepest levels, the limit is 3\n" if $deepest > 3;
			} elsif ($words[$i] =~ /^[([{]$/) {
				group();
			} else {
				$i++;
			}
		}'
}

# file_limit PATTERN LIMIT
file_limit()
{
	files "$1" | xargs -r -d '\n' awk -v limit="$2" '
		FNR == limit + 1 { long[++count] = FILENAME }
		{ lines[FILENAME] = FNR }
		END { for (i = 1; i <= count; i++)
			printf "%s:%d\t%d lines, the limit is %d\n", long[i], limit, lines[long[i]], limit }'
}

# Like long_functions.
wide_lines()
{
	files '*.[ch]' | xargs -r perl -CSD -ne '
		1 while s/\t/" " x (8 - length($`) % 8)/e;
		chomp;
		printf "%s:%d\t%d columns, the limit is 120\n", $ARGV, $., length if length > 120;
		$wide++ if length > 100;
		$all++;
		close ARGV if eof;
		END { printf ".\t%d of %d lines have more than 100 columns, the limit is 5 %%\n", $wide, $all
			if $wide * 20 > $all }'
}

findings_from long_functions
findings_from deep_functions
findings_from file_limit '*.c' 800
findings_from file_limit '*.h' 200
findings_from file_limit '*.js' 800
findings_from wide_lines
verdict "$(files '*.[ch]' | wc -l) files"
