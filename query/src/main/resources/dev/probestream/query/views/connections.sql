-- Connections, by peer.
--
-- Includes those that were open when the capture began: which side opened them is known if a socket listened at their address.
-- Needs the set node-net or node-http.
--
-- Columns:
--   pid          process
--   direction    out: the program connects; in: it accepts; NULL = not known, open when the capture began
--   peer         out: the address it connects to; in: its own address that clients connect to; without a direction: the
--                other end; NULL = not known, which may be several peers
--   opened       how many were attempted or accepted in the capture
--   older        how many were open when it began
--   failed       of the opened ones not established
--   errors       why, the most frequent first
--   closed       of both closed by the program
--   still_open   neither failed nor closed when the capture ended
--   max_open     the most open at the same time
--   connect_p99_ms  99th percentile of the time to connect (out)
--   received_mb  10^6 bytes received
--   sent_mb      10^6 bytes sent
--   max_age_ms   the longest lifetime of the opened ones, until the close or the capture's end
-- Parameters:
--   limit=50  how many rows
WITH known AS (
  SELECT
    k.*, c.end_mono_ns,
    CASE k.direction WHEN 'in' THEN k.local ELSE k.remote END AS peer,
    coalesce(k.from_ns, c.mono_ns) AS since_ns,
    is_failure(k.result) AS is_failed
  FROM connections k
  JOIN captures c ON c.capture_id = k.capture_id
),
step AS (
  SELECT capture_id, pid, direction, peer, since_ns AS at_ns, 1 AS step FROM known WHERE NOT is_failed
  UNION ALL
  SELECT capture_id, pid, direction, peer, closed_ns, -1 FROM known WHERE NOT is_failed AND closed_ns IS NOT NULL
),
open AS (
  SELECT
    capture_id, pid, direction, peer,
    sum(step) OVER (PARTITION BY capture_id, pid, direction, peer ORDER BY at_ns, step ROWS UNBOUNDED PRECEDING) AS n
  FROM step
),
most AS (
  SELECT capture_id, pid, direction, peer, max(n) AS max_open FROM open GROUP BY ALL
),
reason AS (
  SELECT capture_id, pid, direction, peer, errno_name(result) AS error, count(*) AS n
  FROM known WHERE is_failed GROUP BY ALL
),
reasons AS (
  SELECT
    capture_id, pid, direction, peer, array_to_string(list(error || ' ' || n ORDER BY n DESC, error), ', ') AS errors
  FROM reason GROUP BY ALL
)
SELECT
  k.pid,
  k.direction,
  k.peer,
  count(*) FILTER (NOT k.is_older) AS opened,
  count(*) FILTER (k.is_older) AS older,
  count(*) FILTER (k.is_failed) AS failed,
  any_value(e.errors) AS errors,
  count(*) FILTER (k.closed_ns IS NOT NULL AND NOT k.is_failed) AS closed,
  count(*) FILTER (k.closed_ns IS NULL AND NOT k.is_failed) AS still_open,
  CAST(coalesce(any_value(m.max_open), 0) AS BIGINT) AS max_open,
  quantile_disc(k.connected_ns - k.from_ns, 0.99) FILTER (k.direction = 'out' AND NOT k.is_failed) / 1e6 AS connect_p99_ms,
  sum(b.received_bytes) / 1e6 AS received_mb,
  sum(b.sent_bytes) / 1e6 AS sent_mb,
  max(coalesce(k.closed_ns, k.end_mono_ns) - k.from_ns) FILTER (NOT k.is_failed) / 1e6 AS max_age_ms
FROM known k
LEFT JOIN connection_bytes b ON b.capture_id = k.capture_id AND b.sequence = k.sequence
LEFT JOIN most m
  ON m.capture_id = k.capture_id AND m.pid = k.pid AND m.direction IS NOT DISTINCT FROM k.direction AND m.peer IS NOT DISTINCT FROM k.peer
LEFT JOIN reasons e
  ON e.capture_id = k.capture_id AND e.pid = k.pid AND e.direction IS NOT DISTINCT FROM k.direction AND e.peer IS NOT DISTINCT FROM k.peer
GROUP BY k.capture_id, k.pid, k.direction, k.peer
ORDER BY opened DESC, older DESC, k.pid, k.direction, k.peer
LIMIT CAST(getvariable('limit') AS BIGINT)
