-- What each process used, second by second.
--
-- From the readings of the set process (docs/counters.md); the heap is that of V8 (set node-gc). A row has what was read in its
-- seconds: the last value, of the heap and the queue the highest.
--
-- Columns:
--   start        start of the row's second, UTC; seconds count from the capture's start
--   pid          process
--   user_percent  CPU time in the program, in per cent of one CPU, since the reading before
--   system_percent  in the kernel
--   delay_percent  its threads were ready and had no CPU
--   rss          bytes in memory
--   heap_after_gc  bytes that V8 used after a collection
--   threads      threads
--   descriptors  open descriptors
--   sockets      of them sockets
--   files        of them files
--   established  TCP connections that are established
--   close_wait   TCP connections that only the other end has closed
--   queued       connections in the fullest listen queue
-- Parameters:
--   seconds=1   the length of a row
--   limit=3600  how many rows
WITH step AS (
  SELECT capture_id, ts, mono_ns AS base_ns, CAST(round(getvariable('seconds') * 1e9) AS BIGINT) AS step_ns FROM captures
),
reading AS (
  SELECT
    c.capture_id, c.pid, (c.mono_ns - s.base_ns) // s.step_ns AS n,
    arg_max(c.value, c.mono_ns) FILTER (c.counter = 'cpu load' AND c.name = 'user') AS user_percent,
    arg_max(c.value, c.mono_ns) FILTER (c.counter = 'cpu load' AND c.name = 'system') AS system_percent,
    arg_max(c.value, c.mono_ns) FILTER (c.counter = 'cpu load' AND c.name = 'run_delay') AS delay_percent,
    arg_max(c.value, c.mono_ns) FILTER (c.name = 'rss') AS rss,
    arg_max(c.value, c.mono_ns) FILTER (c.name = 'threads') AS threads,
    arg_max(c.value, c.mono_ns) FILTER (c.name = 'open') AS descriptors,
    arg_max(c.value, c.mono_ns) FILTER (c.name = 'sockets') AS sockets,
    arg_max(c.value, c.mono_ns) FILTER (c.name = 'files') AS files,
    arg_max(c.value, c.mono_ns) FILTER (c.name = 'established') AS established,
    arg_max(c.value, c.mono_ns) FILTER (c.name = 'close_wait') AS close_wait,
    max(c.value) FILTER (c.name = 'queued') AS queued
  FROM process_counters c JOIN step s ON s.capture_id = c.capture_id
  GROUP BY ALL
),
heap AS (
  SELECT h.capture_id, h.pid, (h.mono_ns - s.base_ns) // s.step_ns AS n, max(h.heap_used) AS heap_after_gc
  FROM heap_after_gc h JOIN step s ON s.capture_id = h.capture_id
  GROUP BY ALL
),
row_of AS (
  SELECT capture_id, pid, n FROM reading
  UNION
  SELECT capture_id, pid, n FROM heap
)
SELECT
  s.ts + to_microseconds(r.n * s.step_ns // 1000) AS start,
  r.pid,
  v.user_percent,
  v.system_percent,
  v.delay_percent,
  v.rss,
  h.heap_after_gc,
  v.threads,
  v.descriptors,
  v.sockets,
  v.files,
  v.established,
  v.close_wait,
  v.queued
FROM row_of r
JOIN step s ON s.capture_id = r.capture_id
LEFT JOIN reading v ON v.capture_id = r.capture_id AND v.pid = r.pid AND v.n = r.n
LEFT JOIN heap h ON h.capture_id = r.capture_id AND h.pid = r.pid AND h.n = r.n
ORDER BY r.capture_id, r.n, r.pid
LIMIT CAST(getvariable('limit') AS BIGINT)
