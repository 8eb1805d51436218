-- A small recording whose answers can be reckoned by hand: $CAPTURE is its id, $FACTOR stretches what is slow in it.
-- Times are in milliseconds from the capture's start, which is at 1 s of CLOCK_MONOTONIC; it lasts 2 s.
-- Process 10: its loop is thread 10, its pool are threads 11 and 12.
CREATE TABLE probe_of (id INTEGER, probe VARCHAR, category VARCHAR, kind VARCHAR, arguments VARCHAR, return_type VARCHAR,
  return_unit VARCHAR);
INSERT INTO probe_of VALUES
  (1, 'poll', 'node-loop', 'SPAN', 'loop a0', NULL, NULL),
  (2, 'stream I/O', 'node-loop', 'SPAN', 'stream a0', NULL, NULL),
  (3, 'uv_fs_open', 'node-fs', 'SPAN', 'path s0,request a2,callback a3', 's32', 'errno'),
  (4, 'uv_fs_read', 'node-fs', 'SPAN', 'fd a0,request a2,callback a3', 's32', 'errno'),
  (5, 'fs work queued', 'node-fs', 'INSTANT', 'request a0', NULL, NULL),
  (6, 'uv__fs_work', 'node-fs', 'SPAN', 'request a0,type a1,path s0,result a2', NULL, NULL),
  (7, 'uv__fs_done', 'node-fs', 'SPAN', 'request a0', NULL, NULL),
  (8, 'work queued', 'node-pool', 'INSTANT', 'request a0,kind s0', NULL, NULL),
  (9, 'work', 'node-pool', 'SPAN', 'request a0,kind s0', NULL, NULL),
  (10, 'work done', 'node-pool', 'SPAN', 'request a0', NULL, NULL),
  (11, 'DNS lookup', 'node-dns', 'SPAN', 'host s0,request a1', 's32', 'errno'),
  (12, 'DNS work queued', 'node-dns', 'INSTANT', 'request a0', NULL, NULL),
  (13, 'DNS lookup work', 'node-dns', 'SPAN', 'request a0,host s0,lookup_result a1', NULL, NULL),
  (14, 'DNS lookup done', 'node-dns', 'SPAN', 'request a0', NULL, NULL),
  (15, 'DNS query', 'node-dns', 'INSTANT', 'host s0,request a1', NULL, NULL),
  (16, 'DNS answer', 'node-dns', 'INSTANT', 'request a0,ares_status a1', NULL, NULL),
  (17, 'GC', 'node-gc', 'SPAN', 'heap a0,reason a1', NULL, NULL),
  (18, 'scavenge', 'node-gc', 'SPAN', 'heap a0', NULL, NULL),
  (19, 'V8 heap', 'node-gc', 'COUNTER', 'heap_used a0', NULL, NULL),
  (20, 'connect', 'node-net', 'SPAN', 'stream a0,remote s0', 's32', 'errno'),
  (21, 'connected', 'node-net', 'INSTANT', 'stream a0,result a1,remote s0', NULL, NULL),
  (22, 'accept', 'node-net', 'SPAN', 'stream a0,fd a2,remote s0,local s1', 's32', 'errno'),
  (23, 'close', 'node-net', 'INSTANT', 'stream a0,handle a1,fd a2', NULL, NULL),
  (24, 'bytes read', 'node-net', 'INSTANT', 'stream a0,bytes a1,fd a2', NULL, NULL),
  (25, 'bytes written', 'node-net', 'SPAN', 'stream a0,fd a2', 's32', 'bytes'),
  (26, 'read', 'syscalls', 'SPAN', 'fd a0', 's64', 'errno'),
  (27, 'openat', 'syscalls', 'SPAN', 'dfd a0,filename s0', 's64', 'errno'),
  (28, 'sched_switch', 'sched', 'SWITCH', '', NULL, NULL),
  (29, 'sched_waking', 'sched', 'WAKING', '', NULL, NULL),
  (30, 'cpu sample', 'profile', 'INSTANT', '', NULL, NULL),
  (31, 'open connection', 'node-net', 'INSTANT', 'fd a0,accepted a1,remote s0,local s1', NULL, NULL);

