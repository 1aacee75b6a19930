#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Layout, as .clang-format says: indentation, braces, blanks between words. Line breaks, trailing
# comments, one-line enums and macros are left to the author.
. "$(dirname "$0")/lint.bash"

format=${CLANG_FORMAT:-clang-format-14}
command -v "$format" >/dev/null || without clang-format-14
style=$PWD/.clang-format

# Removes what is not judged, line by line.
make_plain()
{
	xargs -r perl -0777 -pi -e '
		sub blank { (my $lines = shift) =~ s/[^\n]//g; join("\n", ("#pragma x") x (1 + length $lines)) }
		s{^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*}{ blank($&) }gme;
		s{^[ \t]*enum\b[^\n;]*\};[^\n]*$}{#pragma x}gm;
		s{^([ \t]*[^\s/][^\n]*?)[ \t]*/\*((?:(?!\*/).)*)\*/[ \t]*$}{
			my ($code, $lines) = ($1, ($2 =~ tr/\n//));
			$code . "\n#pragma x" x $lines
		}gmse;
		s/\bclass\b/klass/g;	# clang-format treats it as a keyword of C++
		s/\?:/||/g;	# an operator that it does not know
	'
}

# Reads a plain diff of two folders; prints the hunks that differ in more than line breaks.
judge()
{
	perl -e '
		my ($file, $line, @old, @new);
		sub flat { my $text = join(" ", @_); $text =~ s/\s+/ /g; $text =~ s/^ //; $text =~ s/([({]) /$1/gr }
		# Continuation lines are aligned to a column, not to a tab stop, so they may differ.
		sub same { my ($old, $new) = @_; $old eq $new || $new =~ /^\t* +\S/ && $old =~ s/^\s+//r eq $new =~ s/^\s+//r }
		sub hunk {
			return if !@old && !@new;
			return if @old != @new && flat(@old) eq flat(@new);
			return if @old == @new && !grep { !same($old[$_], $new[$_]) } 0 .. $#old;
			return if "@old" eq "@new" =~ s/\} \* /} */gr;	# a bug in clang-format 14
			my $want = @new ? $new[0] : "nothing";
			$want =~ s/\t/\\t/g;
			print "$file:$line\tlaid out otherwise; clang-format would write: $want\n";
		}
		while (<STDIN>) {
			chomp;
			if (m{^diff -r \S*/old/(\S+)}) { hunk(); $file = $1; @old = @new = (); }
			elsif (/^(\d+)/) { hunk(); $line = $1; @old = @new = (); }
			elsif (/^< (.*)/) { push @old, $1 }
			elsif (/^> (.*)/) { push @new, $1 }
		}
		hunk();'
}

layout()
{
	mkdir "$dir/old"
	product_files '*.[ch]' | xargs -r cp --parents -t "$dir/old"
	find "$dir/old" -type f | make_plain
	cp -r "$dir/old" "$dir/new"
	find "$dir/new" -type f -exec "$format" -i --style="file:$style" {} +
	diff -r "$dir/old" "$dir/new" | judge
}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
findings_from layout
verdict "$(product_files '*.[ch]' | wc -l) files"
