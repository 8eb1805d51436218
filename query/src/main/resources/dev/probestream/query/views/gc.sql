-- Pauses of V8's garbage collector, by thread, collector and reason.
--
-- During a pause, the thread's JavaScript does not run. Needs the set node-gc.
--
-- Columns:
--   pid        process
--   tid        thread: the main one, or a worker
--   collector  scavenge (young objects), mark-compact (all) ...
--   reason     the reason, as V8 names it
--   pauses     how many
--   total_ms   total time
--   share      of the capture's time, in per cent
--   p50_ms     median pause
--   p99_ms     99th percentile
--   max_ms     the longest
--   max_start  start of the longest, UTC
-- Parameters:
--   limit=50  how many rows
WITH pause AS (
  -- within_ns: the part within the capture and after the end of earlier pauses of the thread
  SELECT
    g.*,
    least(g.from_ns + g.duration_ns, c.end_mono_ns)
      - greatest(g.from_ns, c.mono_ns, max(g.from_ns + g.duration_ns) OVER (
        PARTITION BY g.capture_id, g.tid ORDER BY g.from_ns, g.duration_ns DESC, g.sequence
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS within_ns
  FROM gc_pauses g
  JOIN captures c ON c.capture_id = g.capture_id
)
SELECT
  g.pid,
  g.tid,
  g.collector,
  g.reason,
  count(*) AS pauses,
  sum(g.duration_ns) / 1e6 AS total_ms,
  100.0 * sum(greatest(g.within_ns, 0)) / any_value(c.end_mono_ns - c.mono_ns) AS share,
  quantile_disc(g.duration_ns, 0.5) / 1e6 AS p50_ms,
  quantile_disc(g.duration_ns, 0.99) / 1e6 AS p99_ms,
  max(g.duration_ns) / 1e6 AS max_ms,
  any_value(c.ts) + to_microseconds((arg_max(g.from_ns, g.duration_ns) - any_value(c.mono_ns)) // 1000) AS max_start
FROM pause g
JOIN captures c ON c.capture_id = g.capture_id
GROUP BY g.capture_id, g.pid, g.tid, g.collector, g.reason
ORDER BY total_ms DESC NULLS LAST, g.pid, g.tid, g.collector, g.reason
LIMIT CAST(getvariable('limit') AS BIGINT)
