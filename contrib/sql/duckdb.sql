-- SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
-- The views that the queries of this folder use, over what fleet.sh has put into the current directory: for DuckDB.
--   duckdb -init duckdb.sql < outlier.sql
CREATE VIEW recordings AS SELECT * FROM read_csv('recordings.csv', header = true, all_varchar = false,
  types = {'file': 'VARCHAR', 'host': 'VARCHAR', 'kernel': 'VARCHAR', 'cpus': 'BIGINT', 'day': 'VARCHAR', 'seconds': 'DOUBLE'});
CREATE VIEW stacks AS SELECT regexp_extract(filename, '([^/]+)[.]csv$', 1) AS file, source, name, comm, pid, events, weight, unit,
  stack, split_part(stack, ';', -1) AS leaf, cgroup, container, container_id
FROM read_csv('stacks/*.csv', header = true, quote = '"', escape = '"', filename = true, max_line_size = 16777216,
  types = {'host': 'VARCHAR', 'source': 'VARCHAR', 'name': 'VARCHAR', 'comm': 'VARCHAR', 'pid': 'BIGINT', 'events': 'BIGINT',
  'weight': 'BIGINT', 'unit': 'VARCHAR', 'stack': 'VARCHAR', 'cgroup': 'VARCHAR', 'container': 'VARCHAR',
  'container_id': 'VARCHAR'});
CREATE VIEW functions AS SELECT file, source, comm, weight, unnest(list_distinct(string_split(stack, ';'))) AS function FROM stacks;
CREATE VIEW events AS SELECT regexp_extract(filename, '([^/]+)[.]csv$', 1) AS file, source, name, offset_ns, comm, pid, tid, cpu,
  weight, stack, split_part(stack, ';', -1) AS leaf, length_ns, bound, open, blocked_ns, run_queue_ns, class, state, waker_context,
  waker_comm, waker_tid
FROM read_csv('events/*.csv', header = true, quote = '"', escape = '"', filename = true, max_line_size = 16777216,
  types = {'recording': 'BIGINT', 'host': 'VARCHAR', 'source': 'VARCHAR', 'name': 'VARCHAR', 'offset_ns': 'BIGINT',
  'realtime_ns': 'BIGINT', 'comm': 'VARCHAR', 'pid': 'BIGINT', 'tid': 'BIGINT', 'cpu': 'BIGINT', 'weight': 'BIGINT',
  'unit': 'VARCHAR', 'stack': 'VARCHAR', 'out_ns': 'BIGINT', 'in_ns': 'BIGINT', 'length_ns': 'BIGINT', 'bound': 'VARCHAR',
  'open': 'VARCHAR', 'blocked_ns': 'BIGINT', 'run_queue_ns': 'BIGINT', 'class': 'VARCHAR', 'state': 'VARCHAR', 'iowait': 'BIGINT',
  'wakeup_ns': 'BIGINT', 'waker_context': 'VARCHAR', 'waker_comm': 'VARCHAR', 'waker_pid': 'BIGINT', 'waker_tid': 'BIGINT',
  'waker_stack': 'VARCHAR', 'woken_comm': 'VARCHAR', 'woken_pid': 'BIGINT', 'woken_tid': 'BIGINT', 'walk': 'BIGINT',
  'call': 'VARCHAR', 'object_kind': 'VARCHAR', 'object': 'VARCHAR', 'object_name': 'VARCHAR', 'cgroup': 'VARCHAR',
  'container': 'VARCHAR', 'container_id': 'VARCHAR'});
