-- Processes that did not end in order, and why.

-- The hits in those processes that may say why: moments, with their arguments by position.
CREATE OR REPLACE TEMP TABLE report_last_hit AS
SELECT e.capture_id, e.pid, e.tid, e.sequence, e.mono_ns AS at_ns, e.probe, e.stack_id, e.a0, e.a1, e.a2, e.s0, e.s1, e.s2,
    p.exit_code, p.exit_signal
FROM events e
JOIN processes p USING (capture_id, pid)
WHERE e.category IN ('node-crash', 'node-callers', 'user') AND e.kind = 'INSTANT' AND (p.exit_code <> 0 OR p.exit_signal IS NOT NULL)
    AND e.probe IN ('uncaught error', 'rejection', 'rejection handled', 'fatal error', 'printed text', 'process.exit', 'process.abort',
        'out of memory', 'V8 fatal error', 'failed assertion', 'failed check of V8', 'signal', 'chosen by the out-of-memory killer');

-- The hit that explains the end best. Signals by which V8 and Node end themselves have a hit before them with more detail. Of the
-- same signal the fault counts (a code of its own above 0, see sigaction(2)), not that Node's handler sends it once more.
CREATE OR REPLACE TEMP TABLE report_cause AS
WITH ranked AS (
    SELECT *, CASE
        WHEN exit_signal IN (4, 5, 6) THEN CASE probe
            WHEN 'out of memory' THEN 1 WHEN 'failed assertion' THEN 2 WHEN 'V8 fatal error' THEN 3
            WHEN 'failed check of V8' THEN 4 WHEN 'process.abort' THEN 5 WHEN 'fatal error' THEN 6
            WHEN 'signal' THEN CASE WHEN a0 = exit_signal THEN 7 END END
        WHEN exit_signal IS NOT NULL THEN CASE WHEN probe = 'signal' AND a0 = exit_signal
            THEN CASE WHEN a1 BETWEEN 1 AND 127 THEN 1 ELSE 2 END END
        ELSE CASE
            WHEN probe = 'fatal error' THEN 1
            WHEN probe = 'process.exit' AND a0 & 255 = exit_code THEN 2 END
        END AS rank
    FROM report_last_hit)
SELECT * FROM ranked WHERE rank IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY capture_id, pid ORDER BY rank, CASE probe WHEN 'signal' THEN at_ns ELSE -at_ns END) = 1;

-- The last uncaught error of the thread that ended the process, or of any thread if that is unknown, which a handler of the
-- application took: nothing is printed of it. A server that goes on for longer than 10 s has not ended because of it.
CREATE OR REPLACE TEMP TABLE report_handled_error AS
SELECT p.capture_id, p.pid, h.tid, h.sequence, h.at_ns, h.a1 AS from_promise, h.a2 AS error
FROM processes p
LEFT JOIN report_cause c USING (capture_id, pid)
JOIN report_last_hit h ON h.capture_id = p.capture_id AND h.pid = p.pid AND h.probe = 'uncaught error'
    AND coalesce(h.tid = c.tid, true)
    AND coalesce(c.at_ns, p.end_mono_ns) - h.at_ns BETWEEN 0 AND 10000000000
WHERE p.exit_signal IS NULL AND coalesce(c.probe, 'process.exit') = 'process.exit'
QUALIFY row_number() OVER (PARTITION BY p.capture_id, p.pid ORDER BY h.at_ns DESC) = 1;

-- The last promise of the thread that was rejected before the end, within 1 s, and that nothing handled. Whether a handler of
-- unhandledRejection ended the process is not known: such handlers also let it go on, Node may run without one
-- (--unhandled-rejections=warn), and what ended it may run before a handler can come. A promise that is handled later has the same address
-- unless V8 has moved it; one whose rejection is not found by its address may be any that was rejected before. Where a hit of its
-- handling may be missing, it is not known either. by_chance: how probable it is that one of so many rejections comes so shortly before
-- an end at any time.
CREATE OR REPLACE TEMP TABLE report_rejection AS
WITH handled AS (
    SELECT k.capture_id, k.pid, k.tid, k.at_ns, r.sequence
    FROM (FROM report_last_hit WHERE probe = 'rejection handled') k
    ASOF LEFT JOIN (FROM report_last_hit WHERE probe = 'rejection') r
        ON r.capture_id = k.capture_id AND r.pid = k.pid AND r.tid = k.tid AND r.a0 = k.a0 AND r.at_ns <= k.at_ns),
