-- Correlation: the span, the phase of the loop, the request and the time on a CPU to which an event belongs. Views and macros
-- only: nothing is computed until a query reads it.
--
-- A span lasts over [start, end). A point in time belongs to the active span with the latest start; of several with this
-- start to the shortest, of equal ones to the one with the larger sequence. If spans nest, this is the innermost one; it is also
-- defined if they overlap without nesting. A span without duration contains nothing.
--
-- One ASOF join finds it: spans are first divided into segments with the same innermost span ("segments_of"). At one time a tid
-- belongs to one thread of a host, so capture_id and tid are the key; time distinguishes threads that reuse a tid. tid 0, which
-- all idle CPUs share, is left out.

-- The lifetime of each thread; a reused tid has several rows. An unknown start or end is the earliest or latest possible time.
CREATE VIEW thread_lives AS
SELECT
  capture_id, pid, tid, name,
  coalesce(start_mono_ns, -1) AS from_ns,
  least(
    coalesce(end_mono_ns, 9223372036854775807),
    coalesce(
      lead(start_mono_ns) OVER (PARTITION BY capture_id, tid ORDER BY start_mono_ns NULLS FIRST),
      9223372036854775807)) AS to_ns
FROM threads
WHERE tid <> 0;

-- The extent of each span with a duration. An open span lasts until the end of its thread or of the capture, or until its set was
-- no longer watched; if none is known, without end (9223372036854775807). Statements to databases (sets node-db, node-statements) and
-- WebSocket connections (node-websocket) have none: the thread that began one goes on with something else.
CREATE VIEW span_extents AS
SELECT capture_id, tid, sequence, mono_ns AS from_ns, mono_ns + duration_ns AS to_ns
FROM spans
WHERE duration_ns > 0 AND tid <> 0 AND coalesce(category, '') NOT IN ('node-db', 'node-statements', 'node-websocket')
UNION ALL
SELECT
  s.capture_id, s.tid, s.sequence, s.mono_ns,
  least(
    coalesce(l.to_ns, 9223372036854775807), coalesce(c.end_mono_ns, 9223372036854775807),
    coalesce(u.from_ns, 9223372036854775807)) AS to_ns
FROM (
  SELECT capture_id, tid, sequence, category, mono_ns FROM spans
  WHERE duration_ns IS NULL AND tid <> 0 AND coalesce(category, '') NOT IN ('node-db', 'node-statements', 'node-websocket')) s
ASOF LEFT JOIN thread_lives l ON l.capture_id = s.capture_id AND l.tid = s.tid AND l.from_ns <= s.mono_ns
ASOF LEFT JOIN unwatched u ON u.capture_id = s.capture_id AND u.category = s.category AND u.from_ns >= s.mono_ns
LEFT JOIN captures c ON c.capture_id = s.capture_id
WHERE least(
  coalesce(l.to_ns, 9223372036854775807), coalesce(c.end_mono_ns, 9223372036854775807),
  coalesce(u.from_ns, 9223372036854775807)) > s.mono_ns;

