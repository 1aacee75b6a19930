#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The table of DESIGN.md §2: which folder may include which, what it must not know even through other
# headers, and which single file of it (or files of one name) may include a foreign library. Own header first, always by folder.
. "$(dirname "$0")/lint.bash"

# What a file belongs to | what it may include | what must not reach it. First match counts. "report" is
# what lies in report/ itself: the profile and what stands beside it.
layers='
common/             | common                                      | format bpf record report read resolve view tool
format/             | common format                               | bpf record report read resolve view tool
bpf/                | bpf                                         | common format record report read resolve view tool
record/             | common format bpf record                    | report read resolve view tool
report/read/        | common format read                          | record bpf resolve view tool
report/resolve/     | common read resolve                         | record bpf view tool
report/view/        | common report view                          | record bpf format read resolve tool
report/tool/        | common format report read resolve tool      | record bpf view
report/main.c       | common format report read resolve view tool | record bpf
report/report_      | common format report read resolve view tool | record bpf
report/             | common report read resolve                  | record bpf view tool'

# Library | its headers | the folder whose one file may include them.
doors='
lz4          | lz4.*\.h                               | format/
libbpf       | bpf/(libbpf|bpf|btf)\.h|.*\.skel\.h    | record/
libelf       | (lib|g)elf\.h                          | report/resolve/
libdw        | dwarf\.h|elfutils/libdw.*\.h           | report/resolve/
sqlite3      | sqlite3\.h                             | report/resolve/
lzma         | lzma\.h                                | report/resolve/
zstd         | zstd\.h                                | report/resolve/
debuginfod   | elfutils/debuginfod\.h                 | report/resolve/
demangler    | (libiberty/)?demangle\.h               | report/resolve/
libdeflate   | libdeflate\.h                          | report/resolve/
BPF helpers  | bpf/bpf_.*\.h                          | bpf/'

libc='(assert|byteswap|ctype|dirent|dlfcn|elf|endian|errno|fcntl|fnmatch|getopt|glob|grp|inttypes|langinfo'
libc+='|libgen|limits|link|locale|malloc|math|mntent|nmmintrin|poll|pthread|pwd|regex|sched|search|semaphore'
libc+='|setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|strings'
libc+='|syscall|sysexits|syslog|termios|threads|time|ucontext|unistd|wchar|wctype|x86intrin|cpuid'
libc+='|(arpa|asm|linux|net|netinet|sys)/[a-z0-9_/-]+)\.h'

judge()
{
	product_files '*.[ch]' | xargs -r grep -nE '^[[:space:]]*#[[:space:]]*include' /dev/null |
		LAYERS=$layers DOORS=$doors LIBC="^$libc\$" awk '
	function trim(text) { gsub(/^ +| +$/, "", text); return text }
	function say(place, text) { print place "\t" text }

	# The name of what a path belongs to, as the table spells it.
	function folder(path, parts) {
		split(path, parts, "/")
		return parts[1] != "report" ? parts[1] : parts[3] == "" ? "report" : parts[2]
	}
	function layer(path, i) {
		for (i = 1; i <= layers; i++)
			if (index(path, prefix[i]) == 1)
				return i
	}
	function listed(word, list) { return index(" " list " ", " " word " ") }

	# A door that outgrew one file is the files of one name: probe.c, probe_waits.c, probe_internal.h.
	function door(file) { sub(/(_[a-z_]+)?[.][ch]$/, "", file); return file }

	function judge_system(place, file, name, i) {
		for (i = 1; i <= doors; i++)
			if (name ~ header[i]) {
				if (index(file, home[i]) != 1)
					say(place, "<" name "> belongs to " home[i])
				else if (home[i] != "bpf/" && user[i] != "" && user[i] != door(file))
					say(place, library[i] " has its door in " user[i] ".c already")
				else
					user[i] = door(file)
				return
			}
		if (name !~ ENVIRON["LIBC"])
			say(place, "<" name "> is neither libc nor in the table of doors")
	}
	# What reaches a file through the headers that it includes.
	function reach(start, file, way, i, list, next_file, count) {
		count = split(includes[file], list, "\n")
		for (i = 1; i <= count; i++) {
			next_file = list[i]
			if (next_file == "" || seen[start, next_file]++)
				continue
			if (listed(folder(next_file), hidden[layer(start)]) && file != start)
				say(start ":1", "must not know " next_file ", which reaches it through" way " " file)
			reach(start, next_file, way " " file)
		}
	}

	BEGIN {
		count = split(ENVIRON["LAYERS"], rows, "\n")
		for (i = 1; i <= count; i++)
			if (split(rows[i], cells, "|") == 3) {
				prefix[++layers] = trim(cells[1])
				may[layers] = trim(cells[2])
				hidden[layers] = trim(cells[3])
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
		files[file] = 1
		name = $0
		sub(/^[^<"]*[<"]/, "", name)
		sub(/[>"].*/, "", name)
		first = !(file in includes) && !(file in any)
		any[file] = 1
		own = file
		sub(/c$/, "h", own)
		if (first && file ~ /\.c$/ && name != own && system("test -f " own) == 0)
			say(place, "its own header " own " comes first")
		if ($0 ~ /include[ \t]*</ || name ~ /\.skel\.h$/) {
			judge_system(place, file, name)
			next
		}
		if (name !~ /\//)
			say(place, "\"" name "\" is not included by its folder")
		else if (!listed(folder(name), may[layer(file)]))
			say(place, file " may not include \"" name "\"")
		includes[file] = includes[file] "\n" name
	}
	END {
		for (file in files)
			reach(file, file, "")
	}'
}

findings_from judge
verdict "$(product_files '*.[ch]' | wc -l) files"
