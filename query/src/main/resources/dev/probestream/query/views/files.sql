-- Operations on files, by path.
--
-- A synchronous call blocks the event loop until it returns. An asynchronous one waits for a thread of the pool, runs there,
-- and waits for the loop until its callback. Reads, writes and closes count for the path that was last opened with their
-- descriptor; it is NULL if that was before the capture. Needs the set node-fs.
--
-- Columns:
--   path         as the program gave it
--   calls        how many
--   sync_calls   of them synchronous
--   errors       of them failed
--   operations   the operations and their counts, the most frequent first
--   total_ms     total time from calls to their results
--   sync_ms      of it in synchronous calls, which block the loop
--   queue_ms     of it waiting for a thread of the pool
--   p50_ms       median time of a call
--   p99_ms       99th percentile
--   max_ms       the longest
-- Parameters:
--   limit=50  how many paths
--   like=%    an SQL LIKE pattern of paths
WITH call AS (
  FROM fs_calls WHERE coalesce(path, '') LIKE getvariable('like')
),
operation AS (
  SELECT path, operation, count(*) AS calls FROM call GROUP BY ALL
),
operations AS (
  SELECT path, array_to_string(list(operation || ' ' || calls ORDER BY calls DESC, operation), ', ') AS operations
  FROM operation
  GROUP BY ALL
)
SELECT
  c.path,
  count(*) AS calls,
  count(*) FILTER (c.is_sync) AS sync_calls,
  count(*) FILTER (is_failure(c.result)) AS errors,
  any_value(o.operations) AS operations,
  sum(c.total_ns) / 1e6 AS total_ms,
  coalesce(sum(c.total_ns) FILTER (c.is_sync), 0) / 1e6 AS sync_ms,
  sum(c.queue_ns) / 1e6 AS queue_ms,
  quantile_disc(c.total_ns, 0.5) / 1e6 AS p50_ms,
  quantile_disc(c.total_ns, 0.99) / 1e6 AS p99_ms,
  max(c.total_ns) / 1e6 AS max_ms
FROM call c
LEFT JOIN operations o ON o.path IS NOT DISTINCT FROM c.path
GROUP BY c.path
ORDER BY total_ms DESC NULLS LAST, c.path
LIMIT CAST(getvariable('limit') AS BIGINT)