INSERT INTO probes BY NAME
SELECT
  $CAPTURE AS capture_id, id AS probe_id, probe, category, kind, return_type, return_unit,
  list_transform(
    list_filter(string_split(arguments, ','), a -> a <> ''),
    a -> {'name': split_part(a, ' ', 1), 'type': CASE WHEN split_part(a, ' ', 2) LIKE 's%' THEN 'str' ELSE 's64' END,
      'unit': '', 'flow': 'NONE', 'column': split_part(a, ' ', 2),
      'labels': CASE split_part(a, ' ', 1)
        WHEN 'type' THEN MAP {'1': 'open', '3': 'read'}
        WHEN 'reason' THEN MAP {'1': 'allocation failure', '12': 'task'}
        WHEN 'lookup_result' THEN MAP {'0': 'found', '-3008': 'unknown host'}
        WHEN 'ares_status' THEN MAP {'0': 'success', '12': 'timeout'}
        ELSE MAP {} END}) AS arguments
FROM probe_of;

CREATE TABLE hit (
  sequence BIGINT, probe VARCHAR, category VARCHAR, tid INTEGER, ms DOUBLE, lasted_ms DOUBLE,
  a0 BIGINT, a1 BIGINT, a2 BIGINT, a3 BIGINT, a4 BIGINT, a5 BIGINT, s0 VARCHAR, s1 VARCHAR, result BIGINT, stack_id BIGINT,
  request_id BIGINT);
