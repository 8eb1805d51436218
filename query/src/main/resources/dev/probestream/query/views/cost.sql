-- What the probes cost the recorded processes, by probe.
--
-- Estimated: the time of the probe's programs, as the kernel measured it, and the way of the kernel to them and back, as it was measured on
-- a function of the collector. Hits that a filter left out cost, too.
--
-- Columns:
--   category    the set
--   probe       the probe
--   hits        how often it was hit, with the hits that a filter left out
--   cost_ms     what it cost, all together
--   cpu_percent the same in per cent of a CPU, while the cost was measured
--   share       of the CPU time of the recorded processes, in per cent
--   ns_per_hit  cost of a hit
--   program_ns  of it the programs
--   trap_ns     of it the way of the kernel to them and back
--   capture_id  which capture
-- Parameters:
--   limit=50  how many rows
WITH measured AS (
  SELECT capture_id, sum(to_mono_ns - from_mono_ns) AS took_ns, sum(target_cpu_ns) AS target_cpu_ns FROM costs GROUP BY capture_id
)
SELECT
  c.category,
  c.probe,
  CAST(sum(c.hits) AS BIGINT) AS hits,
  sum(c.cost_ns) / 1e6 AS cost_ms,
  100.0 * sum(c.cost_ns) / any_value(m.took_ns) AS cpu_percent,
  100.0 * sum(c.cost_ns) / nullif(any_value(m.target_cpu_ns), 0) AS share,
  sum(c.cost_ns) / nullif(sum(c.hits), 0) AS ns_per_hit,
  sum(c.program_ns) / nullif(sum(c.hits), 0) AS program_ns,
  sum(c.trap_ns) / nullif(sum(c.hits), 0) AS trap_ns,
  c.capture_id
FROM probe_costs c
JOIN measured m ON m.capture_id = c.capture_id
GROUP BY c.capture_id, c.probe_id, c.category, c.probe
ORDER BY cost_ms DESC, c.category, c.probe, c.capture_id
LIMIT CAST(getvariable('limit') AS BIGINT)
