#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Words that DESIGN.md does not use, as parts of identifiers. The kernel's own names (BPF_..., PERF_...)
# stay as they are; comments and strings are free. "dump" is a word of the reporter, not of recording.
. "$(dirname "$0")/lint.bash"

command -v perl >/dev/null || without perl

bad_words()
{
	product_files '*.[ch]' | xargs -r perl -0777 -ne '
		# Comments and strings become blanks; line ends stay.
		s{/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"}{ (my $blank = $&) =~ s/[^\n]/ /g; $blank }gse;
		my $number = 0;
		for my $line (split /\n/) {
			$number++;
			while ($line =~ /\b([A-Za-z_]\w*)\b/g) {
				my $name = $1;
				next if $name =~ /^(?:__)?(?:bpf|perf)_/i;
				my $bad = $name =~ /(?:^|_)(backtraces?|stack_?traces?|dsos?)(?:_|$)/i ? $1
					: $ARGV =~ m{^(?:record|bpf)/} && $name =~ /(?:^|_)(dump(?:s|er)?)(?:_|$)/i ? $1 : next;
				print "$ARGV:$number\t\x27$name\x27: \x27$bad\x27 is not a word of this project\n";
			}
		}'
}

findings_from bad_words
verdict "$(product_files '*.[ch]' | wc -l) files"
