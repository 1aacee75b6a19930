# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Judges the waits of one walk. Files in this order: truth, ticks, what tasks_of prints.
# Variables: prefix, want (names that must be there in D), begin and end (when the recorder ran, ns).
#
# The time of a walk is known from outside: the comm of a ticker says in which of its rounds it was, and the rounds are
# in the file of ticks; there are several tickers, each with its own letter. Without a ticker (-s and -w leave it out)
# the walk is between begin and end, and all waits must agree on its time.
BEGIN { FS = "[\t ]"; slack = 0.1 }
FNR == 1 { file++ }
file == 1 && $1 == "truth" { tid[$2] = $3; since[$2] = $5 / 1e9; next }
file == 1 && $1 == "settled" { settled[$2] = $3 / 1e9; next }
file == 1 && $1 == "frozen" { since["w-frozen"] = $3 / 1e9; next }
file == 1 { next }
file == 2 { letter = substr($1, 1, 1); ticks[letter, ++rounds[letter]] = substr($1, 2) / 1000; next }
{
	split($0, field, "\t")
	if (tick == "" && field[1] ~ /^[tuv][0-9]+$/) { ticker_seen = substr(field[1], 1, 1); tick = substr(field[1], 2) / 1000 }
	seen[field[1]] = 1
	seen_tid[field[1]] = field[2]
	state[field[1]] = field[3]
	waited[field[1]] = field[4]
}

function number(text) { return text ~ /^[0-9]+(\.[0-9]+)?s?$/ ? text + 0 : -1 }

function verdict(name, why) {
	if (why == "") print "ok " prefix "/" name
	else print "not ok " prefix "/" name " - " why
}

# Earliest and latest time of the walk, as known from outside.
function bracket(i) {
	low = begin / 1e9; high = end / 1e9
	if (tick == "") return
	low = tick; high = tick + 1
	for (i = 1; i < rounds[ticker_seen]; i++) if (ticks[ticker_seen, i] == tick) high = ticks[ticker_seen, i + 1]
}

function judge(name, wait, walk) {
	if (!(name in seen)) return "not found"
	if (seen_tid[name] != tid[name]) return "tid " seen_tid[name] ", truth " tid[name]
	if (state[name] !~ /^[DK]/) return "state " state[name]
	wait = number(waited[name])
	if (wait < 0) return "wait \"" waited[name] "\" is no exact time"
	walk = since[name] + wait
	if (name in settled) { # other waits came before this one: the time of the walk is between two bounds
		if (settled[name] + wait < low - slack || walk > high + slack)
			return sprintf("wait %s puts the walk at %.3f to %.3f, truth is %.3f to %.3f", waited[name], walk, settled[name] + wait, low, high)
		return ""
	}
	if (first == "" || walk < first) first = walk
	if (last == "" || walk > last) last = walk
	if (walk < low - slack || walk > high + slack)
		return sprintf("wait %s puts the walk at %.3f, truth is %.3f to %.3f", waited[name], walk, low, high)
	return ""
}

END {
	bracket()
	count = split(want, names, " ")
	for (n = 1; n <= count; n++) verdict(names[n], judge(names[n]))
	if (first != "") verdict("waits-agree", last - first <= slack ? "" : sprintf("the moment of the walk varies by %.3f s", last - first))
	if (tick == "" && ticker) verdict("ticker", "none of the tickers, in D or R nearly always, was found")
}
