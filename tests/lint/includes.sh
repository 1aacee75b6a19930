#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The table of rooms in ARCHITECTURE.md: every folder of the product is a room in it and vice versa, no room is too
# large, the folder of a unit test corresponds to the room that it tests, and a file includes only headers of its own
# room and of those that its row allows. Also which single file of a folder (or files with a common name) may include
# a foreign library. A file's own header comes first, always by folder. No file includes itself through others.
. "$(dirname "$0")/lint.bash"

room_files=24		 # .c files in a room, at most ...
flat='format/ report/tool/' # ... except in these, which have a file for each of many similar things

# Library | its headers | the folder of which one file may include them; two rows: one file of each folder.
doors='
lz4          | lz4.*\.h                               | format/
libbpf       | bpf/(libbpf|bpf|btf)\.h|.*\.skel\.h    | record/
zlib         | zlib\.h                                | record/
libelf       | (lib|g)elf\.h                          | report/resolve/
libdw        | elfutils/libdw.*\.h                    | report/resolve/
sqlite3      | sqlite3\.h                             | report/pack/
lzma         | lzma\.h                                | report/resolve/
zstd         | zstd\.h                                | report/resolve/
debuginfod   | elfutils/debuginfod\.h                 | report/resolve/
demangler    | (libiberty/)?demangle\.h               | report/resolve/
libdeflate   | libdeflate\.h                          | report/pack/
nettle       | nettle/.*\.h                           | report/pack/
BPF helpers  | bpf/bpf_.*\.h                          | bpf/'

# elf.h and dwarf.h are constants only.
libc='(assert|byteswap|ctype|dirent|dlfcn|dwarf|elf|endian|errno|fcntl|fnmatch|getopt|glob|grp|inttypes|langinfo'
libc+='|libgen|limits|link|locale|malloc|math|mntent|nmmintrin|poll|pthread|pwd|regex|sched|search|semaphore'
libc+='|setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|strings'
libc+='|syscall|sysexits|syslog|termios|threads|time|ucontext|unistd|wchar|wctype|x86intrin|cpuid'
libc+='|(arpa|asm|linux|net|netinet|sys)/[a-z0-9_/-]+)\.h'

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
	{ rooms | sed 's/^/room /'; product_files '*.[ch]'; files 'test_*.c' | grep '^tests/unit/'; } |
		MOST=$room_files FLAT=$flat awk '
	function listed(word, list) { return index(" " list " ", " " word " ") }
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
		sources[folder] += /\.c$/
	}
	END {
		for (room in line) {
			place = "ARCHITECTURE.md:" line[room] "\t" room
			if (!files[room])
				print place " has no file"
			if (sources[room] > ENVIRON["MOST"] && !listed(room, ENVIRON["FLAT"]))
				print place " has " sources[room] " files, the limit is " ENVIRON["MOST"]
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
		ROOMS=$(rooms) DOORS=$doors LIBC="^$libc\$" awk '
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
		else if (name !~ ENVIRON["LIBC"])
			say(place, "<" name "> is neither libc nor in the table of doors")
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
		else if (!may_include(folder(file), folder(name)))
			say(place, file " may not include \"" name "\"")
	}'
}

# Each file that can reach itself, at its first include on the way. Files that include nothing of the tree are
# removed, repeatedly, until the rest is in a cycle or includes one; a walk finds the cycles among these.
judge_cycles()
{
	product_files '*.[ch]' | xargs -r grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' /dev/null | awk -F '[:"]' '
	{
		includes[$1] = includes[$1] " " $4
		line[$1, $4] = $2
	}
	END {
		do {
			taken = 0
			for (file in includes) {
				count = split(includes[file], list, " ")
				left = 0
				for (i = 1; i <= count; i++)
					left += list[i] in includes
				if (!left) {
					delete includes[file]
					taken++
				}
			}
		} while (taken)
		for (file in includes) {
			delete seen
			delete way
			way[tail = 1] = file
			for (head = 1; head <= tail; head++) {
				count = split(includes[way[head]], list, " ")
				for (i = 1; i <= count; i++) {
					next_file = list[i]
					if (!(next_file in includes) || next_file in seen)
						continue
					seen[next_file] = 1
					first[next_file] = head == 1 ? next_file : first[way[head]]
					way[++tail] = next_file
				}
			}
			if (file in seen)
				print file ":" line[file, first[file]] "\tincludes itself, through \"" first[file] "\""
		}
	}' | sort
}

[[ $(rooms) ]] || finding ARCHITECTURE.md:1 "there is no table of rooms in the section 'Rooms'"
findings_from judge_rooms
findings_from judge
findings_from judge_cycles
verdict "$(product_files '*.[ch]' | wc -l) files in $(rooms | wc -l) rooms"
