-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- The functions that took the most CPU time of all hosts, with all that they called, and on how many hosts they were.
SELECT f.function AS function, round(sum(f.total) / 1e6, 3) AS total_ms, count(DISTINCT r.host) AS hosts
FROM functions f JOIN recordings r ON r.file = f.file WHERE f.source = 'cpu'
GROUP BY f.function ORDER BY sum(f.total) DESC, f.function LIMIT 20;
