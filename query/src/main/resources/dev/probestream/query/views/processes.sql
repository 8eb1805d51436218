-- The recorded processes, and what each of them used.
--
-- From the readings of the set process, once a second (docs/counters.md). Per cent are of one CPU: two busy threads make 200.
--
-- Columns:
--   pid          process
--   name         its name
--   seconds      between its first and its last reading
--   cpu_percent  CPU time, in per cent of one CPU
--   system_percent  of it in the kernel
--   delay_percent  how long its threads were ready and had no CPU, in per cent of one CPU
--   rss_first    bytes in memory at the first reading
--   rss_max      the most
--   rss_last     at the last reading
--   threads      the most threads
--   descriptors_first  open descriptors at the first reading
--   descriptors_last   at the last reading
--   descriptors_limit  how many may be open
--   connections_max    the most established TCP connections
--   connections_last   at the last reading
--   queue_max    the fullest listen queue, in connections
--   queue_limit  how many may wait in it
--   dropped      connections that its listening sockets turned away while recording
-- Parameters:
--   limit=50  how many rows
WITH process AS (
  SELECT
    capture_id, pid,
    (max(mono_ns) FILTER (counter = 'cpu') - min(mono_ns) FILTER (counter = 'cpu')) / 1e9 AS seconds,
    max(value) FILTER (name = 'user_ns') - min(value) FILTER (name = 'user_ns') AS user_ns,
    max(value) FILTER (name = 'system_ns') - min(value) FILTER (name = 'system_ns') AS system_ns,
    max(value) FILTER (name = 'run_delay_ns') - min(value) FILTER (name = 'run_delay_ns') AS delay_ns,
    arg_min(value, mono_ns) FILTER (name = 'rss') AS rss_first,
    max(value) FILTER (name = 'rss') AS rss_max,
    arg_max(value, mono_ns) FILTER (name = 'rss') AS rss_last,
    max(value) FILTER (name = 'threads') AS threads,
    arg_min(value, mono_ns) FILTER (name = 'open') AS descriptors_first,
    arg_max(value, mono_ns) FILTER (name = 'open') AS descriptors_last,
    max(value) FILTER (counter = 'open descriptors' AND name = 'limit') AS descriptors_limit,
    max(value) FILTER (name = 'established') AS connections_max,
    arg_max(value, mono_ns) FILTER (name = 'established') AS connections_last
  FROM process_counters
  GROUP BY capture_id, pid
),
queue AS (
  SELECT
    capture_id, pid, max(queued) AS queue_max, arg_max("limit", queued) AS queue_limit, CAST(sum(dropped) AS BIGINT) AS dropped
  FROM listening_sockets
  GROUP BY capture_id, pid
)
SELECT
  p.pid,
  n.name,
  p.seconds,
  (p.user_ns + p.system_ns) / 1e7 / nullif(p.seconds, 0) AS cpu_percent,
  p.system_ns / 1e7 / nullif(p.seconds, 0) AS system_percent,
  p.delay_ns / 1e7 / nullif(p.seconds, 0) AS delay_percent,
  p.rss_first,
  p.rss_max,
  p.rss_last,
  p.threads,
  p.descriptors_first,
  p.descriptors_last,
  p.descriptors_limit,
  p.connections_max,
  p.connections_last,
  q.queue_max,
  q.queue_limit,
  q.dropped
FROM process p
LEFT JOIN (SELECT capture_id, pid, any_value(name) AS name FROM processes GROUP BY capture_id, pid) n
  ON n.capture_id = p.capture_id AND n.pid = p.pid
LEFT JOIN queue q ON q.capture_id = p.capture_id AND q.pid = p.pid
ORDER BY cpu_percent DESC NULLS LAST, p.capture_id, p.pid
LIMIT CAST(getvariable('limit') AS BIGINT)