unhandled AS (
    SELECT h.*
    FROM (FROM report_last_hit WHERE probe = 'rejection') h
    ANTI JOIN handled k ON k.capture_id = h.capture_id AND k.pid = h.pid AND k.sequence = h.sequence
    LEFT JOIN (SELECT capture_id, pid, tid, max(at_ns) AS until_ns FROM handled WHERE sequence IS NULL GROUP BY ALL) unknown
        ON unknown.capture_id = h.capture_id AND unknown.pid = h.pid AND unknown.tid = h.tid
    WHERE coalesce(h.at_ns > unknown.until_ns, true)),
last AS (
    SELECT p.capture_id, p.pid, h.sequence, h.at_ns, h.stack_id, coalesce(c.at_ns, p.end_mono_ns) AS end_ns,
        count(*) OVER (PARTITION BY p.capture_id, p.pid) AS rejections
    FROM processes p
    LEFT JOIN report_cause c USING (capture_id, pid)
    JOIN unhandled h ON h.capture_id = p.capture_id AND h.pid = p.pid AND coalesce(h.tid = c.tid, true)
        AND h.at_ns <= coalesce(c.at_ns, p.end_mono_ns)
    WHERE p.exit_signal IS NULL AND coalesce(c.probe, 'process.exit') = 'process.exit'
    QUALIFY row_number() OVER (PARTITION BY p.capture_id, p.pid ORDER BY h.at_ns DESC) = 1)
SELECT l.capture_id, l.pid, l.sequence, l.stack_id, l.end_ns - l.at_ns AS before_ns,
    l.rejections * (l.end_ns - l.at_ns) / greatest(l.end_ns - c.first_ns, 1) AS by_chance
FROM last l JOIN report_capture c USING (capture_id)
WHERE l.end_ns - l.at_ns <= 1000000000
    AND NOT EXISTS (FROM losses x WHERE x.capture_id = l.capture_id AND x.probe = 'rejection handled' AND x.count > 0
        AND x.to_mono_ns >= l.at_ns)
    AND NOT EXISTS (FROM gap_intervals g WHERE g.capture_id = l.capture_id AND g.category = 'node-callers' AND g.to_ns >= l.at_ns
        AND g.from_ns <= l.end_ns);

-- Where errors were thrown that nobody caught: the last throw of the same object on the same thread. V8 moves objects when it
-- collects garbage, so an object is the same only shortly before; of one that was moved there is no throw.
CREATE OR REPLACE TEMP TABLE report_throw AS
SELECT u.capture_id, u.pid, u.sequence, arg_max(t.stack_id, t.mono_ns) AS stack_id
FROM report_last_hit u
JOIN events t ON t.capture_id = u.capture_id AND t.pid = u.pid AND t.tid = u.tid AND t.probe = 'throw'
    AND t.category IN ('node-callers', 'user') AND u.at_ns - t.mono_ns BETWEEN 0 AND 1000000000
    AND t.a1 = CASE u.probe WHEN 'rejection' THEN u.a1 ELSE u.a2 END
WHERE u.probe IN ('uncaught error', 'rejection')
GROUP BY ALL;

-- One row for each such process. at_ns: when it happened; serving: the request whose work led to it; open_requests: those that it was
-- working on at all, the latest first.
CREATE OR REPLACE TEMP TABLE report_end AS
WITH uncaught AS (
    SELECT c.capture_id, c.pid, max_by(h.sequence, h.at_ns) AS sequence, max_by(h.a1, h.at_ns) AS from_promise
    FROM report_cause c
    JOIN report_last_hit h ON h.capture_id = c.capture_id AND h.pid = c.pid AND h.tid = c.tid AND h.probe = 'uncaught error'
        AND h.at_ns <= c.at_ns
    WHERE c.probe = 'fatal error'
    GROUP BY ALL),
printed AS (
    SELECT c.capture_id, c.pid,
        string_agg(h.s0, chr(10) ORDER BY h.at_ns) FILTER (NOT starts_with(ltrim(h.s0, chr(10)), 'Node.js v')) AS text
    FROM report_cause c
    JOIN report_last_hit h ON h.capture_id = c.capture_id AND h.pid = c.pid AND h.tid = c.tid AND h.probe = 'printed text'
        AND h.at_ns >= c.at_ns
    GROUP BY ALL),
