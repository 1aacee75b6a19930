-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- How long threads waited for a CPU once they could run, on each host: the median wait, 99 of 100, and the longest.
WITH ranked AS (
  SELECT r.host AS host, e.run_queue_ns AS ns, row_number() OVER (PARTITION BY r.host ORDER BY e.run_queue_ns) AS place,
    count(*) OVER (PARTITION BY r.host) AS waits
  FROM waits e JOIN recordings r ON r.file = e.file)
SELECT host, max(waits) AS number, round(max(CASE WHEN place * 2 <= waits + 1 THEN ns ELSE 0 END) / 1e3, 1) AS median_us,
  round(max(CASE WHEN place * 100 <= waits * 99 THEN ns ELSE 0 END) / 1e3, 1) AS p99_us, round(max(ns) / 1e3, 1) AS longest_us
FROM ranked GROUP BY host ORDER BY longest_us DESC, host;
