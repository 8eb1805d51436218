-- The work that waited longest for a thread of the pool, and the work that occupied the threads meanwhile.
--
-- Needs the set node-pool (or node-fs, node-dns for their own work).
--
-- Columns:
--   start        when it was queued, UTC
--   wait_ms      until a thread took it; if none did, until the capture ended
--   what         fs open, DNS lookup, crypto ...
--   target       path or host, if there is one
--   held_by      the work on the pool meanwhile, with its time during the wait
--   busy_threads number of these threads
--   request      the request in whose context it ran
--   pid          process
--   capture_id   which capture
-- Parameters:
--   limit=20  how many
--   ms=1      the shortest wait to be shown, in milliseconds
WITH wait AS (
  SELECT
    w.capture_id, w.sequence, w.pid, w.what, coalesce(w.path, w.host) AS target, w.queued_ns,
    coalesce(w.started_ns, c.end_mono_ns) AS to_ns, c.ts + to_microseconds((w.queued_ns - c.mono_ns) // 1000) AS start
  FROM pool_work w
  JOIN captures c ON c.capture_id = w.capture_id
  WHERE coalesce(w.started_ns, c.end_mono_ns) - w.queued_ns >= getvariable('ms') * 1e6
  ORDER BY coalesce(w.started_ns, c.end_mono_ns) - w.queued_ns DESC, w.queued_ns, w.sequence
  LIMIT CAST(getvariable('limit') AS BIGINT)
),
held AS (
  SELECT
    w.capture_id, w.sequence, h.what, h.pool_tid,
    least(coalesce(h.ended_ns, w.to_ns), w.to_ns) - greatest(h.started_ns, w.queued_ns) AS held_ns
  FROM wait w
  JOIN pool_work h
    ON h.capture_id = w.capture_id AND h.pid = w.pid AND h.sequence <> w.sequence
    AND h.started_ns < w.to_ns AND coalesce(h.ended_ns, w.to_ns) > w.queued_ns
),
holder AS (
  SELECT capture_id, sequence, what, count(*) AS works, sum(held_ns) AS held_ns
  FROM held
  GROUP BY ALL
),
holders AS (
  SELECT
    capture_id, sequence,
    array_to_string(
      list(works || ' x ' || what || ' ' || round(held_ns / 1e6, 1) || ' ms' ORDER BY held_ns DESC, what)[1:5], ', ') AS held_by
  FROM holder
  GROUP BY ALL
),
threads_of AS (
  SELECT capture_id, sequence, count(DISTINCT pool_tid) AS busy_threads FROM held GROUP BY ALL
)
SELECT
  w.start,
  (w.to_ns - w.queued_ns) / 1e6 AS wait_ms,
  w.what,
  w.target,
  h.held_by,
  coalesce(t.busy_threads, 0) AS busy_threads,
  r.method || ' ' || r.url AS request,
  w.pid,
  w.capture_id
FROM wait w
LEFT JOIN holders h USING (capture_id, sequence)
LEFT JOIN threads_of t USING (capture_id, sequence)
LEFT JOIN request_events q ON q.capture_id = w.capture_id AND q.sequence = w.sequence
LEFT JOIN requests r ON r.capture_id = q.capture_id AND r.request_id = q.request_id
ORDER BY wait_ms DESC, w.start, w.sequence
