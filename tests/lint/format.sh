#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Layout, as .clang-format says: indentation, braces, blanks between words. Where lines break, trailing
# comments, one-line enums and macros are left to the author. Plain whitespace faults in every text file.
. "$(dirname "$0")/lint.bash"

format=${CLANG_FORMAT:-clang-format-14}
command -v "$format" >/dev/null || without clang-format-14
style=$PWD/.clang-format

# The file with what is not judged taken out, line for line.
plain()
{
	perl -0777 -pe '
		sub blank { (my $lines = shift) =~ s/[^\n]//g; join("\n", ("#pragma x") x (1 + length $lines)) }
		s{^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*}{ blank($&) }gme;
		s{^[ \t]*enum\b[^\n;]*\};[^\n]*$}{#pragma x}gm;
		s{^([ \t]*[^\s/][^\n]*?)[ \t]*/\*((?:(?!\*/).)*)\*/[ \t]*$}{
			my ($code, $lines) = ($1, ($2 =~ tr/\n//));
			$code . "\n#pragma x" x $lines
		}gmse;
		s/\bclass\b/klass/g;	# a word of C++ to clang-format
	' "$1"
}

# Reads a plain diff; prints the hunks that differ in more than where lines break.
judge()
{
	perl -e '
		my ($file, $line, @old, @new) = (shift);
		sub flat { my $text = join(" ", @_); $text =~ s/\s+/ /g; $text =~ s/^ //; $text =~ s/([({]) /$1/gr }
		# Continuation lines, which stand at a column and not at a tab stop, may stand elsewhere.
		sub same { my ($old, $new) = @_; $old eq $new || $new =~ /^\t* +\S/ && $old =~ s/^\s+//r eq $new =~ s/^\s+//r }
		sub hunk {
			return if !@old && !@new;
			return if @old != @new && flat(@old) eq flat(@new);
			return if @old == @new && !grep { !same($old[$_], $new[$_]) } 0 .. $#old;
			return if "@old" eq "@new" =~ s/\} \* /} */gr;	# a fault of clang-format 14
			my $want = @new ? $new[0] : "nothing";
			$want =~ s/\t/\\t/g;
			print "$file:$line\tlaid out otherwise; clang-format would write: $want\n";
		}
		while (<STDIN>) {
			chomp;
			if (/^(\d+)/) { hunk(); $line = $1; @old = @new = (); }
			elsif (/^< (.*)/) { push @old, $1 }
			elsif (/^> (.*)/) { push @new, $1 }
		}
		hunk();' "$1"
}

layout()
{
	product_files '*.[ch]' | while IFS= read -r file; do
		plain "$file" >"$dir/old.c"
		"$format" --style="file:$style" <"$dir/old.c" | diff "$dir/old.c" - | judge "$file"
	done
}

blanks()
{
	files '*.[chS]' '*.cpp' '*.py' '*.sh' '*.bash' '*.md' '*.[1-8]' Makefile .clang-format |
		while IFS= read -r file; do
			grep -nE '[[:blank:]]+$' "$file" | sed "s|^\([0-9]*\):.*|$file:\1\ttrailing blanks|"
			grep -n $'\r' "$file" | sed "s|^\([0-9]*\):.*|$file:\1\ta carriage return|"
			[[ $(tail -c 1 "$file") ]] && printf '%s:%d\tno newline at the end\n' "$file" "$(wc -l <"$file")"
		done
}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
findings_from layout
findings_from blanks
verdict "$(product_files '*.[ch]' | wc -l) files"
