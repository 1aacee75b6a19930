-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- Which host differs: leaf functions whose share of a host's CPU time, or of its waits, is far from that on the other hosts.
WITH of_host AS (
  SELECT r.host AS host, s.source AS source, s.leaf AS leaf, sum(s.weight) AS own
  FROM stacks s JOIN recordings r ON r.file = s.file WHERE s.source IN ('cpu', 'offcpu') GROUP BY r.host, s.source, s.leaf),
whole AS (SELECT host, source, sum(own) AS everything FROM of_host GROUP BY host, source),
share AS (
  SELECT o.host AS host, o.source AS source, o.leaf AS leaf, 100.0 * o.own / w.everything AS percent
  FROM of_host o JOIN whole w ON w.host = o.host AND w.source = o.source),
hosts AS (SELECT source, count(*) AS number FROM whole GROUP BY source),
sums AS (SELECT source, leaf, sum(percent) AS all_percent FROM share GROUP BY source, leaf)
SELECT s.host AS host, s.source AS source, s.leaf AS leaf, round(s.percent, 2) AS percent_here,
  round((u.all_percent - s.percent) / (h.number - 1), 2) AS percent_elsewhere
FROM share s JOIN hosts h ON h.source = s.source JOIN sums u ON u.source = s.source AND u.leaf = s.leaf
WHERE h.number > 1
ORDER BY abs(s.percent - (u.all_percent - s.percent) / (h.number - 1)) DESC, host, leaf LIMIT 20;
