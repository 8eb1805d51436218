-- System calls of the slowest requests.
--
-- A system call belongs to the request in whose context its thread was (docs/requests.md); those without a request are
-- left out. Needs the sets syscalls and node-http.
--
-- Columns:
--   duration_ms  duration of the request
--   method       GET, POST ...
--   url          as recorded
--   syscall      which system call
--   calls        how often
--   errors       of them failed
--   total_ms     total time
--   max_ms       the longest
--   capture_id   with request_id: identifies the request
--   request_id   to look up in request_events
-- Parameters:
--   limit=10    how many requests
--   side=SERVER SERVER, CLIENT, or all
WITH slow AS (
  SELECT capture_id, request_id, method, url, duration_ns, mono_ns
  FROM requests
  WHERE getvariable('side') IN ('all', side)
  ORDER BY duration_ns DESC NULLS LAST, mono_ns
  LIMIT CAST(getvariable('limit') AS BIGINT)
)
SELECT
  r.duration_ns / 1e6 AS duration_ms,
  r.method,
  r.url,
  s.probe AS syscall,
  count(*) AS calls,
  count(*) FILTER (is_failure(s.return_value)) AS errors,
  sum(s.duration_ns) / 1e6 AS total_ms,
  max(s.duration_ns) / 1e6 AS max_ms,
  r.capture_id,
  r.request_id
FROM slow r
JOIN request_events q ON q.capture_id = r.capture_id AND q.request_id = r.request_id
JOIN spans s ON s.capture_id = q.capture_id AND s.sequence = q.sequence
WHERE s.category = 'syscalls'
GROUP BY ALL
ORDER BY duration_ms DESC NULLS LAST, r.capture_id, r.request_id, total_ms DESC NULLS LAST, syscall
