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
--   threads        number of threads that ran them
--   wait_total_ms  total wait for a thread
--   wait_p99_ms    99th percentile of the wait
--   wait_max_ms    the longest wait
--   run_total_ms   total time of running
--   run_p99_ms     99th percentile of the run
--   run_max_ms     the longest run
--   loop_max_ms    the longest wait of a result for the loop
-- Parameters:
--   limit=50  how many kinds
SELECT
  pid,
  what,
  count(*) AS asked,
  count(*) FILTER (started_ns IS NULL) AS not_started,
  count(DISTINCT pool_tid) AS threads,
  sum(started_ns - queued_ns) / 1e6 AS wait_total_ms,
  quantile_disc(started_ns - queued_ns, 0.99) / 1e6 AS wait_p99_ms,
  max(started_ns - queued_ns) / 1e6 AS wait_max_ms,
  sum(ended_ns - started_ns) / 1e6 AS run_total_ms,
  quantile_disc(ended_ns - started_ns, 0.99) / 1e6 AS run_p99_ms,
  max(ended_ns - started_ns) / 1e6 AS run_max_ms,
  max(done_ns - ended_ns) / 1e6 AS loop_max_ms
FROM pool_work
GROUP BY pid, what
ORDER BY run_total_ms DESC NULLS LAST, pid, what
LIMIT CAST(getvariable('limit') AS BIGINT)
