-- When probes were not watched, by set.
--
-- What happened in these times is not in the recording: no events, and no losses either. BUDGET: the probes of the set would have cost
-- more than --budget allows. HIT_RATE: without --budget, a set would have cost more than the processes need for themselves.
--
-- Columns:
--   input       ordinal of the path it came from (see inputs)
--   category    the set
--   probe       the probe; NULL = all of the set
--   reason      BUDGET, HIT_RATE
--   gaps        how many
--   total_ms    how long all together
--   share       of the time of the capture, in per cent
--   longest_ms  the longest
--   first       start of the first, UTC
--   last        end of the last, UTC
--   capture_id  which capture
-- Parameters:
--   limit=100  how many rows
WITH bound AS (
  SELECT DISTINCT capture_id, end_ns - start_ns AS took_ns FROM gap_intervals
)
SELECT
  i.ordinal AS input,
  g.category,
  g.probe,
  g.reason,
  count(*) AS gaps,
  sum(g.to_mono_ns - g.from_mono_ns) / 1e6 AS total_ms,
  100.0 * sum(g.to_mono_ns - g.from_mono_ns) / any_value(b.took_ns) AS share,
  max(g.to_mono_ns - g.from_mono_ns) / 1e6 AS longest_ms,
  min(g.from_ts) AS first,
  max(g.to_ts) AS last,
  g.capture_id
FROM gaps g
LEFT JOIN bound b ON b.capture_id = g.capture_id
LEFT JOIN inputs i ON i.capture_id = g.capture_id
GROUP BY i.ordinal, g.category, g.probe, g.reason, g.capture_id
ORDER BY total_ms DESC, g.category, g.probe, g.reason, g.capture_id
LIMIT CAST(getvariable('limit') AS BIGINT)
