-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- The five largest waits of each kernel version: ms per second of recording, by the function that waited.
WITH length AS (SELECT kernel, sum(seconds) AS seconds FROM recordings GROUP BY kernel),
waited AS (
  SELECT r.kernel AS kernel, s.leaf AS leaf, sum(s.weight) AS ns, sum(s.events) AS waits
  FROM stacks s JOIN recordings r ON r.file = s.file WHERE s.source = 'offcpu' GROUP BY r.kernel, s.leaf),
ranked AS (
  SELECT w.kernel AS kernel, w.leaf AS leaf, w.ns / 1e6 / l.seconds AS ms, w.waits / l.seconds AS rate,
    row_number() OVER (PARTITION BY w.kernel ORDER BY w.ns DESC, w.leaf) AS place
  FROM waited w JOIN length l ON l.kernel = w.kernel)
SELECT kernel, place, leaf, round(ms, 3) AS ms_per_s, round(rate, 3) AS waits_per_s
FROM ranked WHERE place <= 5 ORDER BY kernel, place;
