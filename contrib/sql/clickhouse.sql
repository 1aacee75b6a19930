-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- The same views as in duckdb.sql: for ClickHouse, as clickhouse-local or chDB.
--   cat clickhouse.sql outlier.sql | clickhouse local
CREATE VIEW recordings AS SELECT * FROM file('recordings.csv', CSVWithNames,
  'file String, host String, kernel String, cpus Nullable(Int64), day String, seconds Float64');
CREATE VIEW stacks AS SELECT replaceRegexpOne(_file, '[.]csv$', '') AS file, source, name, comm, pid, events, weight, unit, stack,
  splitByChar(';', stack)[-1] AS leaf, cgroup, container, container_id
FROM file('stacks/*.csv', CSVWithNames, 'host String, host_number Int64, source String, name String, comm String,
  pid Nullable(Int64), events Int64, weight Int64, unit String, stack String,
  cgroup String, container String, container_id String');
CREATE VIEW functions AS SELECT file, source, comm, weight, arrayJoin(arrayDistinct(splitByChar(';', stack))) AS function FROM stacks;
CREATE VIEW events AS SELECT replaceRegexpOne(_file, '[.]csv$', '') AS file, source, name, offset_ns, comm, pid, tid, cpu, weight,
  stack, splitByChar(';', stack)[-1] AS leaf, length_ns, bound, open, blocked_ns, run_queue_ns, class, state, waker_context,
  waker_comm, waker_tid
FROM file('events/*.csv', CSVWithNames, 'recording Int64, host String, source String, name String, offset_ns Int64,
  realtime_ns Nullable(Int64), comm String, pid Int64, tid Int64, cpu Nullable(Int64), weight Int64, unit String, stack String,
  out_ns Nullable(Int64), in_ns Nullable(Int64), length_ns Nullable(Int64), bound String, open String,
  blocked_ns Nullable(Int64), run_queue_ns Nullable(Int64), class String, state String, iowait Nullable(Int64),
  wakeup_ns Nullable(Int64), waker_context String, waker_comm String, waker_pid Nullable(Int64), waker_tid Nullable(Int64),
  waker_stack String, woken_comm String, woken_pid Nullable(Int64), woken_tid Nullable(Int64), walk Nullable(Int64),
  call String, object_kind String, object String, object_name String, cgroup String, container String,
  container_id String');
