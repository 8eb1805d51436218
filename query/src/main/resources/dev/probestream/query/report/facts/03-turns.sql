-- The turns of event loops: busy from the end of waiting in one poll to the start of the next poll. Where the set node-turns is recorded, its
-- spans are the waiting itself.

CREATE OR REPLACE TEMP TABLE report_turn_whole AS
WITH wait AS (
    SELECT capture_id, pid, tid, loop, start_ns, end_ns, is_open, category
    FROM report_span WHERE category = 'node-turns' AND probe = 'event wait'),
poll AS (
    FROM wait
    UNION ALL
    SELECT capture_id, pid, tid, loop, start_ns, end_ns, is_open, category
    FROM report_span
    WHERE category = 'node-loop' AND probe = 'poll' AND capture_id NOT IN (SELECT capture_id FROM wait)),
-- The longest-running loop of a thread; others run inside a callback, such as that of spawnSync.
outer_loop AS (
    SELECT capture_id, pid, tid, arg_max(loop, ran_ns) AS loop
    FROM (SELECT capture_id, pid, tid, loop, max(end_ns) - min(start_ns) AS ran_ns FROM poll GROUP BY ALL)
    GROUP BY ALL),
callback AS (
    SELECT capture_id, pid, tid, start_ns AS at_ns, probe
    FROM report_span
    WHERE category = 'node-loop'
        AND probe IN ('stream I/O', 'accept', 'UDP I/O', 'polled I/O', 'signal', 'file watcher', 'async')
    UNION ALL
    SELECT capture_id, pid, tid, at_ns, 'stream I/O' FROM report_event
    WHERE category = 'node-http' AND probe = 'stream event'),
thread_end AS (
    SELECT capture_id, pid, tid, max(end_mono_ns) AS end_ns FROM threads GROUP BY ALL),
busy AS (
    SELECT p.capture_id, p.pid, p.tid, p.start_ns AS poll_ns, p.is_open, p.category,
        CASE WHEN c.at_ns <= p.end_ns THEN c.at_ns WHEN NOT p.is_open THEN p.end_ns END AS start_ns,
        lead(p.start_ns) OVER (PARTITION BY p.capture_id, p.pid, p.tid ORDER BY p.start_ns) AS next_poll_ns
    FROM (SELECT p.* FROM poll p JOIN outer_loop o USING (capture_id, pid, tid) WHERE p.loop IS NOT DISTINCT FROM o.loop) p
    ASOF LEFT JOIN callback c ON p.capture_id = c.capture_id AND p.pid = c.pid AND p.tid = c.tid AND p.start_ns <= c.at_ns)
SELECT row_number() OVER (ORDER BY b.capture_id, b.pid, b.tid, b.start_ns) AS turn_id,
    b.capture_id, b.pid, b.tid, b.start_ns,
    coalesce(b.next_poll_ns, least(c.last_ns, coalesce(t.end_ns, c.last_ns))) AS end_ns,
    greatest(coalesce(b.next_poll_ns, least(c.last_ns, coalesce(t.end_ns, c.last_ns))) - b.start_ns, 0) AS busy_ns
FROM busy b
JOIN report_capture c USING (capture_id)
LEFT JOIN thread_end t USING (capture_id, pid, tid)
ASOF LEFT JOIN unwatched u ON u.capture_id = b.capture_id AND u.category = b.category AND u.from_ns >= b.start_ns
WHERE b.start_ns IS NOT NULL
    -- A turn that a gap cuts may be several.
    AND coalesce(u.from_ns >= coalesce(b.next_poll_ns, least(c.last_ns, coalesce(t.end_ns, c.last_ns))), true);
