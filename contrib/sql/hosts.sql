-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- What there is, and how busy each host was: CPUs that were busy, and threads that waited, on average.
SELECT r.host AS host, r.day AS day, r.kernel AS kernel, round(r.seconds, 2) AS seconds,
  round(sum(CASE WHEN s.source = 'cpu' AND s.unit = 'ns' THEN s.weight ELSE 0 END) / 1e9 / r.seconds, 3) AS busy_cpus,
  round(sum(CASE WHEN s.source = 'offcpu' THEN s.weight ELSE 0 END) / 1e9 / r.seconds, 3) AS waiting_threads
FROM recordings r JOIN stacks s ON s.file = r.file
GROUP BY r.file, r.host, r.day, r.kernel, r.seconds ORDER BY host, day, r.file;