INSERT INTO hit BY NAME SELECT * FROM (VALUES
  -- Three turns: [90, 110) with callbacks, [400, 402) without, [1900, ...) that has not ended.
  (1, 'poll', 'node-loop', 10, 0, 108, 70),
  (2, 'poll', 'node-loop', 10, 110, 290, 70),
  (3, 'poll', 'node-loop', 10, 402, NULL, 70),
  (4, 'stream I/O', 'node-loop', 10, 90, 18, 7000),
  (5, 'stream I/O', 'node-loop', 10, 1900, NULL, 7000)
) v(sequence, probe, category, tid, ms, lasted_ms, a0);
INSERT INTO hit BY NAME SELECT * FROM (VALUES
  -- A synchronous open within the first turn, a read of what it opened, and an open that fails.
  (10, 'uv_fs_open', 'node-fs', 92, 5, '/app/a.txt', NULL, 900, 0, 23),
  (11, 'uv_fs_read', 'node-fs', 98, 1, NULL, 23, 900, 0, 4096),
  (12, 'uv_fs_open', 'node-fs', 104, 1, '/app/none', NULL, 900, 0, -2),
  -- An asynchronous open: queued at 401, run from 441 to 442, reported at 443.
  (13, 'uv_fs_open', 'node-fs', 401, 0.5, '/app/b.txt', NULL, 901, 555, 0)
) v(sequence, probe, category, ms, lasted_ms, s0, a0, a2, a3, result), (SELECT 10 AS tid);
INSERT INTO hit BY NAME SELECT * FROM (VALUES
  (14, 'fs work queued', 'node-fs', 10, 401.25, NULL, 901, NULL, NULL, NULL),
  (15, 'uv__fs_work', 'node-fs', 11, 441.25, 1, 901, 1, 24, '/app/b.txt'),
  (16, 'uv__fs_done', 'node-fs', 10, 443, 1, 901, NULL, NULL, NULL),
  -- Two pieces of crypto hold both threads from 381 to 441.25.
  (20, 'work queued', 'node-pool', 10, 380, NULL, 910, NULL, NULL, 'crypto'),
  (21, 'work queued', 'node-pool', 10, 380, NULL, 911, NULL, NULL, 'crypto'),
  (22, 'work', 'node-pool', 11, 381, 60, 910, NULL, NULL, 'crypto'),
  (23, 'work', 'node-pool', 12, 381, 60, 911, NULL, NULL, 'crypto'),
  (24, 'work done', 'node-pool', 10, 450, 1, 910, NULL, NULL, NULL),
  (25, 'work done', 'node-pool', 10, 452, 1, 911, NULL, NULL, NULL),
  -- One that no thread takes until the end.
  (26, 'work queued', 'node-pool', 10, 1950, NULL, 912, NULL, NULL, 'zlib')
) v(sequence, probe, category, tid, ms, lasted_ms, a0, a1, a2, s0);
INSERT INTO hit BY NAME SELECT * FROM (VALUES
  (30, 'DNS lookup', 10, 500, 0.5, NULL, 920, 'db.test', 0),
  (31, 'DNS work queued', 10, 500.25, NULL, 920, NULL, NULL, NULL),
  (32, 'DNS lookup work', 11, 502.25, 40 * $FACTOR, 920, 0, 'db.test', NULL),
  (33, 'DNS lookup done', 10, 503 + 40 * $FACTOR, 1, 920, NULL, NULL, NULL),
  (34, 'DNS lookup', 10, 700, 0.5, NULL, 920, 'db.test', 0),
  (35, 'DNS work queued', 10, 700.25, NULL, 920, NULL, NULL, NULL),
  (36, 'DNS lookup work', 11, 700.25, 9.75, 920, -3008, 'db.test', NULL),
  (37, 'DNS lookup done', 10, 710, 1, 920, NULL, NULL, NULL),
  (38, 'DNS query', 10, 800, NULL, NULL, 930, 'mx.test', NULL),
  (39, 'DNS answer', 10, 825, NULL, 930, 0, NULL, NULL),
  (40, 'DNS query', 10, 900, NULL, NULL, 931, 'mx.test', NULL)
) v(sequence, probe, tid, ms, lasted_ms, a0, a1, s0, result), (SELECT 'node-dns' AS category);
INSERT INTO hit BY NAME SELECT * FROM (VALUES
  (50, 'GC', 100, 3, 80, 1),
  (51, 'scavenge', 100.5, 2, 80, NULL),
  (52, 'V8 heap', 102.75, NULL, 5000000, NULL),
  (53, 'GC', 1000, 8 * $FACTOR, 80, 12),
  (54, 'scavenge', 1000.5, 2, 80, NULL)
) v(sequence, probe, ms, lasted_ms, a0, a1), (SELECT 10 AS tid, 'node-gc' AS category);
INSERT INTO hit BY NAME SELECT * FROM (VALUES
  -- To db: one that is closed, one that stays open; the stream's address is used again for one that is refused.
  (60, 'connect', 600, 0.25, 7100, NULL, '10.0.0.9:5432', NULL, 0),
  (61, 'connected', 603, NULL, 7100, 0, '10.0.0.9:5432', NULL, NULL),
  (62, 'bytes written', 604, 0.25, 7100, NULL, NULL, NULL, 1000),
  (63, 'bytes read', 610, NULL, 7100, 3000, NULL, NULL, NULL),
  (64, 'close', 620, NULL, 7100, 12, NULL, NULL, NULL),
  (65, 'connect', 630, 0.25, 7200, NULL, '10.0.0.9:5432', NULL, 0),
  (66, 'connected', 631, NULL, 7200, 0, '10.0.0.9:5432', NULL, NULL),
  (67, 'connect', 640, 0.25, 7100, NULL, '10.0.0.9:5432', NULL, 0),
  (68, 'connected', 641, NULL, 7100, -111, '10.0.0.9:5432', NULL, NULL),
  (69, 'close', 642, NULL, 7100, 12, NULL, NULL, NULL),
  (70, 'accept', 650, 0.25, 7000, NULL, '10.0.0.7:40000', '10.0.0.1:80', 0),
  (71, 'bytes read', 651, NULL, 7000, 500, NULL, NULL, NULL)
) v(sequence, probe, ms, lasted_ms, a0, a1, s0, s1, result), (SELECT 10 AS tid, 'node-net' AS category);
INSERT INTO hit BY NAME SELECT * FROM (VALUES
  -- Open when the capture began: one of a client, which is closed; two to db, one of them not used; one whose close was lost.
  (110, 'open connection', 0, NULL, 31, 1, NULL, '10.0.0.8:50000', '10.0.0.1:80', NULL),
  (111, 'open connection', 0, NULL, 32, 0, NULL, '10.0.0.9:5432', '10.0.0.1:41000', NULL),
  (112, 'open connection', 0, NULL, 33, 0, NULL, '10.0.0.9:5432', '10.0.0.1:41001', NULL),
  (113, 'open connection', 0, NULL, 34, 1, NULL, '10.0.0.8:50001', '10.0.0.1:80', NULL),
  (114, 'bytes read', 12, NULL, 8100, 200000, 31, NULL, NULL, NULL),
  (115, 'close', 20, NULL, 8100, 12, 31, NULL, NULL, NULL),
  (116, 'bytes written', 30, 0.25, 8200, NULL, 32, NULL, NULL, 70000),
  (117, 'accept', 660, 0.25, 8300, NULL, 34, '10.0.0.8:50002', '10.0.0.1:80', 0),
  (118, 'bytes read', 661, NULL, 8300, 400000, 34, NULL, NULL, NULL),
  (119, 'close', 700, NULL, 8300, 12, 34, NULL, NULL, NULL)
) v(sequence, probe, ms, lasted_ms, a0, a1, a2, s0, s1, result), (SELECT 10 AS tid, 'node-net' AS category);
INSERT INTO hit BY NAME SELECT * FROM (VALUES
  (80, 'openat', 93, 1, NULL, '/app/a.txt', 23, 1),
  (81, 'openat', 104.25, 0.5, NULL, '/app/none', -2, 1),
  (82, 'read', 98.25, 0.5, 23, NULL, 4096, 1),
  (83, 'read', 1901, 1, 19, NULL, -11, NULL),
  (84, 'read', 1903, 1, 19, NULL, -104, 2)
) v(sequence, probe, ms, lasted_ms, a0, s0, result, request_id), (SELECT 10 AS tid, 'syscalls' AS category);
INSERT INTO hit BY NAME SELECT * FROM (VALUES
  -- The loop's thread sleeps from 110 to 400, is woken by thread 11 at 395; is preempted from 1910 to 1917. Process 99 is a stranger.
  (90, 'sched_switch', 10, 110, 10, 10, 120, 1, 990, 99, 'node', 'other', 600),
  (91, 'sched_waking', 11, 395, 10, 10, 120, 0, NULL, NULL, 'node', NULL, NULL),
  (92, 'sched_switch', 99, 400, 991, 99, 120, 0, 10, 10, 'other', 'node', NULL),
  (93, 'sched_switch', 10, 1910, 10, 10, 120, 256, 990, 99, 'node', 'other', NULL),
  (94, 'sched_switch', 99, 1917, 990, 99, 120, 0, 10, 10, 'other', 'node', NULL)
) v(sequence, probe, tid, ms, a0, a1, a2, a3, a4, a5, s0, s1, stack_id), (SELECT 'sched' AS category);
INSERT INTO hit BY NAME SELECT * FROM (VALUES
  (100, 'cpu sample', 'profile', 10, 95, 601), (101, 'cpu sample', 'profile', 10, 105, 602),
  (102, 'cpu sample', 'profile', 10, 106, 602), (103, 'cpu sample', 'profile', 11, 390, 603)
) v(sequence, probe, category, tid, ms, stack_id);

