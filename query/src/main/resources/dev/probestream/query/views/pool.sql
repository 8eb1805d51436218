-- Work on the thread pool, by kind: how long it waited for a thread, and how long it ran.
--
-- The pool has four threads unless UV_THREADPOOL_SIZE is set. Waits mean that all threads were busy; pool-waits shows
-- with what. Needs the set node-pool (or node-fs, node-dns for their own work).
--
-- Columns:
--   pid            process
--   what           fs open, DNS lookup, crypto, zlib ...; "other" is an addon's
--   asked          number of queued pieces of work
--   not_started    of them still queued when the capture ended
--   running        of them running when the capture ended
--   threads        number of threads of the pool that ran anything of the process, in the capture; NULL = none did, as they were
--                  busy all the time with work that began before
--   wait_total_ms  total wait for a thread
--   wait_p99_ms    99th percentile of the wait
--   wait_max_ms    the longest wait; of those that were not started, until the capture ended
--   run_total_ms   total time of running
--   run_p99_ms     99th percentile of the run
--   run_max_ms     the longest run; of those that are running, until the capture ended
--   loop_max_ms    the longest wait of a result for the loop
-- Parameters:
--   limit=50  how many kinds
WITH pool AS (
  SELECT capture_id, pid, count(DISTINCT pool_tid) AS threads FROM pool_work GROUP BY capture_id, pid
)
SELECT
  w.pid,
  w.what,
  count(*) AS asked,
  count(*) FILTER (w.started_ns IS NULL) AS not_started,
  count(*) FILTER (w.started_ns IS NOT NULL AND w.ended_ns IS NULL) AS running,
  nullif(max(p.threads), 0) AS threads,
  sum(w.started_ns - w.queued_ns) / 1e6 AS wait_total_ms,
  quantile_disc(w.started_ns - w.queued_ns, 0.99) / 1e6 AS wait_p99_ms,
  max(coalesce(w.started_ns, c.end_mono_ns) - w.queued_ns) / 1e6 AS wait_max_ms,
  sum(w.ended_ns - w.started_ns) / 1e6 AS run_total_ms,
  quantile_disc(w.ended_ns - w.started_ns, 0.99) / 1e6 AS run_p99_ms,
  max(coalesce(w.ended_ns, c.end_mono_ns) - w.started_ns) / 1e6 AS run_max_ms,
  max(w.done_ns - w.ended_ns) / 1e6 AS loop_max_ms
FROM pool_work w
JOIN pool p ON p.capture_id = w.capture_id AND p.pid = w.pid
LEFT JOIN captures c ON c.capture_id = w.capture_id
GROUP BY w.pid, w.what
ORDER BY run_total_ms DESC NULLS LAST, w.pid, w.what
LIMIT CAST(getvariable('limit') AS BIGINT)
