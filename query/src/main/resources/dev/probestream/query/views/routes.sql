-- Requests by route: number, latency, parts of their time.
--
-- The query string is removed; parts of the path that name one thing of many (numbers, UUIDs, codes) are ":id". Times are means
-- of requests that ended; NULL if the probes were not recorded.
--
-- Columns:
--   side            SERVER or CLIENT
--   route           method and route, or the operation of a database: "SELECT users"
--   requests        how many
--   failed          of them with a status of 500 or above, an error of gRPC's server, or aborted
--   p50_ms          median duration
--   p99_ms          99th percentile
--   max_ms          the slowest
--   total_ms        total duration
--   javascript_ms   the loop's thread ran in its context
--   gc_ms           the garbage collector stopped that thread
--   off_cpu_ms      that thread was off the CPU
--   loop_wait_ms    waiting for the loop
--   pool_queue_ms   waiting for a thread of the pool
--   pool_run_ms     running on the pool
--   network_ms      waiting for bytes
--   unattributed_ms none of these
-- Parameters:
--   limit=50  how many routes
WITH request AS (
  SELECT
    * EXCLUDE (route),
    coalesce(operation, '?') AS route
  FROM requests
)
SELECT
  side,
  route,
  count(*) AS requests,
  count(*) FILTER (is_failed_request(status, outcome, error_code)) AS failed,
  quantile_disc(duration_ns, 0.5) / 1e6 AS p50_ms,
  quantile_disc(duration_ns, 0.99) / 1e6 AS p99_ms,
  max(duration_ns) / 1e6 AS max_ms,
  sum(duration_ns) / 1e6 AS total_ms,
  avg(javascript_ns) / 1e6 AS javascript_ms,
  avg(gc_ns) / 1e6 AS gc_ms,
  avg(off_cpu_ns) / 1e6 AS off_cpu_ms,
  avg(loop_wait_ns) / 1e6 AS loop_wait_ms,
  avg(pool_queue_ns) / 1e6 AS pool_queue_ms,
  avg(pool_run_ns) / 1e6 AS pool_run_ms,
  avg(network_ns) / 1e6 AS network_ms,
  avg(unattributed_ns) / 1e6 AS unattributed_ms
FROM request
GROUP BY side, route
ORDER BY total_ms DESC NULLS LAST, side DESC, route
LIMIT CAST(getvariable('limit') AS BIGINT)