INSERT INTO stacks BY NAME
SELECT $CAPTURE AS capture_id, * FROM (VALUES
  (600, 0, 'epoll_pwait', '/lib/libc.so.6', 'NATIVE', NULL, NULL),
  (600, 1, 'uv_run', '/usr/bin/node', 'NATIVE', NULL, NULL),
  (601, 0, 'memcpy', '/lib/libc.so.6', 'NATIVE', NULL, NULL),
  (601, 1, 'render', '', 'JS', '/app/page.js', 12),
  (601, 2, 'handle', '', 'JS', '/app/server.js', 3),
  (602, 0, 'handle', '', 'JS', '/app/server.js', 3),
  (603, 0, '', '/usr/bin/node', 'NATIVE', NULL, NULL),
  (603, 1, 'PBKDF2', '/usr/bin/node', 'NATIVE', NULL, NULL),
  (603, 2, 'signIn', '', 'JS', '/app/users.js', 7)
) v(stack_id, depth, symbol, module, kind, file, line);

-- It awaits the work, which has no JavaScript of its own.
UPDATE stacks SET is_async = symbol = 'signIn';

CREATE MACRO mono(ms) AS 1000000000 + CAST(ms * 1000000 AS BIGINT);
CREATE MACRO wall(ms) AS TIMESTAMPTZ '2026-01-02 03:04:05+00' + to_microseconds(CAST(ms * 1000 AS BIGINT));
CREATE VIEW hits AS
SELECT
  $CAPTURE AS capture_id, h.sequence, 10 AS pid, h.tid, 0 AS cpu, p.id AS probe_id, h.probe, h.category,
  CASE WHEN p.kind = 'SPAN' AND h.lasted_ms IS NULL THEN 'OPEN_SPAN' ELSE p.kind END AS kind,
  wall(h.ms) AS ts, mono(h.ms) AS mono_ns, wall(h.ms + h.lasted_ms) AS end_ts,
  CAST(h.lasted_ms * 1000000 AS BIGINT) AS duration_ns,
  a0, a1, a2, a3, a4, a5, s0, s1, result AS return_value, stack_id, 'web' AS host, request_id
