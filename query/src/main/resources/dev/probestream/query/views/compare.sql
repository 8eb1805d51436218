-- Two recordings compared: before and after.
--
-- Pass two paths; the table inputs has their order. Rates are per second of the captures' time, so that recordings of different
-- lengths can be compared. A metric that neither recording has is left out.
--
-- Columns:
--   metric   what is compared
--   unit     of before and after
--   before   its value in the first recording; NULL = not recorded
--   after    its value in the second recording
--   change   from before to after, in per cent
-- Parameters:
--   before=1  ordinal of the recording before (see inputs)
--   after=2   ordinal of the recording after
WITH side AS (
  SELECT c.capture_id, CASE WHEN i.ordinal = getvariable('before') THEN 1 ELSE 2 END AS side,
    t.to_ns - t.from_ns AS lasted_ns
  FROM captures c
  JOIN inputs i ON i.capture_id = c.capture_id
  JOIN capture_times t ON t.capture_id = c.capture_id
  WHERE i.ordinal IN (getvariable('before'), getvariable('after'))
),
lasted AS (
  SELECT side, sum(lasted_ns) / 1e9 AS seconds FROM side GROUP BY ALL
),
request AS (
  SELECT
    s.side, r.side AS role, r.duration_ns, r.status, r.outcome, r.error_code,
    r.javascript_ns, r.gc_ns, r.off_cpu_ns, r.loop_wait_ns, r.pool_queue_ns, r.pool_run_ns, r.network_ns
  FROM requests r JOIN side s ON s.capture_id = r.capture_id
),
value AS (
  SELECT side, unnest([
    {n: 10, metric: 'requests served', unit: 'per s', v: count(*) / (SELECT seconds FROM lasted l WHERE l.side = request.side)},
    {n: 11, metric: 'requests p50', unit: 'ms', v: quantile_disc(duration_ns, 0.5) / 1e6},
    {n: 12, metric: 'requests p90', unit: 'ms', v: quantile_disc(duration_ns, 0.9) / 1e6},
    {n: 13, metric: 'requests p99', unit: 'ms', v: quantile_disc(duration_ns, 0.99) / 1e6},
    {n: 14, metric: 'requests max', unit: 'ms', v: max(duration_ns) / 1e6},
    {n: 15, metric: 'requests failed', unit: '%', v: 100.0 * count(*) FILTER (is_failed_request(status, outcome, error_code)) / count(*)},
    {n: 16, metric: 'per request: JavaScript', unit: 'ms', v: avg(javascript_ns) / 1e6},
    {n: 17, metric: 'per request: garbage collector', unit: 'ms', v: avg(gc_ns) / 1e6},
    {n: 18, metric: 'per request: off the CPU', unit: 'ms', v: avg(off_cpu_ns) / 1e6},
    {n: 19, metric: 'per request: waiting for the loop', unit: 'ms', v: avg(loop_wait_ns) / 1e6},
    {n: 20, metric: 'per request: waiting for the pool', unit: 'ms', v: avg(pool_queue_ns) / 1e6},
    {n: 21, metric: 'per request: running on the pool', unit: 'ms', v: avg(pool_run_ns) / 1e6},
    {n: 22, metric: 'per request: network', unit: 'ms', v: avg(network_ns) / 1e6}]) AS m
  FROM request WHERE role = 'SERVER' GROUP BY side
  UNION ALL
  SELECT side, unnest([
    {n: 30, metric: 'requests sent', unit: 'per s', v: count(*) / (SELECT seconds FROM lasted l WHERE l.side = request.side)},
    {n: 31, metric: 'requests sent p99', unit: 'ms', v: quantile_disc(duration_ns, 0.99) / 1e6}])
  FROM request WHERE role = 'CLIENT' GROUP BY side
  UNION ALL
  SELECT s.side, unnest([
    {n: 40, metric: 'loop turn p50', unit: 'ms', v: quantile_disc(t.busy_ns, 0.5) / 1e6},
    {n: 41, metric: 'loop turn p99', unit: 'ms', v: quantile_disc(t.busy_ns, 0.99) / 1e6},
    {n: 42, metric: 'loop turn max', unit: 'ms', v: max(t.busy_ns) / 1e6}])
  FROM loop_turns t JOIN side s ON s.capture_id = t.capture_id GROUP BY s.side
  UNION ALL
  SELECT s.side, unnest([
    {n: 50, metric: 'GC pauses', unit: 'ms per s', v: sum(g.duration_ns) / 1e6 / any_value(l.seconds)},
    {n: 51, metric: 'GC pause max', unit: 'ms', v: max(g.duration_ns) / 1e6}])
  FROM gc_pauses g JOIN side s ON s.capture_id = g.capture_id JOIN lasted l ON l.side = s.side GROUP BY s.side
  UNION ALL
  SELECT s.side, unnest([
    {n: 60, metric: 'pool work', unit: 'per s', v: count(*) / any_value(l.seconds)},
    {n: 61, metric: 'pool wait p99', unit: 'ms', v: quantile_disc(w.started_ns - w.queued_ns, 0.99) / 1e6}])
  FROM pool_work w JOIN side s ON s.capture_id = w.capture_id JOIN lasted l ON l.side = s.side GROUP BY s.side
  UNION ALL
  SELECT s.side, unnest([
    {n: 70, metric: 'file calls', unit: 'per s', v: count(*) / any_value(l.seconds)},
    {n: 71, metric: 'file calls, synchronous', unit: 'ms per s',
      v: coalesce(sum(f.total_ns) FILTER (f.is_sync), 0) / 1e6 / any_value(l.seconds)}])
  FROM fs_calls f JOIN side s ON s.capture_id = f.capture_id JOIN lasted l ON l.side = s.side GROUP BY s.side
  UNION ALL
  SELECT s.side, unnest([
    {n: 80, metric: 'DNS lookups', unit: 'per s', v: count(*) / any_value(l.seconds)},
    {n: 81, metric: 'DNS lookup p99', unit: 'ms', v: quantile_disc(d.total_ns, 0.99) / 1e6}])
  FROM dns_lookups d JOIN side s ON s.capture_id = d.capture_id JOIN lasted l ON l.side = s.side GROUP BY s.side
  UNION ALL
  SELECT s.side, unnest([
    {n: 90, metric: 'connections made', unit: 'per s', v: count(*) FILTER (k.direction = 'out' AND NOT k.is_older) / any_value(l.seconds)},
    {n: 91, metric: 'connections made, not closed', unit: 'count',
      v: count(*) FILTER (k.direction = 'out' AND NOT k.is_older AND k.closed_ns IS NULL AND coalesce(k.result, 0) >= 0)::DOUBLE}])
  FROM connections k JOIN side s ON s.capture_id = k.capture_id JOIN lasted l ON l.side = s.side GROUP BY s.side
  UNION ALL
  SELECT s.side, unnest([
    {n: 100, metric: 'CPU', unit: 'ms per s', v: sum(c.to_ns - c.from_ns) / 1e6 / any_value(l.seconds)}])
  FROM cpu_slices c JOIN side s ON s.capture_id = c.capture_id JOIN lasted l ON l.side = s.side GROUP BY s.side
  UNION ALL
  SELECT s.side, unnest([
    {n: 110, metric: 'system calls', unit: 'per s', v: count(*) / any_value(l.seconds)}])
  FROM spans p JOIN side s ON s.capture_id = p.capture_id JOIN lasted l ON l.side = s.side
  WHERE p.category = 'syscalls' GROUP BY s.side
  UNION ALL
  SELECT s.side, {n: 120, metric: 'hits lost', unit: 'count', v: CAST(sum(x.count) AS DOUBLE)}
  FROM losses x JOIN side s ON s.capture_id = x.capture_id GROUP BY s.side
),
paired AS (
  SELECT
    m.n, m.metric, m.unit,
    max(CAST(m.v AS DOUBLE)) FILTER (side = 1) AS before,
    max(CAST(m.v AS DOUBLE)) FILTER (side = 2) AS after
  FROM value
  GROUP BY ALL
)
SELECT metric, unit, before, after, 100.0 * (after - before) / nullif(before, 0) AS change
FROM paired
WHERE before IS NOT NULL OR after IS NOT NULL
ORDER BY n
