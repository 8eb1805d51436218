-- The slowest requests, with the parts of their time.
--
-- A request that had not ended counts until the end of the recording. A part is NULL if its probes were not recorded; if all
-- parts were recorded, they add up to the duration.
--
-- Columns:
--   input            ordinal of the path it came from (see inputs)
--   start            start, UTC
--   side             SERVER or CLIENT
--   method           GET, POST ...
--   url              as recorded, values of the query masked
--   status           of the response; NULL = none recorded
--   outcome          COMPLETE, UPGRADED, ABORTED, OPEN, UNOBSERVED (not watched to its end), UNKNOWN (it is not known when it was
--                    answered)
--   duration_ms      from its first byte to the last byte of its response
--   javascript_ms    the loop's thread ran in its context
--   gc_ms            the garbage collector stopped that thread
--   off_cpu_ms       that thread waited for a CPU, or in the kernel
--   loop_wait_ms     its work was done, but the loop was busy
--   pool_queue_ms    it waited for a thread of the pool
--   pool_run_ms      a thread of the pool ran its work
--   network_ms       it waited for bytes of its body, or for the response to a request it had sent
--   unattributed_ms  none of these: timers, other sockets, a slow reader of the response
--   remote           the client (SERVER) or the server (CLIENT)
--   pid              process
--   capture_id       with request_id: identifies the request
--   request_id       to look up in request_events
-- Parameters:
--   limit=20     how many
--   side=SERVER  SERVER, CLIENT, or all
WITH timed AS (
  SELECT
    r.*,
    CASE WHEN coalesce(r.outcome, '') NOT IN ('UNKNOWN', 'UNOBSERVED') THEN coalesce(r.duration_ns, c.end_mono_ns - r.mono_ns) END AS seen_ns
  FROM requests r
  LEFT JOIN captures c USING (capture_id)
  WHERE getvariable('side') IN ('all', r.side)
)
SELECT
  i.ordinal AS input,
  t.ts AS start,
  t.side,
  t.method,
  t.url,
  t.status,
  t.outcome,
  t.seen_ns / 1e6 AS duration_ms,
  t.javascript_ns / 1e6 AS javascript_ms,
  t.gc_ns / 1e6 AS gc_ms,
  t.off_cpu_ns / 1e6 AS off_cpu_ms,
  t.loop_wait_ns / 1e6 AS loop_wait_ms,
  t.pool_queue_ns / 1e6 AS pool_queue_ms,
  t.pool_run_ns / 1e6 AS pool_run_ms,
  t.network_ns / 1e6 AS network_ms,
  t.unattributed_ns / 1e6 AS unattributed_ms,
  t.remote_address || coalesce(':' || t.remote_port, '') AS remote,
  t.pid,
  t.capture_id,
  t.request_id
FROM timed t
LEFT JOIN inputs i USING (capture_id)
ORDER BY seen_ns DESC NULLS LAST, t.mono_ns, t.request_id
LIMIT CAST(getvariable('limit') AS BIGINT)