heap AS (
    SELECT capture_id, pid, max_by(a0, mono_ns) AS heap_bytes FROM events WHERE probe = 'V8 heap' GROUP BY ALL),
ended AS (
    SELECT p.capture_id, p.pid, p.name, p.exit_code, p.exit_signal, coalesce(c.at_ns, p.end_mono_ns) AS at_ns, c.probe AS cause,
        c.a0, c.a1, c.a2, c.s0, c.s1, c.s2, c.stack_id, coalesce(u.from_promise, e.from_promise, 0) <> 0 AS is_rejection,
        coalesce(u.sequence, e.sequence, c.sequence) AS sequence, t.text, h.heap_bytes,
        coalesce(c.at_ns, p.end_mono_ns) - e.at_ns AS since_error_ns, r.sequence AS rejection_sequence, r.stack_id AS rejection_stack_id,
        CASE WHEN e.at_ns IS NULL THEN r.before_ns END AS since_rejection_ns, r.by_chance AS rejection_by_chance,
        EXISTS (FROM report_last_hit v WHERE v.capture_id = p.capture_id AND v.pid = p.pid
            AND v.probe = 'chosen by the out-of-memory killer') AS is_victim,
        -- A Worker passes its error on to the thread that made it.
        c.probe = 'fatal error' AND EXISTS (FROM report_last_hit v WHERE v.capture_id = p.capture_id AND v.pid = p.pid
            AND v.probe = 'uncaught error' AND v.tid <> c.tid AND c.at_ns - v.at_ns BETWEEN 0 AND 1000000000) AS is_of_worker,
        EXISTS (FROM report_loop_thread l WHERE l.capture_id = p.capture_id AND l.pid = p.pid) AS has_loop
    FROM processes p
    LEFT JOIN report_cause c USING (capture_id, pid)
    LEFT JOIN uncaught u USING (capture_id, pid)
    LEFT JOIN report_handled_error e USING (capture_id, pid)
    LEFT JOIN report_rejection r USING (capture_id, pid)
    LEFT JOIN printed t USING (capture_id, pid)
    LEFT JOIN heap h USING (capture_id, pid)
    WHERE p.exit_code <> 0 OR p.exit_signal IS NOT NULL),
request AS (
    SELECT capture_id, request_id, pid, mono_ns, mono_ns + duration_ns AS end_ns,
        request_text(method, url, operation) AS request
    FROM requests WHERE side = 'SERVER')
SELECT e.*,
    (SELECT any_value(r.request) FROM request_events q JOIN request r USING (capture_id, request_id)
        WHERE q.capture_id = e.capture_id AND q.sequence = e.sequence AND e.cause IS NOT NULL
            AND (e.cause <> 'signal' OR e.a2 = e.pid)) AS serving,
    (SELECT list(r.request ORDER BY r.mono_ns DESC) FROM request r
        WHERE r.capture_id = e.capture_id AND r.pid = e.pid AND r.mono_ns <= e.at_ns
            AND coalesce(r.end_ns, e.at_ns) >= e.at_ns) AS open_requests,
    place(s.app) AS app_place, place(s.own) AS own_place, place(thrown.app) AS throw_place, place(thrown.own) AS own_throw_place,
    place(rejection_thrown.app) AS rejection_throw_place, place(rejected.app) AS rejection_place,
    leaf.symbol AS native_leaf, leaf.module AS native_module
FROM ended e
LEFT JOIN report_stack s ON s.capture_id = e.capture_id AND s.stack_id = e.stack_id
LEFT JOIN report_throw t ON t.capture_id = e.capture_id AND t.pid = e.pid AND t.sequence = e.sequence
LEFT JOIN report_stack thrown ON thrown.capture_id = t.capture_id AND thrown.stack_id = t.stack_id
LEFT JOIN report_throw j ON j.capture_id = e.capture_id AND j.pid = e.pid AND j.sequence = e.rejection_sequence
LEFT JOIN report_stack rejection_thrown ON rejection_thrown.capture_id = j.capture_id AND rejection_thrown.stack_id = j.stack_id
LEFT JOIN report_stack rejected ON rejected.capture_id = e.capture_id AND rejected.stack_id = e.rejection_stack_id
LEFT JOIN stacks leaf ON leaf.capture_id = e.capture_id AND leaf.stack_id = e.stack_id AND leaf.depth = 0
    AND leaf.kind = 'NATIVE';
