-- Folded stacks: one line each, with its number of hits.
--
-- Callers first, as flame graph tools read them (FlameGraph's flamegraph.pl, speedscope): use --format csv and replace the
-- comma by a space. JavaScript functions have their file and the line where they begin; "async f" awaits what follows.
--
-- Columns:
--   stack   functions separated by semicolons, the outermost first
--   count   how many hits
--   ms      for waits (set offcpu): their total time
-- Parameters:
--   probe=cpu.sample  the probe of the stacks: "cpu.sample", "sched_switch" (waits; set offcpu), or any other with stacks; a dot
--                     matches any character
--   limit=1000        how many stacks
WITH hit AS (
  SELECT capture_id, stack_id, sequence, probe FROM events WHERE stack_id IS NOT NULL
  UNION ALL
  SELECT capture_id, stack_id, sequence, probe FROM spans WHERE stack_id IS NOT NULL
),
met AS (
  SELECT
    h.capture_id, h.stack_id, count(*) AS hits,
    sum(w.to_ns - w.from_ns) AS wait_ns
  FROM hit h
  LEFT JOIN cpu_waits w ON w.capture_id = h.capture_id AND w.sequence = h.sequence
  WHERE h.probe LIKE replace(getvariable('probe'), '.', '_')
  GROUP BY ALL
),
folded AS (
  SELECT
    capture_id, stack_id,
    array_to_string(
      list(
        replace(
          CASE WHEN coalesce(symbol, '') = '' THEN '[' || coalesce(nullif(module, ''), 'unknown') || ']'
            ELSE function_text(function_name(symbol, is_async), file, line) END,
          ';', ':')
        ORDER BY depth DESC), ';') AS stack
  FROM stacks
  GROUP BY ALL
)
SELECT f.stack, CAST(sum(m.hits) AS BIGINT) AS count, sum(m.wait_ns) / 1e6 AS ms
FROM met m
JOIN folded f ON f.capture_id = m.capture_id AND f.stack_id = m.stack_id
GROUP BY f.stack
ORDER BY coalesce(ms, count) DESC, f.stack
LIMIT CAST(getvariable('limit') AS BIGINT)
