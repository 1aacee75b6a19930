-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- Loops that are compiled while they run, recursion, and functions of the library that call back, without end.
local sink = 0

local function burn(rounds)
	for i = 1, rounds do
		sink = (sink * 31 + i) % 65521
	end
end

local function descend(depth)
	if depth == 0 then
		burn(2000)
		return 0
	end
	return descend(depth - 1) + 1
end

local function replaced(word)
	burn(200)
	return word .. sink
end

while true do
	descend(20)
	local _ = ("one two three four"):gsub("%a+", replaced)
	table.sort({5, 3, 9, 1, 7, 2}, function(a, b)
		burn(20)
		return a < b
	end)
end
