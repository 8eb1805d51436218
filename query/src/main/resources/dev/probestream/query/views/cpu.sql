-- CPU time by function, from samples.
--
-- A sample counts for the innermost JavaScript function on its stack, so that code of V8 and libc counts for its caller;
-- without one, for the innermost function with a name. "mostly_in" is the function that was executing. Needs
-- the set profile (or incident).
--
-- Columns:
--   function   its name
--   file       its file, if it is JavaScript
--   line       line where it starts
--   samples    how many
--   share      of all samples, in per cent
--   mostly_in  the most frequent innermost function of its samples
--   threads    on how many threads
-- Parameters:
--   limit=50  how many functions
WITH sample AS (
  SELECT
    coalesce(function, '(no stack)') AS function, nullif(file, '') AS file, nullif(line, 0) AS line, leaf, capture_id, tid
  FROM cpu_samples
)
SELECT
  function,
  file,
  line,
  count(*) AS samples,
  100.0 * count(*) / sum(count(*)) OVER () AS share,
  mode(leaf) AS mostly_in,
  count(DISTINCT (capture_id, tid)) AS threads
FROM sample
GROUP BY function, file, line
ORDER BY samples DESC, function, file, line
LIMIT CAST(getvariable('limit') AS BIGINT)
