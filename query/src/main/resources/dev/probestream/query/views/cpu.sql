-- Where the CPU went: functions that samples met.
--
-- A sample counts for the innermost function of JavaScript on its stack, so that V8's and libc's own code counts for who
-- called it; where there is none, for the innermost function that has a name. What was really running then is in "mostly_in". Needs
-- the set profile (or incident); names of JavaScript need Node's flags --perf-basic-prof --interpreted-frames-native-stack.
--
-- Columns:
--   function   its name
--   file       where it is, if it is JavaScript
--   line       where it begins
--   samples    how many
--   share      of all samples, in per cent
--   mostly_in  the innermost function in most of them
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
