-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- What got worse since the day before: ms per second of recording, of the last two days, by source, comm and leaf.
WITH today AS (SELECT max(day) AS day FROM recordings),
before AS (SELECT max(r.day) AS day FROM recordings r CROSS JOIN today t WHERE r.day < t.day),
length AS (SELECT day, sum(seconds) AS seconds FROM recordings GROUP BY day),
rate AS (
  SELECT r.day AS day, s.source AS source, s.comm AS comm, s.leaf AS leaf, sum(s.weight) / 1e6 / max(l.seconds) AS ms
  FROM stacks s JOIN recordings r ON r.file = s.file JOIN length l ON l.day = r.day
  WHERE s.unit = 'ns' AND s.source IN ('cpu', 'offcpu') GROUP BY r.day, s.source, s.comm, s.leaf),
both_days AS (
  SELECT a.source AS source, a.comm AS comm, a.leaf AS leaf,
    sum(CASE WHEN a.day = b.day THEN a.ms ELSE 0 END) AS ms_before, sum(CASE WHEN a.day = t.day THEN a.ms ELSE 0 END) AS ms_now
  FROM rate a CROSS JOIN today t CROSS JOIN before b GROUP BY a.source, a.comm, a.leaf)
SELECT source, comm, leaf, round(ms_before, 3) AS ms_per_s_before, round(ms_now, 3) AS ms_per_s_now
FROM both_days WHERE ms_now > ms_before ORDER BY ms_now - ms_before DESC, source, comm, leaf LIMIT 20;