FROM hit h
JOIN probe_of p ON p.probe = h.probe AND p.category = h.category;
INSERT INTO spans BY NAME SELECT * EXCLUDE (request_id) FROM hits WHERE kind IN ('SPAN', 'OPEN_SPAN');
INSERT INTO events BY NAME
SELECT * EXCLUDE (end_ts, duration_ns, return_value, request_id) FROM hits WHERE kind NOT IN ('SPAN', 'OPEN_SPAN');
INSERT INTO request_events BY NAME SELECT capture_id, request_id, sequence FROM hits WHERE request_id IS NOT NULL;

INSERT INTO requests BY NAME
SELECT
  $CAPTURE AS capture_id, wall(ms) AS ts, wall(ms + lasted_ms) AS end_ts, CAST(lasted_ms * 1000000 AS BIGINT) AS duration_ns,
  mono(ms) AS mono_ns, 10 AS pid, 10 AS tid, 'GET' AS method,
  regexp_replace(split_part(url, '?', 1), '[0-9]+', ':id') AS route, method || ' ' || route AS operation, '10.0.0.7' AS remote_address, 40000 AS remote_port,
  0 AS gc_ns, CAST(javascript_ms * 1000000 AS BIGINT) AS javascript_ns, CAST(pool_ms * 1000000 AS BIGINT) AS pool_queue_ns,
  CAST((lasted_ms - javascript_ms - pool_ms) * 1000000 AS BIGINT) AS unattributed_ns,
  * EXCLUDE (ms, lasted_ms, javascript_ms, pool_ms)
FROM (VALUES
  (1, 'SERVER', '/users/17?x=***', 200, 'COMPLETE', 90, 20 * $FACTOR, 10, 0),
  (2, 'SERVER', '/users/18', 500, 'COMPLETE', 1100, 60 * $FACTOR, 10, 40),
  (3, 'SERVER', '/login', 200, 'COMPLETE', 1200, 5, 5, 0),
  (4, 'SERVER', '/login', NULL, 'OPEN', 1900, NULL, NULL, NULL),
  (5, 'CLIENT', '/rates', 200, 'COMPLETE', 1110, 30, NULL, NULL)
) v(request_id, side, url, status, outcome, ms, lasted_ms, javascript_ms, pool_ms);

INSERT INTO captures BY NAME
SELECT
  $CAPTURE AS capture_id, wall(0) AS ts, mono(0) AS mono_ns, 'web' AS host, wall(2000) AS end_ts, mono(2000) AS end_mono_ns,
  'stopped by the user' AS end_reason, (SELECT count(*) FROM hit) AS delivered, 7 AS lost, true AS is_complete;