-- The edges of spans, in order, with the span that is the innermost one after each ("top"), and how many are open ("depth").
-- source: a relation with capture_id, tid, sequence, from_ns, to_ns.
--
-- If a span B starts within a span A and outlasts it, A is truncated at the start of B: from there on A is never the innermost
-- one. The result nests, so the span on top is the last that started at this depth.
CREATE MACRO edges_of(source) AS TABLE
WITH extent AS (
  SELECT capture_id, tid, sequence, from_ns, to_ns FROM query_table(source)
),
-- outlasting: the latest end of spans that start within it. Empty frames give NULL.
reach AS (
  SELECT
    *,
    max(to_ns) OVER (
      PARTITION BY capture_id, tid ORDER BY from_ns
      RANGE BETWEEN 1 FOLLOWING AND to_ns - from_ns - 1 FOLLOWING) > to_ns AS is_outlasted
  FROM extent
),
cut AS (
  SELECT a.capture_id, a.sequence, min(b.from_ns) AS until_ns
  FROM reach a
  JOIN extent b
    ON b.capture_id = a.capture_id AND b.tid = a.tid
    AND b.from_ns > a.from_ns AND b.from_ns < a.to_ns AND b.to_ns > a.to_ns
  WHERE a.is_outlasted
  GROUP BY ALL
),
edge AS (
  SELECT capture_id, tid, from_ns AS at_ns, 1 AS step, to_ns AS rank_ns, sequence FROM extent
  UNION ALL
  SELECT x.capture_id, x.tid, coalesce(c.until_ns, x.to_ns), -1, x.from_ns, x.sequence
  FROM extent x
  LEFT JOIN cut c ON c.capture_id = x.capture_id AND c.sequence = x.sequence
),
-- Order at the same time: ends before starts; of ends, the latest start first; of starts, the longest span first, then the smaller sequence.
deep AS (
  SELECT
    *,
    CAST(sum(step) OVER in_order AS INTEGER) AS depth,
    lead(at_ns) OVER in_order AS next_ns
  FROM edge
  WINDOW in_order AS (
    PARTITION BY capture_id, tid ORDER BY at_ns, step, rank_ns DESC, sequence ROWS UNBOUNDED PRECEDING)
)
SELECT
  capture_id, tid, at_ns, next_ns, step, rank_ns, sequence, depth,
  CASE WHEN depth > 0 THEN last_value(CASE WHEN step = 1 THEN sequence END IGNORE NULLS) OVER (
    PARTITION BY capture_id, tid, depth ORDER BY at_ns, step, rank_ns DESC, sequence ROWS UNBOUNDED PRECEDING) END AS top
FROM deep;

-- From at_ns to next_ns (NULL = no edge follows) span_sequence is the innermost span of the thread; NULL = there is none.
-- It also works on your own spans: FROM segments_of('my_view').
CREATE MACRO segments_of(source) AS TABLE
SELECT capture_id, tid, at_ns, next_ns, top AS span_sequence, depth
FROM edges_of(source)
WHERE next_ns IS DISTINCT FROM at_ns;

CREATE VIEW span_segments AS FROM segments_of('span_extents');

-- The innermost span of each event; NULL = none.
CREATE VIEW event_span AS
SELECT e.capture_id, e.sequence, s.span_sequence
FROM events e
ASOF LEFT JOIN span_segments s
  ON s.capture_id = e.capture_id AND s.tid = e.tid AND s.at_ns <= e.mono_ns;

-- Each span with the innermost one that contains all of it (NULL = none), and how many do ("depth"). self_ns: the time in which
-- it was the innermost one; NULL = its end is unknown.
CREATE VIEW span_tree AS
WITH edge AS MATERIALIZED (
  SELECT
    *,
    lag(top) OVER (PARTITION BY capture_id, tid ORDER BY at_ns, step, rank_ns DESC, sequence) AS top_before
  FROM edges_of('span_extents')
),
self AS (
  SELECT
    capture_id, top AS sequence,
    CASE WHEN max(next_ns) < 9223372036854775807 THEN CAST(sum(next_ns - at_ns) AS BIGINT) END AS self_ns
  FROM edge
  WHERE top IS NOT NULL
  GROUP BY ALL
)
SELECT
  b.capture_id, b.tid, b.sequence, b.top_before AS parent_sequence, b.depth - 1 AS depth,
  CASE WHEN s.sequence IS NULL THEN 0 ELSE s.self_ns END AS self_ns
FROM edge b
LEFT JOIN self s ON s.capture_id = b.capture_id AND s.sequence = b.sequence
WHERE b.step = 1
UNION ALL
SELECT z.capture_id, z.tid, z.sequence, g.top, coalesce(g.depth, 0), 0
FROM (SELECT capture_id, tid, sequence, mono_ns FROM spans WHERE duration_ns <= 0 OR category IN ('node-db', 'node-statements', 'node-websocket')) z
ASOF LEFT JOIN (SELECT capture_id, tid, at_ns, top, depth FROM edge WHERE next_ns IS DISTINCT FROM at_ns) g
  ON g.capture_id = z.capture_id AND g.tid = z.tid AND g.at_ns <= z.mono_ns;

