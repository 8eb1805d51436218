-- Time off the CPU, by thread, reason and waker.
--
-- A thread waits until it is made runnable; from then on it is ready but has no CPU. A preempted thread is ready from the
-- start. Needs the set sched (or offcpu, which adds the function that waited). With sched, short times are sums only: they are
-- rows of their own, of state "short", without a waker.
--
-- Columns:
--   pid          process
--   thread       name
--   tid          number
--   state        sleeping, uninterruptible (disk, locks of the kernel), preempted, other, short
--   waker        name of the thread that woke it; NULL = an interrupt on an idle CPU, or not seen
--   waker_tid    its number
--   waits        how many
--   total_ms     total time off the CPU
--   waiting_ms   of it waiting
--   runnable_ms  of it ready without a CPU
--   max_ms       the longest
--   waits_in     the function in which it waited longest
-- Parameters:
--   limit=50  how many rows
--   tid=0     this thread only; 0 = all threads
WITH wait AS (
  SELECT w.*, f.function, f.file, f.line
  FROM cpu_waits w
  LEFT JOIN stack_functions f ON f.capture_id = w.capture_id AND f.stack_id = w.stack_id
  WHERE w.to_ns IS NOT NULL AND (getvariable('tid') = 0 OR w.tid = getvariable('tid'))
),
-- What the sums of a thread have beyond its spans.
short AS (
  SELECT
    t.capture_id, t.pid, t.tid, sum(t.hits) - coalesce(any_value(s.waits), 0) AS waits,
    sum(t.total_ns) - coalesce(any_value(s.total_ns), 0) AS total_ns, any_value(r.total_ns) - coalesce(any_value(s.runnable_ns), 0) AS runnable_ns
  FROM hit_totals t
  LEFT JOIN (
    SELECT
      capture_id, tid, count(*) AS waits, sum(to_ns - from_ns) AS total_ns,
      sum(to_ns - coalesce(woken_ns, to_ns)) AS runnable_ns
    FROM cpu_waits WHERE to_ns IS NOT NULL GROUP BY ALL) s ON s.capture_id = t.capture_id AND s.tid = t.tid
  LEFT JOIN (
    SELECT capture_id, tid, sum(total_ns) AS total_ns FROM hit_totals
    WHERE probe = 'run delay' AND category = 'sched' AND is_summed GROUP BY ALL) r ON r.capture_id = t.capture_id AND r.tid = t.tid
  WHERE t.probe = 'off CPU' AND t.category = 'sched' AND t.is_summed AND getvariable('tid') IN (0, t.tid)
  GROUP BY t.capture_id, t.pid, t.tid
  HAVING waits > 0
),
-- If a tid was reused, the last name is shown.
name AS (
  SELECT capture_id, tid, arg_max(name, coalesce(start_mono_ns, -1)) AS name FROM threads GROUP BY ALL
)
SELECT
  w.pid,
  coalesce(any_value(n.name), any_value(w.comm)) AS thread,
  w.tid,
  w.state,
  any_value(k.name) AS waker,
  w.waker_tid,
  count(*) AS waits,
  sum(w.to_ns - w.from_ns) / 1e6 AS total_ms,
  sum(coalesce(w.woken_ns, w.to_ns) - w.from_ns) / 1e6 AS waiting_ms,
  sum(w.to_ns - coalesce(w.woken_ns, w.to_ns)) / 1e6 AS runnable_ms,
  max(w.to_ns - w.from_ns) / 1e6 AS max_ms,
  arg_max(function_text(w.function, w.file, w.line), w.to_ns - w.from_ns) AS waits_in
FROM wait w
LEFT JOIN name n ON n.capture_id = w.capture_id AND n.tid = w.tid
LEFT JOIN name k ON k.capture_id = w.capture_id AND k.tid = w.waker_tid
GROUP BY w.capture_id, w.pid, w.tid, w.state, w.waker_tid
UNION ALL
SELECT
  h.pid, any_value(n.name), h.tid, 'short', NULL, NULL, CAST(sum(h.waits) AS BIGINT), sum(h.total_ns) / 1e6,
  sum(h.total_ns - coalesce(h.runnable_ns, 0)) / 1e6, sum(h.runnable_ns) / 1e6, NULL, NULL
FROM short h
LEFT JOIN name n ON n.capture_id = h.capture_id AND n.tid = h.tid
GROUP BY h.capture_id, h.pid, h.tid
ORDER BY total_ms DESC, pid, tid, state, waker_tid
LIMIT CAST(getvariable('limit') AS BIGINT)
