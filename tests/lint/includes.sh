#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The table of rooms in ARCHITECTURE.md: every folder of the product is a room in it and vice versa, the folder of a
# unit test corresponds to the room that it tests, and a file includes only headers of its own room, of those that
# its row allows, and format/kinds.h; no internal header of another room but in report/tool/. Also which single file
# of a folder (or files with a common name) may include a foreign library. A file's own header comes first, always by folder.
. "$(dirname "$0")/lint.bash"

# Library | its headers | the folder of which one file may include them; two rows: one file of each folder.
doors='
lz4          | lz4.*\.h                               | format/
libbpf       | bpf/(libbpf|bpf|btf)\.h|.*\.skel\.h    | record/
zlib         | zlib\.h                                | common/
zlib         | zlib\.h                                | report/file/
libelf       | (lib|g)elf\.h                          | report/dwarf/
libdw        | elfutils/libdw.*\.h                    | report/dwarf/
sqlite3      | sqlite3\.h                             | report/file/
lzma         | lzma\.h                                | report/file/
zstd         | zstd\.h                                | report/file/
debuginfod   | elfutils/debuginfod\.h                 | report/file/
demangler    | (libiberty/)?demangle\.h               | report/symbol/
nettle       | nettle/.*\.h                           | report/file/
BPF helpers  | bpf/bpf_.*\.h                          | bpf/'

# Prints "LINE ROOM ALLOWED..." for each row "| `room/` | what lives there | `folder/`, `folder/` |".
rooms()
{
	awk -F '|' '
		/^## / { wanted = /^## Rooms/ }
		wanted && $2 ~ /^ *`[a-z_\/]+\/` *$/ {
			gsub(/[` ]/, "", $2)
			gsub(/[^a-z_\/]+/, " ", $4)
			print FNR, $2, $4
		}' ARCHITECTURE.md 2>/dev/null
}

# Checks the table as a whole, and the places of files.
judge_rooms()
{
	{ rooms | sed 's/^/room /'; product_files '*.[ch]'; files 'test_*.c' | grep '^tests/unit/'; } | awk '
	$1 == "room" { line[$3] = $2; next }
	{
		folder = $0
		sub(/[^\/]*$/, "", folder)
		if (sub(/^tests\/unit\//, "", folder)) {
			tests[$0] = folder
			next
		}
		if (!(folder in line) && !told[folder]++)
			print $0 ":1\tthe folder " folder " is no room of ARCHITECTURE.md"
		files[folder]++
	}
	END {
		for (room in line) {
			if (!files[room])
				print "ARCHITECTURE.md:" line[room] "\t" room " has no file"
		}
		for (test in tests) {
			found = 0
			for (room in line)
				found += tests[test] != "" && index(room, tests[test]) == 1
			if (!found)
				print test ":1\tlies in no room: unit tests lie as what they test does"
		}
	}'
}

judge()
{
	product_files '*.[ch]' | xargs -r grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null |
		ROOMS=$(rooms) DOORS=$doors awk '
	function trim(text) { gsub(/^ +| +$/, "", text); return text }
	function say(place, text) { print place "\t" text }
	function folder(path) { sub(/[^\/]*$/, "", path); return path }

	# A room may include itself, and those rooms of the folders in its row that are above it in the table.
	function may_include(from, to, count, list, i) {
		if (from == to || !(from in row))
			return 1
		if (!(to in row) || row[to] > row[from])
			return 0
		count = split(allowed[from], list, " ")
		for (i = 1; i <= count; i++)
			if (index(to, list[i]) == 1)
				return 1
		return 0
	}

	# A library may also be included by several files with a common prefix: probe.c, probe_waits.c, probe_internal.h.
	function door(file) { sub(/(_[a-z_]+)?[.][ch]$/, "", file); return file }

	function judge_system(place, file, name, i, homes) {
		for (i = 1; i <= doors; i++)
			if (name ~ header[i]) {
				homes = homes (homes ? " and " : "") home[i]
				if (index(file, home[i]) != 1)
					continue
				if (home[i] != "bpf/" && user[i] != "" && user[i] != door(file))
					say(place, library[i] " has its door in " user[i] ".c already")
				else
					user[i] = door(file)
				return
			}
		if (homes)
			say(place, "<" name "> belongs to " homes)
	}

	BEGIN {
		count = split(ENVIRON["ROOMS"], rows, "\n")
		for (i = 1; i <= count; i++) {
			split(rows[i], words, " ")
			row[words[2]] = i
			allowed[words[2]] = substr(rows[i], length(words[1] words[2]) + 3)
		}
		count = split(ENVIRON["DOORS"], rows, "\n")
		for (i = 1; i <= count; i++) {
			count_cells = split(rows[i], cells, " [|] ")
			if (count_cells == 3) {
				library[++doors] = trim(cells[1])
				header[doors] = "^(" trim(cells[2]) ")$"
				home[doors] = trim(cells[3])
			}
		}
	}
	match($0, /^[^:]+:[0-9]+/) {
		place = substr($0, 1, RLENGTH)
		file = place
		sub(/:.*/, "", file)
		name = $0
		sub(/^[^<"]*[<"]/, "", name)
		sub(/[>"].*/, "", name)
		own = file
		sub(/c$/, "h", own)
		if (!any[file]++ && file ~ /\.c$/ && name != own && system("test -f " own) == 0)
			say(place, "its own header " own " comes first")
		if ($0 ~ /include[ \t]*</ || name ~ /\.skel\.h$/)
			judge_system(place, file, name)
		else if (name !~ /\//)
			say(place, "\"" name "\" is not included by its folder")
		else if (name != "format/kinds.h" && !may_include(folder(file), folder(name)))
			say(place, file " may not include \"" name "\"")
		else if (name ~ /_internal\.h$/ && folder(file) != folder(name) && folder(file) != "report/tool/")
			say(place, "\"" name "\" is for its own room")
	}'
}

[[ $(rooms) ]] || finding ARCHITECTURE.md:1 "there is no table of rooms in the section 'Rooms'"
findings_from judge_rooms
findings_from judge
verdict "$(product_files '*.[ch]' | wc -l) files in $(rooms | wc -l) rooms"
