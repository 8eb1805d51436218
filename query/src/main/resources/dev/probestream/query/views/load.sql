-- Load, second by second.
--
-- What started in each second of the capture; seconds without events are left out.
--
-- Columns:
--   input          ordinal of the path it came from (see inputs)
--   start          start of the second, UTC; seconds count from the capture's start
--   length_s       length of the row: the last of a capture may be shorter
--   requests       requests of the server that started
--   errors         of them with a status of 500 or above, or aborted
--   p50_ms         median duration
--   p99_ms         99th percentile
--   client_requests  requests that the program sent
--   loop_max_ms    the longest turn of an event loop
--   gc_ms          total pauses of the garbage collector
--   pool_wait_max_ms  the longest wait for a thread of the pool
--   connections    accepted and opened
--   cpu_ms         CPU time of all traced threads (sets sched:all, offcpu)
--   events         all recorded events
--   lost           hits that were lost (a loss counts in the second in which it was detected)
-- Parameters:
--   seconds=1   the length of a row
--   limit=3600  how many rows
WITH hit AS (
  SELECT capture_id, mono_ns FROM events
  UNION ALL
  SELECT capture_id, mono_ns FROM spans
),
span_of AS (
  SELECT
    c.capture_id, c.ts, c.mono_ns AS base_ns, CAST(round(getvariable('seconds') * 1e9) AS BIGINT) AS step_ns,
    greatest(c.end_mono_ns, l.last_ns) AS end_ns
  FROM captures c
  LEFT JOIN (SELECT capture_id, max(mono_ns) AS last_ns FROM hit GROUP BY capture_id) l ON l.capture_id = c.capture_id
),
hits AS (
  SELECT s.capture_id, (h.mono_ns - s.base_ns) // s.step_ns AS n, count(*) AS events
  FROM hit h JOIN span_of s ON s.capture_id = h.capture_id GROUP BY ALL
),
asked AS (
  SELECT
    s.capture_id, (r.mono_ns - s.base_ns) // s.step_ns AS n,
    count(*) FILTER (r.side = 'SERVER') AS requests,
    count(*) FILTER (r.side = 'SERVER' AND is_failed_request(r.status, r.outcome, r.error_code)) AS errors,
    quantile_disc(r.duration_ns, 0.5) FILTER (r.side = 'SERVER') / 1e6 AS p50_ms,
    quantile_disc(r.duration_ns, 0.99) FILTER (r.side = 'SERVER') / 1e6 AS p99_ms,
    count(*) FILTER (r.side = 'CLIENT') AS client_requests
  FROM requests r JOIN span_of s ON s.capture_id = r.capture_id GROUP BY ALL
),
turns AS (
  SELECT s.capture_id, (t.from_ns - s.base_ns) // s.step_ns AS n, max(t.busy_ns) / 1e6 AS loop_max_ms
  FROM loop_turns t JOIN span_of s ON s.capture_id = t.capture_id GROUP BY ALL
),
pauses AS (
  SELECT s.capture_id, (g.from_ns - s.base_ns) // s.step_ns AS n, sum(g.duration_ns) / 1e6 AS gc_ms
  FROM gc_pauses g JOIN span_of s ON s.capture_id = g.capture_id GROUP BY ALL
),
waits AS (
  SELECT s.capture_id, (w.queued_ns - s.base_ns) // s.step_ns AS n, max(w.started_ns - w.queued_ns) / 1e6 AS pool_wait_max_ms
  FROM pool_work w JOIN span_of s ON s.capture_id = w.capture_id GROUP BY ALL
),
connected AS (
  SELECT s.capture_id, (k.from_ns - s.base_ns) // s.step_ns AS n, count(*) AS connections
  FROM connections k JOIN span_of s ON s.capture_id = k.capture_id WHERE NOT k.is_older GROUP BY ALL
),
ran AS (
  -- a slice of a CPU counts in each row as far as it lies in it
  SELECT
    capture_id, n,
    sum(least(to_ns, base_ns + (n + 1) * step_ns) - greatest(from_ns, base_ns + n * step_ns)) / 1e6 AS cpu_ms
  FROM (
    SELECT
      s.capture_id, s.base_ns, s.step_ns, c.from_ns, c.to_ns,
      unnest(range((c.from_ns - s.base_ns) // s.step_ns, (c.to_ns - 1 - s.base_ns) // s.step_ns + 1)) AS n
    FROM cpu_slices c JOIN span_of s ON s.capture_id = c.capture_id
    WHERE c.to_ns > c.from_ns)
  GROUP BY ALL
),
missed AS (
  SELECT s.capture_id, (l.to_mono_ns - s.base_ns) // s.step_ns AS n, sum(l.count) AS lost
  FROM losses l JOIN span_of s ON s.capture_id = l.capture_id GROUP BY ALL
),
row_of AS (
  SELECT capture_id, n FROM hits
  UNION
  SELECT capture_id, n FROM asked
  UNION
  SELECT capture_id, n FROM missed
)
SELECT
  i.ordinal AS input,
  s.ts + to_microseconds(r.n * s.step_ns // 1000) AS start,
  greatest(least(s.step_ns, s.end_ns - s.base_ns - r.n * s.step_ns), 0) / 1e9 AS length_s,
  coalesce(a.requests, 0) AS requests,
  coalesce(a.errors, 0) AS errors,
  a.p50_ms,
  a.p99_ms,
  coalesce(a.client_requests, 0) AS client_requests,
  t.loop_max_ms,
  g.gc_ms,
  w.pool_wait_max_ms,
  coalesce(k.connections, 0) AS connections,
  c.cpu_ms,
  coalesce(h.events, 0) AS events,
  CAST(coalesce(m.lost, 0) AS BIGINT) AS lost
FROM row_of r
JOIN span_of s ON s.capture_id = r.capture_id
LEFT JOIN hits h ON h.capture_id = r.capture_id AND h.n = r.n
LEFT JOIN asked a ON a.capture_id = r.capture_id AND a.n = r.n
LEFT JOIN turns t ON t.capture_id = r.capture_id AND t.n = r.n
LEFT JOIN pauses g ON g.capture_id = r.capture_id AND g.n = r.n
LEFT JOIN waits w ON w.capture_id = r.capture_id AND w.n = r.n
LEFT JOIN connected k ON k.capture_id = r.capture_id AND k.n = r.n
LEFT JOIN ran c ON c.capture_id = r.capture_id AND c.n = r.n
LEFT JOIN missed m ON m.capture_id = r.capture_id AND m.n = r.n
LEFT JOIN inputs i ON i.capture_id = r.capture_id
ORDER BY input, r.capture_id, r.n
LIMIT CAST(getvariable('limit') AS BIGINT)
