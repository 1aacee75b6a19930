-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- Who holds whom up: waits that another thread ended, over all hosts.
SELECT e.waker_comm AS waker, e.comm AS sleeper, count(*) AS waits, round(sum(e.blocked_ns) / 1e6, 3) AS ms,
  count(DISTINCT r.host) AS hosts
FROM waits e JOIN recordings r ON r.file = e.file WHERE e.waker_context = 'task'
GROUP BY e.waker_comm, e.comm ORDER BY sum(e.blocked_ns) DESC, waker, sleeper LIMIT 20;