-- Each span with all spans that contain it; distance 1 = the parent.
CREATE VIEW span_ancestors AS
WITH RECURSIVE tree AS MATERIALIZED (
  SELECT capture_id, sequence, parent_sequence FROM span_tree WHERE parent_sequence IS NOT NULL
),
up AS (
  SELECT capture_id, sequence, parent_sequence AS ancestor_sequence, 1 AS distance FROM tree
  UNION ALL
  SELECT u.capture_id, u.sequence, t.parent_sequence, u.distance + 1
  FROM up u
  JOIN tree t ON t.capture_id = u.capture_id AND t.sequence = u.ancestor_sequence
)
FROM up;

-- The phases of event loops (set node-loop). A loop that runs inside a callback has its own phases; the inner phase counts.
CREATE VIEW loop_phases AS
SELECT x.capture_id, x.tid, x.sequence, x.from_ns, x.to_ns
FROM span_extents x
JOIN (
  SELECT capture_id, sequence FROM spans
  WHERE category = 'node-loop'
    AND probe IN ('timers', 'pending', 'idle', 'prepare', 'poll', 'check', 'closing')) p
  ON p.capture_id = x.capture_id AND p.sequence = x.sequence;

CREATE VIEW loop_phase_segments AS FROM segments_of('loop_phases');

-- When each thread got a CPU and when it left it (set sched), with the next change. Only threads of the recorded processes: of
-- other threads, only switches to and from these are recorded.
CREATE VIEW cpu_changes AS
WITH process AS (
  SELECT capture_id, pid FROM processes
  UNION
  SELECT capture_id, pid FROM threads
),
change AS (
  SELECT capture_id, sequence, mono_ns, cpu, a0 AS tid, a1 AS pid, s0 AS comm, a3 AS state, stack_id, false AS is_arrival
  FROM events WHERE kind = 'SWITCH' AND a0 <> 0
  UNION ALL
  SELECT capture_id, sequence, mono_ns, cpu, a4, a5, s1, NULL, NULL, true
  FROM events WHERE kind = 'SWITCH' AND a4 <> 0
),
following AS (
  SELECT
    *,
    lead(mono_ns) OVER in_order AS next_ns,
    lead(is_arrival) OVER in_order AS is_next_arrival,
    lead(cpu) OVER in_order AS next_cpu
  FROM change
  SEMI JOIN process USING (capture_id, pid)
  WINDOW in_order AS  (PARTITION BY capture_id, tid ORDER BY mono_ns, is_arrival, sequence)
)
-- Behind a gap, what the thread did in between is not known.
SELECT
  f.* REPLACE (
    CASE WHEN coalesce(u.from_ns >= f.next_ns, true) THEN f.next_ns END AS next_ns,
    CASE WHEN coalesce(u.from_ns >= f.next_ns, true) THEN f.is_next_arrival END AS is_next_arrival)
FROM following f
ASOF LEFT JOIN (FROM unwatched WHERE category IN ('sched', 'offcpu')) u
  ON u.capture_id = f.capture_id AND u.from_ns >= f.mono_ns;

-- When each thread was on which CPU. to_ns NULL = the end was not recorded.
CREATE VIEW cpu_slices AS
SELECT
  capture_id, CAST(pid AS INTEGER) AS pid, CAST(tid AS INTEGER) AS tid, comm, cpu, mono_ns AS from_ns,
  CASE WHEN NOT is_next_arrival THEN next_ns END AS to_ns
FROM cpu_changes
WHERE is_arrival;

-- Why a thread left the CPU, by what sched_switch reports (include/linux/sched.h): TASK_INTERRUPTIBLE 1, TASK_UNINTERRUPTIBLE 2; 0x100
-- as the tracepoint reports preemption.
CREATE MACRO off_cpu_state(state) AS CASE
  WHEN state = 0 OR state & 256 <> 0 THEN 'preempted'
  WHEN state & 1 <> 0 THEN 'sleeping'
  WHEN state & 2 <> 0 THEN 'uninterruptible'
  ELSE 'other'
END;

