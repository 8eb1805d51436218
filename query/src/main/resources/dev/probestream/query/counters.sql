-- Readings of the set process, about once a second: each value with its name. Sets: process; V8's heap from node-gc.

-- A row for each value: what docs/counters.md calls a probe is counter, its argument is name.
CREATE VIEW process_counters AS
WITH place AS (
  SELECT capture_id, probe_id, unnest(arguments) AS a FROM probes WHERE category = 'process' AND probe <> 'listening socket'
),
value_of AS (
  SELECT
    e.capture_id, e.pid, e.mono_ns, e.ts, e.sequence, e.probe AS counter, p.a.name AS name, p.a.unit AS unit,
    number_at(p.a."column", e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS value
  FROM events e
  JOIN place p ON p.capture_id = e.capture_id AND p.probe_id = e.probe_id
  WHERE e.category = 'process'
)
FROM value_of WHERE value IS NOT NULL;

-- The heap of V8 after each collection (set node-gc): what the collector found in use when it had ended. is_full: of the whole heap.
CREATE VIEW heap_after_gc AS
WITH ended AS (
  SELECT capture_id, pid, tid, from_ns, from_ns + duration_ns AS to_ns, collector FROM gc_pauses WHERE duration_ns IS NOT NULL
),
used AS (
  SELECT capture_id, pid, tid, mono_ns, heap_used FROM named_events WHERE category = 'node-gc' AND probe = 'V8 heap'
)
-- V8 asks for the size before and after a collection, both times within the pause: the last one counts.
SELECT
  g.capture_id, g.pid, g.tid, g.to_ns AS mono_ns, g.collector, g.collector = 'mark-compact' AS is_full, u.heap_used
FROM ended g
ASOF JOIN used u ON u.capture_id = g.capture_id AND u.tid = g.tid AND u.mono_ns <= g.to_ns
WHERE u.mono_ns >= g.from_ns;

-- Listening sockets of processes (set process), by their addresses: the fullest queue that was seen, its limit, and how many
-- connections were turned away while recording.
CREATE VIEW listening_sockets AS
WITH place AS (
  SELECT
    capture_id, probe_id,
    max(a."column") FILTER (a.name = 'queued') AS queued_at,
    max(a."column") FILTER (a.name = 'limit') AS limit_at,
    max(a."column") FILTER (a.name = 'drops') AS drops_at
  FROM (SELECT capture_id, probe_id, unnest(arguments) AS a FROM probes WHERE category = 'process' AND probe = 'listening socket')
  GROUP BY ALL
),
seen AS (
  SELECT
    e.capture_id, e.pid, e.mono_ns, e.s0 AS local,
    number_at(p.queued_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS queued,
    number_at(p.limit_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS "limit",
    number_at(p.drops_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS drops
  FROM events e
  JOIN place p ON p.capture_id = e.capture_id AND p.probe_id = e.probe_id
),
-- When sockets of the process were looked at first: one that listens later has dropped nothing before.
began AS (
  SELECT capture_id, pid, min(mono_ns) AS first_ns FROM process_counters WHERE counter = 'connections' GROUP BY ALL
)
SELECT
  s.capture_id, s.pid, s.local, max(s.queued) AS queued, arg_max(s."limit", s.mono_ns) AS "limit",
  max(s.drops) - CASE WHEN min(s.mono_ns) > any_value(b.first_ns) + 500000000 THEN 0 ELSE arg_min(s.drops, s.mono_ns) END AS dropped,
  count(*) FILTER (s.queued >= s."limit") AS times_full
FROM seen s
LEFT JOIN began b ON b.capture_id = s.capture_id AND b.pid = s.pid
GROUP BY s.capture_id, s.pid, s.local;
