-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- The longest waits of all hosts that a program had in D, and what ended them.
SELECT r.host AS host, r.day AS day, e.comm AS comm, e.tid AS tid, round(e.length_ns / 1e6, 3) AS ms, e.state AS state,
  e.leaf AS leaf, coalesce(e.waker_context, '') AS woken_in, coalesce(e.waker_comm, '') AS waker
FROM waits e JOIN recordings r ON r.file = e.file WHERE e.state LIKE 'D%'
ORDER BY e.length_ns DESC, host, tid, e.offset_ns LIMIT 20;