-- When each thread was off the CPU, the reason, and its waker (set sched).
--   state       sleeping (a wait that signals can end), uninterruptible (disk, locks of the kernel), preempted (it was still
--               ready), other
--   to_ns       back on a CPU; NULL = not recorded
--   woken_ns    when it was made runnable: it waited before, and was ready without a CPU afterwards. NULL = not recorded
--   waker_tid   the thread that woke it
--   sequence, stack_id  of the event at which it left the CPU
CREATE VIEW cpu_waits AS
WITH long AS (
  -- The set sched without switches: times without a CPU that are spans of their own, as they lasted; others are sums only.
  SELECT
    capture_id, sequence, pid, tid, cpu, mono_ns AS from_ns, mono_ns + duration_ns AS to_ns, off_cpu_state(a0) AS state,
    a1 AS runnable_ns, a2 AS waker_tid, a3 AS waker_pid, stack_id
  FROM spans
  WHERE probe = 'off CPU' AND category IN ('sched', 'offcpu')
),
off AS (
  SELECT
    capture_id, sequence, CAST(pid AS INTEGER) AS pid, CAST(tid AS INTEGER) AS tid, comm, cpu, mono_ns AS from_ns,
    CASE WHEN is_next_arrival THEN next_ns END AS to_ns,
    off_cpu_state(state) AS state,
    stack_id
  FROM cpu_changes
  WHERE NOT is_arrival
),
waking AS (
  SELECT capture_id, a0 AS tid, mono_ns, pid AS waker_pid, tid AS waker_tid
  FROM events WHERE kind = 'WAKING'
)
SELECT
  o.capture_id, o.sequence, o.pid, o.tid, o.comm, o.cpu, o.from_ns, o.to_ns, o.state,
  CASE WHEN o.state = 'preempted' THEN o.from_ns WHEN w.mono_ns <= o.to_ns THEN w.mono_ns END AS woken_ns,
  CASE WHEN o.state <> 'preempted' AND w.mono_ns <= o.to_ns THEN w.waker_pid END AS waker_pid,
  CASE WHEN o.state <> 'preempted' AND w.mono_ns <= o.to_ns THEN w.waker_tid END AS waker_tid,
  o.stack_id
FROM off o
ASOF LEFT JOIN waking w ON w.capture_id = o.capture_id AND w.tid = o.tid AND w.mono_ns >= o.from_ns
UNION ALL
SELECT
  capture_id, sequence, pid, tid, NULL, cpu, from_ns, to_ns, state,
  CASE WHEN state = 'preempted' THEN from_ns ELSE to_ns - runnable_ns END,
  CASE WHEN state <> 'preempted' THEN waker_pid END, CASE WHEN state <> 'preempted' THEN waker_tid END, stack_id
FROM long;

-- The full context of an event: the innermost span and its name, the phase of the loop, the request (as the assembler of
-- requests found it, see docs/requests.md), and since when its thread had been on the CPU.
CREATE VIEW event_context AS
WITH placed AS (
  SELECT e.capture_id, e.sequence, e.tid, e.mono_ns, e.probe, s.span_sequence
  FROM events e
  ASOF LEFT JOIN span_segments s
    ON s.capture_id = e.capture_id AND s.tid = e.tid AND s.at_ns <= e.mono_ns
),
phased AS (
  SELECT e.*, p.span_sequence AS phase_sequence
  FROM placed e
  ASOF LEFT JOIN loop_phase_segments p
    ON p.capture_id = e.capture_id AND p.tid = e.tid AND p.at_ns <= e.mono_ns
),
running AS (
  SELECT e.*, CASE WHEN coalesce(c.to_ns, e.mono_ns) >= e.mono_ns THEN c.from_ns END AS on_cpu_from_ns
  FROM phased e
  ASOF LEFT JOIN cpu_slices c
    ON c.capture_id = e.capture_id AND c.tid = e.tid AND c.from_ns <= e.mono_ns
)
SELECT
  r.capture_id, r.sequence, r.tid, r.mono_ns, r.probe,
  r.span_sequence, s.probe AS span, r.phase_sequence, p.probe AS phase, q.request_id, r.on_cpu_from_ns
FROM running r
LEFT JOIN spans s ON s.capture_id = r.capture_id AND s.sequence = r.span_sequence
LEFT JOIN spans p ON p.capture_id = r.capture_id AND p.sequence = r.phase_sequence
LEFT JOIN request_events q ON q.capture_id = r.capture_id AND q.sequence = r.sequence;
