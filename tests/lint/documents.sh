#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Everything that a file cites is in the repository: each document (.md; by its path from the top or from the file's
# folder, or by its name alone), its section (by the number after "§", or by its heading in quotes), and the targets
# of a document's links.
# Programs also write documents of these names elsewhere, so only the name counts there.
. "$(dirname "$0")/lint.bash"

command -v perl >/dev/null || without perl

cites()
{
	files '*.[chS]' '*.cpp' '*.py' '*.sh' '*.bash' '*.awk' '*.js' '*.go' '*.md' '*.[1-8]' Makefile deps run |
		NAMES=$(files '*') perl -e '
		my %by_name;
		push @{$by_name{s{.*/}{}r}}, $_ for split /\n/, $ENV{NAMES};

		sub slurp { local $/; open(my $file, "<", $_[0]) or return ""; <$file> }
		# The path of a document that is cited in a file; empty if there is no such document.
		sub find {
			my ($cited, $file, $folder) = @_;
			my ($place) = grep { -e $_ } "$folder/$cited", $cited;

			return $place if $place || ($cited =~ m{/} && $file =~ /\.md$/);
			return $by_name{$cited =~ s{.*/}{}r}[0];
		}
		sub has_section { slurp($_[0]) =~ /^#+ \Q$_[1]\E(?:[. ]|$)/m }
		sub has_heading { slurp($_[0]) =~ /^#+ (?:[\d.]+ )?\Q$_[1]\E$/m }

		while (my $file = <STDIN>) {
			chomp $file;
			my $text = slurp($file);
			my $folder = $file =~ m{(.*)/} ? $1 : ".";
			my $say = sub { print "$file:", 1 + (substr($text, 0, $_[0]) =~ tr/\n//), "\t$_[1]\n" };

			$text =~ s{\b[a-z]+://\S+}{"x" x length $&}ge;
			while ($text =~ m{([\w./-]*[\w-]\.md)\b(?:(?:,?\s+(?:[*#]\s+)*§([\d.]*\d))|,\s+(?:[*#]\s+)*"([^"\n]+)")?}g) {
				my ($at, $cited, $number, $heading) = ($-[0], $1, $2, $3);
				my $document = find($cited, $file, $folder);

				if (!$document) { $say->($at, "\x27$cited\x27 is not in the repository") }
				elsif (defined $number && !has_section($document, $number)) { $say->($at, "$cited has no section $number") }
				elsif (defined $heading && !has_heading($document, $heading)) { $say->($at, "$cited has no heading \x27$heading\x27") }
			}
			next if $file !~ /\.md$/;
			while ($text =~ m{\]\(([^)\s#:]+)(?:#[^)\s]*)?\)}g) {
				$say->($-[0], "the link to \x27$1\x27 leads nowhere") if !-e "$folder/$1";
			}
		}'
}

# The program's version has a heading in the changelog, and an entry in the packages' changelog.
versions()
{
	local version packaged
	version=$(sed -n 's/^VERSION := //p' Makefile)
	packaged=$(sed -n '1s/^rwalker (\(.*\)-[0-9]*) .*/\1/p' debian/changelog)
	grep -q "^## $version\b" CHANGELOG.md || printf 'CHANGELOG.md:1\thas no heading %s\n' "$version"
	[[ $packaged = "$version" ]] || printf 'debian/changelog:1\tis of version %s, the Makefile of %s\n' "$packaged" "$version"
}

findings_from cites
[[ ! -f debian/changelog ]] || findings_from versions
verdict "$(files '*.md' | wc -l) documents, who cites them, and one version"
