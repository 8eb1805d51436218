-- Requests that wait in JavaScript, such as for an async mutex: nothing of them is known to have run, been sent, or been in the thread pool
-- for a while. Whether one goes on when the one before is done is for the rule to say, of the requests of a route in the order in which
-- they go on.

-- Captures in which such a time is one without anything: all sets that would show it were recorded, without a gap and a loss.
CREATE OR REPLACE TEMP VIEW report_all_seen AS
SELECT c.capture_id FROM report_capture c
WHERE NOT EXISTS (FROM gap_intervals g WHERE g.capture_id = c.capture_id)
    AND NOT EXISTS (FROM losses l WHERE l.capture_id = c.capture_id AND l.count > 0)
    AND 7 = (SELECT count(DISTINCT p.category) FROM probes p WHERE p.capture_id = c.capture_id
        AND p.category IN ('node-http', 'node-net', 'node-db', 'node-dns', 'node-fs', 'node-pool', 'node-loop'));

CREATE OR REPLACE TEMP TABLE report_slow_served AS
WITH unowned AS (SELECT capture_id, pid, sent_ns FROM report_unmatched WHERE parent_request_id IS NULL)
SELECT r.capture_id, r.pid, r.tid, r.request_id, coalesce(r.operation, '?') AS route, r.mono_ns AS start_ns, r.mono_ns + r.duration_ns AS end_ns
FROM requests r JOIN report_all_seen USING (capture_id)
ASOF LEFT JOIN unowned u ON u.capture_id = r.capture_id AND u.pid = r.pid AND u.sent_ns <= r.mono_ns + r.duration_ns
WHERE r.side = 'SERVER' AND r.outcome = 'COMPLETE' AND r.duration_ns > 0
    -- Not those that may have waited for a statement of which it is not known when it was answered.
    AND coalesce(u.sent_ns < r.mono_ns, true)
    AND NOT EXISTS (FROM report_unmatched o WHERE o.capture_id = r.capture_id AND o.parent_request_id = r.request_id)
QUALIFY quantile_disc(r.duration_ns, 0.75) OVER (PARTITION BY r.capture_id, r.pid, r.tid, coalesce(r.operation, '?')) >= 20000000;

-- All that is known of them: their hits, what they sent, and what was sent for nobody known and answered as the last thing before the
-- end of one of them only.
CREATE OR REPLACE TEMP VIEW report_served_mark AS
SELECT capture_id, request_id, start_ns AS from_ns, start_ns AS to_ns FROM report_slow_served
UNION ALL
SELECT capture_id, request_id, end_ns, end_ns FROM report_slow_served
UNION ALL
SELECT h.capture_id, r.request_id, h.mono_ns, h.mono_ns + coalesce(h.duration_ns, 0)
FROM report_slow_served r
JOIN request_events e USING (capture_id, request_id)
JOIN (SELECT capture_id, sequence, mono_ns, duration_ns FROM spans
    UNION ALL SELECT capture_id, sequence, mono_ns, NULL FROM events) h USING (capture_id, sequence)
UNION ALL
SELECT r.capture_id, r.request_id, s.sent_ns, s.answered_ns
FROM report_slow_served r JOIN report_sent s ON s.capture_id = r.capture_id AND s.parent_request_id = r.request_id
UNION ALL
(SELECT r.capture_id, r.request_id, s.sent_ns, s.answered_ns
FROM report_slow_served r
ASOF JOIN (FROM report_sent WHERE parent_request_id IS NULL AND NOT is_connect AND NOT is_open) s
    ON s.capture_id = r.capture_id AND s.pid = r.pid AND s.tid = r.tid AND s.answered_ns <= r.end_ns
WHERE s.sent_ns >= r.start_ns
QUALIFY count(*) OVER (PARTITION BY s.capture_id, s.request_id) = 1);

-- The longest time without anything, and when the request went on.
CREATE OR REPLACE TEMP TABLE report_resumed AS
WITH mark AS (
    SELECT m.capture_id, m.request_id, greatest(m.from_ns, r.start_ns) AS from_ns, m.to_ns
    FROM report_served_mark m JOIN report_slow_served r USING (capture_id, request_id)
    WHERE m.to_ns >= r.start_ns AND m.from_ns <= r.end_ns),
gap AS (
    SELECT capture_id, request_id, from_ns AS resumed_ns, from_ns - max(to_ns) OVER (
        PARTITION BY capture_id, request_id ORDER BY from_ns, to_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS silent_ns
    FROM mark)
SELECT r.*, max(greatest(g.silent_ns, 0)) AS silent_ns, coalesce(arg_max(g.resumed_ns, g.silent_ns), any_value(r.start_ns)) AS resumed_ns
FROM report_slow_served r JOIN gap g USING (capture_id, request_id)
GROUP BY ALL;

CREATE OR REPLACE TEMP VIEW report_silence AS
SELECT capture_id, tid, request_id, resumed_ns - silent_ns AS start_ns, resumed_ns AS end_ns FROM report_resumed;

CREATE OR REPLACE TEMP VIEW report_busy AS
SELECT capture_id, tid, start_ns AS from_ns, start_ns + busy_ns AS until_ns,
    sum(busy_ns) OVER (PARTITION BY capture_id, tid ORDER BY start_ns ROWS UNBOUNDED PRECEDING) AS total_ns
FROM report_turn_whole;

-- Each request beside the one of its route that went on before it: last_active_ns, how long that one was active; beside_ns, of that the
-- time in which this one waited; off_ns, from its end until this one went on, before or after. busy_ns: of the time without anything, what
-- the loop was busy, with others. place: the function of the application nearest to the root, or waiting for all others, that was the last
-- to ask for something on the thread by then.
CREATE OR REPLACE TEMP TABLE report_serialized AS
WITH ordered AS (
    SELECT *, lag(end_ns - resumed_ns) OVER in_order AS last_active_ns, abs(resumed_ns - lag(end_ns) OVER in_order) AS off_ns,
        least(resumed_ns, lag(end_ns) OVER in_order) - greatest(resumed_ns - silent_ns, lag(resumed_ns) OVER in_order) AS beside_ns
    FROM report_resumed WINDOW in_order AS (PARTITION BY capture_id, pid, tid, route ORDER BY resumed_ns, request_id)),
caller AS (
    SELECT c.capture_id, c.pid, c.tid, c.at_ns, place(k.outermost) AS place
    FROM report_caller c JOIN report_stack k ON k.capture_id = c.capture_id AND k.stack_id = c.stack_id
    WHERE k.outermost IS NOT NULL)
SELECT o.*, w.within_ns AS busy_ns, CASE WHEN c.at_ns >= o.resumed_ns - least(o.silent_ns, 20000000) THEN c.place END AS place
FROM ordered o
JOIN time_within('report_silence', 'report_busy') w USING (capture_id, request_id)
ASOF LEFT JOIN caller c ON c.capture_id = o.capture_id AND c.pid = o.pid AND c.tid = o.tid AND c.at_ns <= o.resumed_ns + 50000;