INSERT INTO processes BY NAME SELECT $CAPTURE AS capture_id, 10 AS pid, 'node' AS name;
INSERT INTO threads BY NAME
SELECT $CAPTURE AS capture_id, 10 AS pid, * FROM (VALUES (10, 'node'), (11, 'libuv-worker'), (12, 'libuv-worker')) v(tid, name);
INSERT INTO losses BY NAME
SELECT
  $CAPTURE AS capture_id, 26 AS probe_id, 'read' AS probe, 0 AS cpu, 'RING_FULL' AS reason, 7 AS count,
  mono(1900) AS from_mono_ns, wall(1900) AS from_ts, mono(1950) AS to_mono_ns, wall(1950) AS to_ts;

-- All calls of futex, which has no event of its own: 1,000 on the loop's thread, 10 on the pool's. From 500 to 1,000 and from 1,500 to 1,700 nothing of
-- the set was watched, so the calls stand for more, by the CPU time that the process used for itself (table costs, and a thousandth of the time):
-- 0.39288 ms per ms in the first second, 0.0994 in the second. [0, 500) stands for 294.66 ms of 196.44 (1.5), [1000, 1500) for 157.86 of 49.7
-- (3.176), [1700, 2000) for 39.76 of 29.82 (1.333).
INSERT INTO probes BY NAME
SELECT $CAPTURE AS capture_id, * FROM (VALUES (33, 'futex', 'syscalls', 'SPAN')) v(probe_id, probe, category, kind);
INSERT INTO hit_summaries BY NAME
SELECT
  $CAPTURE AS capture_id, 33 AS probe_id, 'futex' AS probe, 'syscalls' AS category, 10 AS pid, tid, mono(a) AS from_mono_ns,
  wall(a) AS from_ts, mono(b) AS to_mono_ns, wall(b) AS to_ts, count, failed, CAST(total_ms * 1000000 AS BIGINT) AS total_ns,
  CAST(max_ms * 1000000 AS BIGINT) AS max_ns, durations
