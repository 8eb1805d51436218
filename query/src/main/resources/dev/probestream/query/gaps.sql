-- Times in which probes were not watched, for the other views. Views and macros only: nothing is computed until a query reads it.

-- Overlapping and touching intervals of the same capture and category made one; source: capture_id, category, from_ns, to_ns.
CREATE MACRO joined_intervals(source) AS TABLE
WITH edge AS (
  SELECT
    capture_id, category, from_ns, to_ns,
    coalesce(from_ns > max(to_ns) OVER (
      PARTITION BY capture_id, category ORDER BY from_ns, to_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true) AS is_first
  FROM query_table(source)
  WHERE from_ns < to_ns
),
numbered AS (
  SELECT
    *, count(*) FILTER (is_first) OVER (
      PARTITION BY capture_id, category ORDER BY from_ns, to_ns ROWS UNBOUNDED PRECEDING) AS n
  FROM edge
)
SELECT capture_id, category, min(from_ns) AS from_ns, max(to_ns) AS to_ns
FROM numbered
GROUP BY capture_id, category, n;

-- Gaps as far as they lie in their capture. start_ns, end_ns: the capture.
CREATE VIEW gap_intervals AS
WITH bound AS (
  SELECT
    g.*, coalesce(c.mono_ns, min(g.from_mono_ns) OVER (PARTITION BY g.capture_id)) AS start_ns,
    coalesce(c.end_mono_ns, max(g.to_mono_ns) OVER (PARTITION BY g.capture_id)) AS end_ns
  FROM gaps g LEFT JOIN captures c ON c.capture_id = g.capture_id
)
SELECT
  capture_id, category, probe_id, probe, reason, start_ns, end_ns, greatest(from_mono_ns, start_ns) AS from_ns,
  least(to_mono_ns, end_ns) AS to_ns
FROM bound;

-- When probes of a set, all of them or one, were not watched; disjoint for each set. Two hits on both sides of such a time do not
-- belong together: what happened between them is not known.
CREATE VIEW unwatched AS FROM joined_intervals('gap_intervals');
