-- The longest pauses of V8's garbage collector.
--
-- Needs the set node-gc.
--
-- Columns:
--   start        start of the pause, UTC
--   duration_ms  how long the thread's JavaScript was stopped
--   collector    scavenge (young objects), mark-compact (all) ...
--   reason       the reason, as V8 names it
--   heap_mb      heap in use afterwards, in 10^6 bytes
--   request      the request in whose context it happened
--   pid          process
--   tid          thread
--   capture_id   which capture
-- Parameters:
--   limit=20  how many
WITH heap AS (
  SELECT capture_id, tid, mono_ns, heap_used
  FROM named_events
  WHERE probe = 'V8 heap' AND heap_used IS NOT NULL
),
pause AS (
  SELECT *
  FROM gc_pauses
  ORDER BY duration_ns DESC NULLS LAST, from_ns
  LIMIT CAST(getvariable('limit') AS BIGINT)
),
measured AS (
  -- V8 measures within the pause, at its end
  SELECT g.capture_id, g.sequence, arg_max(h.heap_used, h.mono_ns) AS heap_used
  FROM pause g
  JOIN heap h
    ON h.capture_id = g.capture_id AND h.tid = g.tid AND h.mono_ns >= g.from_ns AND h.mono_ns <= g.from_ns + g.duration_ns
  GROUP BY ALL
)
SELECT
  c.ts + to_microseconds((g.from_ns - c.mono_ns) // 1000) AS start,
  g.duration_ns / 1e6 AS duration_ms,
  g.collector,
  g.reason,
  m.heap_used / 1e6 AS heap_mb,
  r.method || ' ' || r.url AS request,
  g.pid,
  g.tid,
  g.capture_id
FROM pause g
JOIN captures c ON c.capture_id = g.capture_id
LEFT JOIN measured m ON m.capture_id = g.capture_id AND m.sequence = g.sequence
LEFT JOIN request_events q ON q.capture_id = g.capture_id AND q.sequence = g.sequence
LEFT JOIN requests r ON r.capture_id = q.capture_id AND r.request_id = q.request_id
ORDER BY duration_ms DESC NULLS LAST, start
