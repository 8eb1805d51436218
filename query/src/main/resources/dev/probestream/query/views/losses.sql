-- What was lost, when, and why.
--
-- produced = delivered + lost, exactly: a recording without rows here is complete. The last losses of a capture that was cut off (its end
-- is not in the recording) may be missing; is_complete is false then.
--
-- Columns:
--   input       ordinal of the path it came from (see inputs)
--   from        the hits were lost between this time, UTC
--   to          and this time
--   probe       the probe; NULL = the kernel does not report it
--   reason      RING_FULL (the collector was too slow), TOO_MANY_OPEN_SPANS, RETURN_NOT_SEEN (a call did not return regularly),
--               RECURSION (the kernel skipped the probe within itself)
--   cpu         the CPU; NULL = the kernel does not report it
--   lost        how many hits
--   delivered   hits of this probe in the recording between the two times
--   share       lost hits of all, in per cent
--   is_complete whether the capture ended regularly
--   capture_id  which capture
-- Parameters:
--   limit=100  how many rows
WITH hit AS (
  SELECT capture_id, probe_id, cpu, mono_ns FROM events
  UNION ALL
  SELECT capture_id, probe_id, cpu, mono_ns + coalesce(duration_ns, 0) FROM spans
),
loss AS (
  SELECT row_number() OVER (ORDER BY capture_id, from_mono_ns, probe_id, cpu, reason) AS id, * FROM losses
),
arrived AS (
  SELECT l.id, count(*) AS delivered
  FROM loss l
  JOIN hit h
    ON h.capture_id = l.capture_id AND h.probe_id = l.probe_id
    AND h.mono_ns >= l.from_mono_ns AND h.mono_ns <= l.to_mono_ns
    AND (l.cpu IS NULL OR h.cpu = l.cpu)
  GROUP BY l.id
)
SELECT
  i.ordinal AS input,
  l.from_ts AS "from",
  l.to_ts AS "to",
  l.probe,
  l.reason,
  l.cpu,
  l.count AS lost,
  coalesce(a.delivered, 0) AS delivered,
  100.0 * l.count / (l.count + coalesce(a.delivered, 0)) AS share,
  c.is_complete,
  l.capture_id
FROM loss l
LEFT JOIN arrived a ON a.id = l.id
LEFT JOIN captures c ON c.capture_id = l.capture_id
LEFT JOIN inputs i ON i.capture_id = l.capture_id
ORDER BY l.from_mono_ns, l.probe, l.cpu, l.reason
LIMIT CAST(getvariable('limit') AS BIGINT)