FROM (VALUES
  (10, 0, 1000, 600, 2, 60, 50 * $FACTOR, [540, 0, 50, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
  (10, 1000, 2000, 400, 0, 1, 0.25, [400]),
  (11, 1000, 2000, 10, 0, 0.5, 0.125, [0, 0, 0, 0, 0, 0, 0, 0, 10])
) v(tid, a, b, count, failed, total_ms, max_ms, durations);
-- Thread 12 had no CPU 500 times for 30 ms in all, of it 6 ms although it was ready; one of them lasted 8 ms and is a span, 2 ms of it ready.
INSERT INTO probes BY NAME
SELECT $CAPTURE AS capture_id, * FROM (VALUES
  (40, 'off CPU', 'sched', 'SPAN'), (41, 'run delay', 'sched', 'SPAN')) v(probe_id, probe, category, kind);
INSERT INTO spans BY NAME
SELECT
  $CAPTURE AS capture_id, 200 AS sequence, 10 AS pid, 12 AS tid, 0 AS cpu, 40 AS probe_id, 'off CPU' AS probe, 'sched' AS category, 'SPAN' AS kind,
  wall(700) AS ts, mono(700) AS mono_ns, wall(708) AS end_ts, 8000000 AS duration_ns, 1 AS a0, 2000000 AS a1, 10 AS a2, 10 AS a3, 'web' AS host;
INSERT INTO hit_summaries BY NAME
SELECT
  $CAPTURE AS capture_id, probe_id, probe, 'sched' AS category, 10 AS pid, 12 AS tid, mono(0) AS from_mono_ns, wall(0) AS from_ts,
  mono(1000) AS to_mono_ns, wall(1000) AS to_ts, count, 0 AS failed, total_ms * 1000000 AS total_ns, max_ms * 1000000 AS max_ns, [count] AS durations
FROM (VALUES (40, 'off CPU', 500, 30, 8), (41, 'run delay', 300, 6, 1)) v(probe_id, probe, count, total_ms, max_ms);
INSERT INTO gaps BY NAME
SELECT
  $CAPTURE AS capture_id, category, probe_id, probe, reason, mono(a) AS from_mono_ns, wall(a) AS from_ts, mono(b) AS to_mono_ns,
  wall(b) AS to_ts
FROM (VALUES
  ('syscalls', NULL, NULL, 'BUDGET', 500, 1000), ('syscalls', NULL, NULL, 'BUDGET', 1500, 1700),
  ('user', 34, 'hot', 'HIT_RATE', 1200, 2000)
) v(category, probe_id, probe, reason, a, b);
INSERT INTO costs BY NAME
SELECT
  $CAPTURE AS capture_id, mono(a) AS from_mono_ns, wall(a) AS from_ts, mono(b) AS to_mono_ns, wall(b) AS to_ts,
  CAST(cpu_ms * 1000000 AS BIGINT) AS target_cpu_ns, probes
FROM (VALUES
  (0, 1000, 400, [{'probe_id': 1, 'hits': 10000, 'program_ns': 3000000, 'trap_ns': 5000000},
    {'probe_id': 33, 'hits': 600, 'program_ns': 100000, 'trap_ns': 20000}]),
  (1000, 2000, 100, [{'probe_id': 1, 'hits': 2000, 'program_ns': 600000, 'trap_ns': 1000000}])
) v(a, b, cpu_ms, probes);
-- Three readings of the set process, of the last two also the CPU load: 0.5 s of CPU time within 1.5 s, 30 MB more, 12 descriptors more, of them 10 files.
INSERT INTO probes BY NAME
SELECT
  $CAPTURE AS capture_id, id AS probe_id, probe, 'process' AS category, kind,
  list_transform(string_split(arguments, ','), a -> {'name': split_part(a, ' ', 1), 'type': 's64', 'unit': '', 'flow': 'NONE',
    'column': split_part(a, ' ', 2), 'labels': MAP {}}) AS arguments
FROM (VALUES
  (50, 'cpu', 'COUNTER', 'user_ns a0,system_ns a1,run_delay_ns a2'), (51, 'cpu load', 'COUNTER', 'user a0,system a1,run_delay a2'),
  (52, 'memory', 'COUNTER', 'rss a0'), (53, 'threads', 'COUNTER', 'threads a0'),
  (54, 'open descriptors', 'COUNTER', 'open a0,limit a1'), (55, 'descriptors', 'COUNTER', 'sockets a0,files a1'),
  (56, 'connections', 'COUNTER', 'established a0,close_wait a1'), (57, 'listen queue', 'COUNTER', 'queued a0,limit a1'),
  (58, 'listening socket', 'INSTANT', 'local s0,queued a0,limit a1,drops a2')) v(id, probe, kind, arguments);
INSERT INTO events BY NAME
SELECT
  $CAPTURE AS capture_id, 300 + row_number() OVER () AS sequence, 10 AS pid, 10 AS tid, 0 AS cpu, p.probe_id, v.probe, 'process' AS category,
  p.kind, wall(ms) AS ts, mono(ms) AS mono_ns, a0, a1, a2, s0, 'web' AS host
FROM (VALUES
  ('cpu', 100, 1000000000, 200000000, 50000000, NULL), ('cpu', 1100, 1300000000, 250000000, 60000000, NULL),
  ('cpu', 1600, 1400000000, 300000000, 80000000, NULL), ('cpu load', 1100, 30, 5, 1, NULL), ('cpu load', 1600, 20, 10, 4, NULL),
  ('memory', 100, 50000000, NULL, NULL, NULL), ('memory', 1100, 90000000, NULL, NULL, NULL), ('memory', 1600, 80000000, NULL, NULL, NULL),
  ('threads', 100, 11, NULL, NULL, NULL), ('open descriptors', 100, 20, 1024, NULL, NULL), ('open descriptors', 1600, 32, 1024, NULL, NULL),
  ('descriptors', 100, 3, 8, NULL, NULL), ('descriptors', 1600, 5, 18, NULL, NULL), ('connections', 100, 1, 0, NULL, NULL),
  ('connections', 1600, 4, 1, NULL, NULL), ('listen queue', 100, 2, 511, NULL, NULL), ('listen queue', 1600, 9, 511, NULL, NULL),
  ('listening socket', 100, 2, 511, 5, '0.0.0.0:80'), ('listening socket', 1600, 9, 511, 8, '0.0.0.0:80')
) v(probe, ms, a0, a1, a2, s0)
JOIN probes p ON p.probe = v.probe AND p.category = 'process' AND p.capture_id = $CAPTURE;
