-- Turns of loops that take tens of milliseconds, and how far the requests that were served meanwhile lie in them.

-- Without the times without a CPU a turn counts if it took longer, as in 10-stalls.sql.
CREATE OR REPLACE TEMP TABLE report_slow_turn AS
SELECT t.turn_id, t.capture_id, t.pid, t.tid, t.start_ns AS from_ns, t.end_ns AS until_ns, t.own_ns,
    sum(t.end_ns - t.start_ns) OVER (PARTITION BY t.capture_id, t.tid ORDER BY t.start_ns ROWS UNBOUNDED PRECEDING) AS total_ns
FROM report_turn t
JOIN report_loop_thread l USING (capture_id, pid, tid)
JOIN report_measured m USING (capture_id)
WHERE l.turns > 1 AND t.own_ns >= getvariable('slow_turn_ns') * CASE WHEN m.is_measured THEN 1 ELSE getvariable('unmeasured_margin') END;

CREATE OR REPLACE TEMP VIEW report_served AS
SELECT capture_id, pid, tid, request_id, coalesce(operation, '?') AS route, mono_ns AS start_ns, mono_ns + duration_ns AS end_ns,
    javascript_ns
FROM requests WHERE side = 'SERVER' AND duration_ns > 0;

-- A row for each route of a loop with such turns: of its requests those that lie in them for a part, and how long these ran.
CREATE OR REPLACE TEMP TABLE report_route_in_slow_turns AS
SELECT capture_id, pid, tid, route, count(*) AS requests, sum(end_ns - start_ns) AS served_ns, sum(within_ns) AS within_ns,
    count(*) FILTER (within_ns > 0) AS met, coalesce(sum(javascript_ns) FILTER (within_ns > 0), 0) AS ran_ns
FROM time_within('report_served', 'report_slow_turn')
GROUP BY ALL;

-- The times of the collector and of synchronous calls of the file system in them, which have findings of their own.
CREATE OR REPLACE TEMP TABLE report_slow_turn_part AS
SELECT t.capture_id, t.pid, t.tid, sum(g.own_ns) AS other_ns
FROM report_gc g ASOF JOIN report_slow_turn t ON g.capture_id = t.capture_id AND g.pid = t.pid AND g.tid = t.tid AND g.start_ns >= t.from_ns
WHERE g.start_ns < t.until_ns
GROUP BY ALL
UNION ALL
SELECT t.capture_id, t.pid, t.tid, sum(f.own_ns)
FROM report_fs f JOIN report_slow_turn t USING (turn_id)
GROUP BY ALL;
