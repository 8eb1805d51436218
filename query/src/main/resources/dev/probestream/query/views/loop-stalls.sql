-- The longest turns of event loops, and what ran in them.
--
-- A turn lasts from the end of waiting in one poll to the next poll; meanwhile the loop can run nothing else. The result shows
-- what ran in three ways, as far as it was recorded: the innermost spans with their own time, the functions in CPU
-- samples, and synchronous file system calls. Needs the set node-turns or node-loop.
--
-- Columns:
--   input        ordinal of the path it came from (see inputs)
--   start        start of the turn, UTC
--   busy_ms      its duration; of a turn that had not ended, until the end of the capture
--   pid          process
--   tid          thread of the loop
--   spans        the innermost spans with their own time, the longest first
--   functions    the functions with the most CPU samples, with their share
--   sync_calls   synchronous file system calls: number, time, the path that took longest
--   gc_ms        pauses of the garbage collector within
--   off_cpu_ms   the thread was not on a CPU (set sched)
--   requests     requests (method and URL) with events in it, at most 3
--   is_over      false if the turn had not ended at the end of the capture
--   capture_id   with start_ns: identifies the turn
--   start_ns     its start as mono_ns
-- Parameters:
--   limit=20  how many
--   ms=10     the shortest turn to be shown, in milliseconds
WITH turn AS (
  SELECT
    t.capture_id, t.sequence, t.pid, t.tid, t.from_ns, t.to_ns, t.is_over, c.ts, c.mono_ns AS capture_ns
  FROM loop_turns t
  JOIN captures c ON c.capture_id = t.capture_id
  WHERE t.busy_ns >= getvariable('ms') * 1e6
  ORDER BY t.busy_ns DESC, t.from_ns
  LIMIT CAST(getvariable('limit') AS BIGINT)
),
own AS (
  SELECT t.capture_id, t.sequence, p.probe, sum(least(g.next_ns, t.to_ns) - greatest(g.at_ns, t.from_ns)) AS own_ns
  FROM turn t
  JOIN span_segments g
    ON g.capture_id = t.capture_id AND g.tid = t.tid AND g.at_ns < t.to_ns AND g.next_ns > t.from_ns
  JOIN spans p ON p.capture_id = g.capture_id AND p.sequence = g.span_sequence
  GROUP BY ALL
),
spans_of AS (
  SELECT
    capture_id, sequence,
    array_to_string(list(probe || ' ' || round(own_ns / 1e6, 1) || ' ms' ORDER BY own_ns DESC, probe)[1:5], ', ') AS spans
  FROM own
  WHERE own_ns > 0
  GROUP BY ALL
),
sampled AS (
  SELECT t.capture_id, t.sequence, function_text(s.function, s.file, s.line) AS function, count(*) AS samples
  FROM turn t
  JOIN cpu_samples s ON s.capture_id = t.capture_id AND s.tid = t.tid AND s.mono_ns >= t.from_ns AND s.mono_ns < t.to_ns
  WHERE s.function IS NOT NULL
  GROUP BY ALL
),
functions_of AS (
  SELECT
    capture_id, sequence,
    array_to_string(
      list_transform(
        list({f: function, n: samples} ORDER BY samples DESC, function)[1:3],
        x -> x.f || ' ' || CAST(round(100 * x.n / sum(samples)) AS INTEGER) || ' %'), ', ') AS functions
  FROM sampled
  GROUP BY ALL
),
sync_of AS (
  SELECT
    t.capture_id, t.sequence,
    count(*) || ' in ' || round(sum(f.total_ns) / 1e6, 1) || ' ms'
      || coalesce(', ' || arg_max(f.operation || ' ' || f.path, f.total_ns), '') AS sync_calls
  FROM turn t
  JOIN fs_calls f
    ON f.capture_id = t.capture_id AND f.tid = t.tid AND f.is_sync AND f.from_ns >= t.from_ns AND f.from_ns < t.to_ns
  GROUP BY ALL
),
gc_of AS (
  SELECT t.capture_id, t.sequence, sum(g.duration_ns) AS gc_ns
  FROM turn t
  JOIN gc_pauses g ON g.capture_id = t.capture_id AND g.tid = t.tid AND g.from_ns >= t.from_ns AND g.from_ns < t.to_ns
  GROUP BY ALL
),
off_of AS (
  SELECT t.capture_id, t.sequence, sum(least(w.to_ns, t.to_ns) - greatest(w.from_ns, t.from_ns)) AS off_ns
  FROM turn t
  JOIN cpu_waits w ON w.capture_id = t.capture_id AND w.tid = t.tid AND w.from_ns < t.to_ns AND w.to_ns > t.from_ns
  GROUP BY ALL
),
request_of AS (
  SELECT t.capture_id, t.sequence, list(DISTINCT coalesce(r.method, '?') || ' ' || coalesce(r.url, '?')) AS requests
  FROM turn t
  JOIN (
    SELECT capture_id, tid, sequence, mono_ns FROM events
    UNION ALL
    SELECT capture_id, tid, sequence, mono_ns FROM spans) e
    ON e.capture_id = t.capture_id AND e.tid = t.tid AND e.mono_ns >= t.from_ns AND e.mono_ns < t.to_ns
  JOIN request_events q ON q.capture_id = e.capture_id AND q.sequence = e.sequence
  JOIN requests r ON r.capture_id = q.capture_id AND r.request_id = q.request_id
  WHERE r.side = 'SERVER'
  GROUP BY ALL
)
SELECT
  i.ordinal AS input,
  t.ts + to_microseconds((t.from_ns - t.capture_ns) // 1000) AS start,
  (t.to_ns - t.from_ns) / 1e6 AS busy_ms,
  t.pid,
  t.tid,
  spans_of.spans,
  functions_of.functions,
  sync_of.sync_calls,
  gc_of.gc_ns / 1e6 AS gc_ms,
  off_of.off_ns / 1e6 AS off_cpu_ms,
  array_to_string(list_sort(request_of.requests)[1:3], ', ') AS requests,
  t.is_over,
  t.capture_id,
  t.from_ns AS start_ns
FROM turn t
LEFT JOIN spans_of USING (capture_id, sequence)
LEFT JOIN functions_of USING (capture_id, sequence)
LEFT JOIN sync_of USING (capture_id, sequence)
LEFT JOIN gc_of USING (capture_id, sequence)
LEFT JOIN off_of USING (capture_id, sequence)
LEFT JOIN request_of USING (capture_id, sequence)
LEFT JOIN inputs i USING (capture_id)
ORDER BY busy_ms DESC, start_ns
