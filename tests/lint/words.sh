#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Words that are not used in identifiers (the glossary of ARCHITECTURE.md has those that are), and phrases that are not
# plain English in comments, manuals, documents and messages. The kernel's own names (BPF_..., PERF_...) are allowed.
# "dump" is a word of the reporter, and of record/flight for what it writes: nothing else in the recorder dumps.
# Messages quote names as in 'x', and use the singular as in "1 thread".
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
					: $ARGV =~ m{^(?:record/(?!flight/|plan/|session)|bpf/)} && $name =~ /(?:^|_)(dump(?:s|er)?)(?:_|$)/i ? $1 : next;
				print "$ARGV:$number\t\x27$name\x27: \x27$bad\x27 is not a word of this project\n";
			}
		}'
}

# Phrase, as a regular expression | what to write instead. A blank also matches the end of a comment line.
phrases='for want of|because there is no
anew|again
to be had|available
tell(s|ing)? of|report, record
(is|are|was|were) told(?! (apart|to))|reported, recorded
(is|are|was|were) of no|has no, does not
without a word|silently
for ever|forever
(lie|lies|lay|lying) (in|behind|beside|there)|is, are
(stand|stands|stood|standing) (in|at|behind|before|beside|on|there)|is, are
(turn|turned|turning) over|flip'

# The text that people read: comments and docstrings of sources; documents and manuals except for examples.
bad_phrases()
{
	files '*.[chS]' '*.cpp' '*.inc' '*.go' '*.js' '*.sh' '*.bash' '*.py' Makefile '*.md' '*.[1-9]' |
		PHRASES=$phrases xargs -r perl -0777 -ne '
		BEGIN {
			our $gap = q{(?:[ \t]+|[ \t]*\n[ \t]*(?:\*|#|//)?[ \t]*)};
			our @rows = map { /^(.*)\|(.*)$/; [$1 =~ s/ /$gap/gr, $2] } split /\n/, $ENV{PHRASES};
			our $any = join "|", map { $_->[0] } @rows;
			@rows = map { [qr/(?<![\w-])$_->[0](?![\w-])/i, $_->[1]] } @rows;
			$any = qr/(?<![\w-])(?:$any)(?![\w-])/i;
		}
		our ($gap, @rows, $any);
		next unless $_ =~ $any; # most files have none anywhere
		my $hide = sub { (my $blank = $_[0]) =~ s/[^\n]/ /g; $blank };
		if ($ARGV =~ /\.(?:[chS]|cpp|inc|go|js)$/) {
			s{"(?:\\.|[^"\\\n])*"|\x27(?:\\.|[^\x27\\\n])+?\x27|(/\*.*?\*/|//[^\n]*)|[^\n"\x27/]+|[^\n]}{$1 // $hide->($&)}gse;
		} elsif ($ARGV =~ /\.md$/) {
			s{^(?:    |\t)[^\n]*|`[^`\n]*`}{$hide->($&)}gem;
		} elsif ($ARGV !~ /\.[1-9]$/) {
			my $doc = $ARGV =~ /\.py$/ ? qr/"""(?:.*?)"""/s : qr/(?!)/;
			s{($doc|(?:(?<=\s)|^)#(?=\s)[^\n]*)|[^\s#"]+|[^\n]}{$1 // " "}gsem;
		}
		for my $row (@rows) {
			my ($phrase, $instead) = @$row;
			while (/$phrase/g) {
				my ($found, $number) = ($&, 1 + (substr($_, 0, $-[0]) =~ tr/\n//));
				$found =~ s/$gap/ /g;
				print "$ARGV:$number\t\x27$found\x27: write \x27$instead\x27\n";
			}
		}'
}

# Files with strings that are not messages: a shell script, the dump of a trace, the key of a cache, markup.
not_messages='^(common/options/options_(help|completion)|report/tool/dump|report/resolve/cache/name_source|report/view/html/html_document)\.c$'

# Checks the strings of the product for the phrases above, quotes, and plurals after a count. Adjacent strings are one.
bad_messages()
{
	product_files '*.[ch]' | PHRASES=$phrases NOT_MESSAGES=$not_messages xargs -r perl -0777 -ne '
		BEGIN {
			our @rows = map { /^(.*)\|(.*)$/; [qr/(?<![\w-])$1(?![\w-])/i, $2] } split /\n/, $ENV{PHRASES};
			our $any = join "|", map { $_->[0] } @rows;
			$any = qr/$any/;
		}
		our (@rows, $any);
		my $string = qr/"(?:\\.|[^"\\\n])*"/;
		s{($string)|\x27(?:\\.|[^\x27\\\n])+?\x27|/\*.*?\*/|//[^\n]*}{ $1 // $& =~ s/[^\n]/ /gr }gse;
		while (/(\b(?:log_(?:error|warning|info)|account_line)\([^"]*)?($string(?:\s+(?:PRI\w+\b|$string))*)/g) {
			my ($call, $text, $number) = ($1, $2, 1 + (substr($_, 0, $-[2]) =~ tr/\n//));
			my $say = sub { print "$ARGV:$number\t@_\n" };
			$text =~ s/"\s+PRI(\w+)\s*"/$1/g;
			$text =~ s/"\s+"//g;
			$text =~ s/^"|"$//g;
			$say->("quote with \x27 instead of \\\"") if $text =~ /\\"/ && $ARGV !~ /$ENV{NOT_MESSAGES}/;
			$say->("\x27$1\x27: a count of 1 needs the singular, see common/plural.h")
				if $call && $text =~ /%(?:u|zu|u32|u64) (?:more )?([a-z-]*[a-rtv-z]s)\b/;
			next unless $text =~ $any;
			for my $row (@rows) {
				$say->("\x27$&\x27: write \x27$row->[1]\x27") if $text =~ $row->[0];
			}
		}'
}

findings_from bad_words
findings_from bad_phrases
findings_from bad_messages
verdict "$(files '*.[chS]' '*.sh' '*.py' '*.md' '*.[1-9]' | wc -l) files"
