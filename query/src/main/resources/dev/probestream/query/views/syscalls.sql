-- System calls, all of them.
--
-- From the sums of the set syscalls (table hit_summaries), which count every call; with syscalls:all, and in older recordings, from the
-- spans of the calls. Calls within gaps (query gaps) are not counted.
--
-- Columns:
--   syscall     which system call
--   calls       how often
--   about_calls with those that gaps of the budget hid, estimated; the same as calls where there were no gaps
--   failed      of calls, how many returned an error (EAGAIN and EINTR are none)
--   total_ms    total time, waiting included
--   mean_us     mean duration
--   p50_us      half of them took no longer; up to twice the true value
--   p99_us      99 % of them took no longer; up to twice the true value
--   max_ms      the longest
--   threads     on how many threads
--   on_loop_ms  total time on the threads of event loops
-- Parameters:
--   limit=50  how many rows
--   tid=0     this thread only; 0 = all threads
WITH loop_thread AS (
  SELECT DISTINCT capture_id, tid FROM spans
  WHERE (probe = 'poll' AND category = 'node-loop') OR (probe = 'event wait' AND category = 'node-turns')
),
call AS (
  SELECT t.*, l.tid IS NOT NULL AS is_on_loop
  FROM hit_totals t
  LEFT JOIN loop_thread l ON l.capture_id = t.capture_id AND l.tid = t.tid
  WHERE t.category = 'syscalls' AND (getvariable('tid') = 0 OR t.tid = getvariable('tid'))
),
calls_of AS (
  SELECT
    probe, sum(hits) AS calls, sum(about_hits) AS about_calls, sum(failed) AS failed, sum(total_ns) AS total_ns,
    max(max_ns) AS max_ns, count(DISTINCT (capture_id, tid)) AS threads,
    coalesce(sum(total_ns) FILTER (is_on_loop), 0) AS on_loop_ns,
    [sum_at(durations, 1), sum_at(durations, 2), sum_at(durations, 3), sum_at(durations, 4), sum_at(durations, 5), sum_at(durations, 6),
      sum_at(durations, 7), sum_at(durations, 8), sum_at(durations, 9), sum_at(durations, 10), sum_at(durations, 11), sum_at(durations, 12),
      sum_at(durations, 13), sum_at(durations, 14), sum_at(durations, 15), sum_at(durations, 16), sum_at(durations, 17), sum_at(durations, 18),
      sum_at(durations, 19), sum_at(durations, 20), sum_at(durations, 21), sum_at(durations, 22), sum_at(durations, 23), sum_at(durations, 24)] AS durations
  FROM call
  GROUP BY probe
)
SELECT
  probe AS syscall,
  CAST(calls AS BIGINT) AS calls,
  CAST(round(about_calls) AS BIGINT) AS about_calls,
  CAST(failed AS BIGINT) AS failed,
  total_ns / 1e6 AS total_ms,
  total_ns / calls / 1e3 AS mean_us,
  duration_quantile(durations, 0.5) / 1e3 AS p50_us,
  duration_quantile(durations, 0.99) / 1e3 AS p99_us,
  max_ns / 1e6 AS max_ms,
  threads,
  on_loop_ns / 1e6 AS on_loop_ms
FROM calls_of
ORDER BY calls DESC, syscall
LIMIT CAST(getvariable('limit') AS BIGINT)
