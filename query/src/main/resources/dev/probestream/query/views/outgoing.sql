-- What goes out, by process, peer, protocol and operation: requests sent, statements, failed connections.
--
-- Query strings are removed; parts of paths that name one thing of many are ":id". What no request is known to have ordered has
-- rows of its own, after the others, by the function that sent it. Durations are of those whose end is known. Needs the set node-http,
-- node-db or node-net.
--
-- Columns:
--   input          ordinal of the path it came from (see inputs)
--   pid            process
--   peer           the name that was looked up, or the address, with the port; "unknown" = connected before the recording
--   protocol       http, http2, websocket, postgresql, mysql, redis, tcp, unix
--   operation      method and route, or what the statement does: "SELECT users"
--   count          how many
--   per_s          how many per second of the capture
--   p50_ms         median duration
--   p99_ms         99th percentile
--   max_ms         the slowest
--   total_ms       total duration
--   failed         how many failed
--   errors         why, the most frequent first: "ECONNREFUSED 3, 42P01 1"; statuses of 500 and above count
--   waited         how many waited for a free connection
--   waited_p99_ms  99th percentile of these waits
--   received_mb    10^6 bytes received
--   sent_mb        10^6 bytes sent
--   ordered_by     the route that ordered most of them, or "no request"
--   ordered        how many of them it ordered
--   routes         how many routes ordered any; 0 = no request
--   caller         the function that sent most of them; NULL = not known
--   caller_package its package in node_modules; NULL = the application, or not known
-- Parameters:
--   limit=50  how many rows
--   peer=%    peers of which names, as of LIKE
WITH sent AS (
  SELECT
    *, parent_request_id IS NULL AS is_unordered,
    -- what no request ordered is distinguished by its function
    CASE WHEN parent_request_id IS NULL THEN coalesce(caller, '') END AS by_caller,
    CASE WHEN parent_request_id IS NULL THEN coalesce(caller_package, '') END AS by_package
  FROM outgoing_requests
  WHERE peer LIKE getvariable('peer')
),
reason AS (
  SELECT capture_id, pid, peer, protocol, operation, is_unordered, by_caller, by_package, error, count(*) AS n
  FROM sent WHERE error IS NOT NULL GROUP BY ALL
),
reasons AS (
  SELECT
    capture_id, pid, peer, protocol, operation, is_unordered, by_caller, by_package,
    array_to_string(list(error || ' ' || n ORDER BY n DESC, error), ', ') AS errors
  FROM reason GROUP BY ALL
),
orderer AS (
  SELECT capture_id, pid, peer, protocol, operation, ordered_by, count(*) AS n
  FROM sent WHERE NOT is_unordered GROUP BY ALL
),
orderers AS (
  SELECT
    capture_id, pid, peer, protocol, operation, first(ordered_by ORDER BY n DESC, ordered_by) AS ordered_by, max(n) AS ordered,
    count(*) AS routes
  FROM orderer GROUP BY ALL
),
calling AS (
  SELECT capture_id, pid, peer, protocol, operation, is_unordered, by_caller, by_package, caller, caller_package, count(*) AS n
  FROM sent WHERE caller IS NOT NULL GROUP BY ALL
),
callers AS (
  SELECT
    capture_id, pid, peer, protocol, operation, is_unordered, by_caller, by_package,
    first({'caller': caller, 'package': caller_package} ORDER BY n DESC, caller, caller_package) AS c
  FROM calling GROUP BY ALL
),
summed AS (
  SELECT
    capture_id, pid, peer, protocol, operation, is_unordered, by_caller, by_package,
    count(*) AS count,
    quantile_disc(duration_ns, 0.5) / 1e6 AS p50_ms,
    quantile_disc(duration_ns, 0.99) / 1e6 AS p99_ms,
    max(duration_ns) / 1e6 AS max_ms,
    sum(duration_ns) / 1e6 AS total_ms,
    count(error) AS failed,
    count(*) FILTER (waited_ns > 0) AS waited,
    quantile_disc(waited_ns, 0.99) FILTER (waited_ns > 0) / 1e6 AS waited_p99_ms,
    sum(received_bytes) / 1e6 AS received_mb,
    sum(sent_bytes) / 1e6 AS sent_mb
  FROM sent
  GROUP BY ALL
)
SELECT
  i.ordinal AS input,
  s.pid,
  s.peer,
  s.protocol,
  s.operation,
  s.count,
  s.count / nullif((t.to_ns - t.from_ns) / 1e9, 0) AS per_s,
  s.p50_ms,
  s.p99_ms,
  s.max_ms,
  s.total_ms,
  s.failed,
  e.errors,
  s.waited,
  s.waited_p99_ms,
  s.received_mb,
  s.sent_mb,
  CASE WHEN s.is_unordered THEN 'no request' ELSE o.ordered_by END AS ordered_by,
  CASE WHEN s.is_unordered THEN s.count ELSE o.ordered END AS ordered,
  CASE WHEN s.is_unordered THEN 0 ELSE o.routes END AS routes,
  c.c.caller AS caller,
  c.c.package AS caller_package
FROM summed s
LEFT JOIN (SELECT capture_id, min(ordinal) AS ordinal FROM inputs GROUP BY ALL) i ON i.capture_id = s.capture_id
LEFT JOIN capture_times t ON t.capture_id = s.capture_id
LEFT JOIN reasons e
  ON e.capture_id = s.capture_id AND e.pid = s.pid AND e.peer = s.peer AND e.protocol = s.protocol AND e.operation = s.operation
  AND e.is_unordered = s.is_unordered AND e.by_caller IS NOT DISTINCT FROM s.by_caller
  AND e.by_package IS NOT DISTINCT FROM s.by_package
LEFT JOIN orderers o
  ON o.capture_id = s.capture_id AND o.pid = s.pid AND o.peer = s.peer AND o.protocol = s.protocol AND o.operation = s.operation
  AND NOT s.is_unordered
LEFT JOIN callers c
  ON c.capture_id = s.capture_id AND c.pid = s.pid AND c.peer = s.peer AND c.protocol = s.protocol AND c.operation = s.operation
  AND c.is_unordered = s.is_unordered AND c.by_caller IS NOT DISTINCT FROM s.by_caller
  AND c.by_package IS NOT DISTINCT FROM s.by_package
ORDER BY s.is_unordered, s.total_ms DESC NULLS LAST, s.count DESC, s.peer, s.operation, s.by_caller
LIMIT CAST(getvariable('limit') AS BIGINT)
