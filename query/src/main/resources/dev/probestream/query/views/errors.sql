-- Failed calls, by error and call.
--
-- System calls, calls of libuv and work of the pool that returned a negative errno. Left out are those that are no failures: EAGAIN
-- (nothing to read, or no room to write yet), EINTR and restarts (a signal), EALREADY and EINPROGRESS (a connection is being
-- established), EEXIST (mkdir -p, O_EXCL), ENOTTY (the question whether a file is a terminal).
--
-- Columns:
--   error     ENOENT, ECONNREFUSED ...
--   tried     the call or the work
--   category  the set it was recorded by
--   count     how often
--   first     time of the first, UTC
--   last      time of the last, UTC
--   example   path, host or address of the last one that has one
--   requests  in how many requests it happened
-- Parameters:
--   limit=50  how many rows
--   hide=     errors to leave out instead of those that are no failures, separated by commas
WITH failed AS (
  SELECT
    s.capture_id, s.sequence, s.ts, s.probe, s.category, s.mono_ns,
    CASE WHEN s.return_value < 0 THEN s.return_value ELSE coalesce(s.result, s.lookup_result) END AS result,
    coalesce(s.path, s.host, s.remote, CASE WHEN s.category = 'syscalls' THEN s.s0 END) AS example
  FROM named_spans s
  LEFT JOIN probes p ON p.capture_id = s.capture_id AND p.probe_id = s.probe_id
  WHERE (s.return_value < 0 AND p.return_unit = 'errno')
    OR (s.probe IN ('uv__fs_work', 'DNS lookup work', 'DNS reverse lookup work')
      AND coalesce(s.result, s.lookup_result) < 0)
  UNION ALL
  SELECT capture_id, sequence, ts, probe, category, mono_ns, result, remote
  FROM named_events
  WHERE probe = 'connected' AND result < 0
),
named AS (
  SELECT *, errno_name(result) AS error FROM failed
)
SELECT
  n.error,
  n.probe AS tried,
  n.category,
  count(*) AS count,
  min(n.ts) AS first,
  max(n.ts) AS last,
  arg_max(n.example, n.mono_ns) FILTER (n.example <> '') AS example,
  count(DISTINCT (q.capture_id, q.request_id)) FILTER (q.request_id IS NOT NULL) AS requests
FROM named n
LEFT JOIN request_events q ON q.capture_id = n.capture_id AND q.sequence = n.sequence
WHERE CASE WHEN getvariable('hide') = '' THEN is_failure(n.result)
  ELSE NOT list_contains(string_split(getvariable('hide'), ','), n.error) END
GROUP BY n.error, n.probe, n.category
ORDER BY count DESC, n.error, tried, n.category
LIMIT CAST(getvariable('limit') AS BIGINT)
