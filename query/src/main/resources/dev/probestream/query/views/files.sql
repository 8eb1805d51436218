-- Operations on files, by path.
--
-- A synchronous call keeps the event loop for as long as it lasts. An asynchronous one waits for a thread of the pool, is worked
-- on, and waits for the loop until its callback. Reads, writes and closes count for the path that was opened last under their
-- descriptor; it is NULL when that was before the capture. Needs the set node-fs.
--
-- Columns:
--   path         as the program gave it
--   calls        how many
--   sync_calls   of them synchronous
--   errors       of them failed
--   operations   which, and how often, the most frequent first
--   total_ms     time from calls to their results, summed up
--   sync_ms      of it in synchronous calls: the loop stood still
--   queue_ms     of it waiting for a thread of the pool
--   p50_ms       half of the calls took at most so long
--   p99_ms       and 99 of 100
--   max_ms       the longest
-- Parameters:
--   limit=50  how many paths
--   like=%    a pattern of SQL that paths must match
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
  count(*) FILTER (c.result < 0) AS errors,
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
