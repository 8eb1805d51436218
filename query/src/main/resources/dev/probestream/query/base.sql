-- The base of the built-in queries: combines the hits of probe sets to calls, work, turns and connections, as far as the sets
-- were recorded. Views and macros only: nothing is computed until a query reads it. Times are CLOCK_MONOTONIC nanoseconds of
-- the capture's host, as mono_ns; NULL means not recorded.

-- Names of negative results: errno(3) (include/uapi/asm-generic/errno-base.h, errno.h), the kernel's own (include/linux/errno.h),
-- and what libuv adds (uv/errno.h).
CREATE MACRO errno_name(result) AS coalesce(
  MAP {
    1: 'EPERM', 2: 'ENOENT', 3: 'ESRCH', 4: 'EINTR', 5: 'EIO', 6: 'ENXIO', 7: 'E2BIG', 8: 'ENOEXEC', 9: 'EBADF',
    10: 'ECHILD', 11: 'EAGAIN', 12: 'ENOMEM', 13: 'EACCES', 14: 'EFAULT', 15: 'ENOTBLK', 16: 'EBUSY', 17: 'EEXIST',
    18: 'EXDEV', 19: 'ENODEV', 20: 'ENOTDIR', 21: 'EISDIR', 22: 'EINVAL', 23: 'ENFILE', 24: 'EMFILE', 25: 'ENOTTY',
    26: 'ETXTBSY', 27: 'EFBIG', 28: 'ENOSPC', 29: 'ESPIPE', 30: 'EROFS', 31: 'EMLINK', 32: 'EPIPE', 33: 'EDOM',
    34: 'ERANGE', 35: 'EDEADLK', 36: 'ENAMETOOLONG', 37: 'ENOLCK', 38: 'ENOSYS', 39: 'ENOTEMPTY', 40: 'ELOOP',
    42: 'ENOMSG', 43: 'EIDRM', 44: 'ECHRNG', 45: 'EL2NSYNC', 46: 'EL3HLT', 47: 'EL3RST', 48: 'ELNRNG', 49: 'EUNATCH',
    50: 'ENOCSI', 51: 'EL2HLT', 52: 'EBADE', 53: 'EBADR', 54: 'EXFULL', 55: 'ENOANO', 56: 'EBADRQC', 57: 'EBADSLT',
    59: 'EBFONT', 60: 'ENOSTR', 61: 'ENODATA', 62: 'ETIME', 63: 'ENOSR', 64: 'ENONET', 65: 'ENOPKG', 66: 'EREMOTE',
    67: 'ENOLINK', 68: 'EADV', 69: 'ESRMNT', 70: 'ECOMM', 71: 'EPROTO', 72: 'EMULTIHOP', 73: 'EDOTDOT', 74: 'EBADMSG',
    75: 'EOVERFLOW', 76: 'ENOTUNIQ', 77: 'EBADFD', 78: 'EREMCHG', 79: 'ELIBACC', 80: 'ELIBBAD', 81: 'ELIBSCN',
    82: 'ELIBMAX', 83: 'ELIBEXEC', 84: 'EILSEQ', 85: 'ERESTART', 86: 'ESTRPIPE', 87: 'EUSERS', 88: 'ENOTSOCK',
    89: 'EDESTADDRREQ', 90: 'EMSGSIZE', 91: 'EPROTOTYPE', 92: 'ENOPROTOOPT', 93: 'EPROTONOSUPPORT',
    94: 'ESOCKTNOSUPPORT', 95: 'EOPNOTSUPP', 96: 'EPFNOSUPPORT', 97: 'EAFNOSUPPORT', 98: 'EADDRINUSE',
    99: 'EADDRNOTAVAIL', 100: 'ENETDOWN', 101: 'ENETUNREACH', 102: 'ENETRESET', 103: 'ECONNABORTED',
    104: 'ECONNRESET', 105: 'ENOBUFS', 106: 'EISCONN', 107: 'ENOTCONN', 108: 'ESHUTDOWN', 109: 'ETOOMANYREFS',
    110: 'ETIMEDOUT', 111: 'ECONNREFUSED', 112: 'EHOSTDOWN', 113: 'EHOSTUNREACH', 114: 'EALREADY', 115: 'EINPROGRESS',
    116: 'ESTALE', 117: 'EUCLEAN', 118: 'ENOTNAM', 119: 'ENAVAIL', 120: 'EISNAM', 121: 'EREMOTEIO', 122: 'EDQUOT',
    123: 'ENOMEDIUM', 124: 'EMEDIUMTYPE', 125: 'ECANCELED', 126: 'ENOKEY', 127: 'EKEYEXPIRED', 128: 'EKEYREVOKED',
    129: 'EKEYREJECTED', 130: 'EOWNERDEAD', 131: 'ENOTRECOVERABLE', 132: 'ERFKILL', 133: 'EHWPOISON',
    512: 'ERESTARTSYS', 513: 'ERESTARTNOINTR', 514: 'ERESTARTNOHAND', 516: 'ERESTART_RESTARTBLOCK',
    3000: 'EAI_ADDRFAMILY', 3001: 'EAI_AGAIN', 3002: 'EAI_BADFLAGS', 3003: 'EAI_CANCELED', 3004: 'EAI_FAIL',
    3005: 'EAI_FAMILY', 3006: 'EAI_MEMORY', 3007: 'EAI_NODATA', 3008: 'EAI_NONAME', 3009: 'EAI_OVERFLOW',
    3010: 'EAI_SERVICE', 3011: 'EAI_SOCKTYPE', 3013: 'EAI_BADHINTS', 3014: 'EAI_PROTOCOL', 4080: 'ECHARSET',
    4094: 'UNKNOWN', 4095: 'EOF'
  }[-CAST(result AS BIGINT)],
  'errno ' || -CAST(result AS BIGINT));

-- Whether a negative result is a failure. These are none: nothing to read yet or no room to write (EAGAIN), a call that a signal
-- interrupted or that the kernel restarts (EINTR, 512 ... 516), a connection under way (EALREADY, EINPROGRESS), a file or folder that
-- is there already (EEXIST: mkdir -p, O_EXCL), the question whether a file is a terminal (ENOTTY).
CREATE MACRO is_failure(result) AS coalesce(
  result BETWEEN -4095 AND -1 AND -result NOT IN (4, 11, 17, 25, 114, 115, 512, 513, 514, 516), false);

-- Whether the server failed at a request: a status of 500 or above, cut off, or a status of gRPC that is not due to the caller (those that
-- OpenTelemetry's conventions for spans of servers call errors).
CREATE MACRO is_failed_request(status, outcome, error_code) AS (
  coalesce(status >= 500, false) OR outcome = 'ABORTED' OR coalesce(
    error_code IN ('UNKNOWN', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS'), false));

-- A value's label (see probes.arguments), or the number where there is none.
CREATE MACRO label_of(labels, value) AS coalesce(labels[CAST(value AS VARCHAR)], CAST(value AS VARCHAR));

-- The column of each argument that the views read, by probe.
CREATE VIEW argument_places AS
SELECT
  capture_id, probe_id,
  max(a."column") FILTER (a.name = 'path') AS path_at,
  max(a."column") FILTER (a.name = 'new_path') AS new_path_at,
  max(a."column") FILTER (a.name = 'host') AS host_at,
  max(a."column") FILTER (a.name = 'remote') AS remote_at,
  max(a."column") FILTER (a.name = 'local') AS local_at,
  max(a."column") FILTER (a.name = 'type') AS type_at,
  max(a."column") FILTER (a.name = 'fd') AS fd_at,
  max(a."column") FILTER (a.name = 'request') AS request_at,
  max(a."column") FILTER (a.name = 'stream') AS stream_at,
  max(a."column") FILTER (a.name = 'server') AS server_at,
  max(a."column") FILTER (a.name = 'loop') AS loop_at,
  max(a."column") FILTER (a.name = 'callback') AS callback_at,
  max(a."column") FILTER (a.name = 'result') AS result_at,
  max(a."column") FILTER (a.name = 'lookup_result') AS lookup_result_at,
  max(a."column") FILTER (a.name = 'ares_status') AS ares_status_at,
  max(a."column") FILTER (a.name = 'bytes') AS bytes_at,
  max(a."column") FILTER (a.name = 'reason') AS reason_at,
  max(a."column") FILTER (a.name = 'heap_used') AS heap_used_at,
  max(a."column") FILTER (a.name = 'handle') AS handle_at,
  max(a."column") FILTER (a.name = 'accepted') AS accepted_at,
  max(a."column") FILTER (a.name = 'kind') AS kind_at,
  any_value(a.labels) FILTER (a.name = 'type') AS type_labels,
  any_value(a.labels) FILTER (a.name = 'reason') AS reason_labels,
  any_value(a.labels) FILTER (a.name = 'lookup_result') AS lookup_labels,
  any_value(a.labels) FILTER (a.name = 'ares_status') AS ares_labels
FROM (SELECT capture_id, probe_id, unnest(arguments) AS a FROM probes)
GROUP BY ALL;

CREATE MACRO number_at(place, a0, a1, a2, a3, a4, a5, a6, a7) AS CASE place
  WHEN 'a0' THEN a0 WHEN 'a1' THEN a1 WHEN 'a2' THEN a2 WHEN 'a3' THEN a3
  WHEN 'a4' THEN a4 WHEN 'a5' THEN a5 WHEN 'a6' THEN a6 WHEN 'a7' THEN a7 END;

CREATE MACRO text_at(place, s0, s1, s2) AS CASE place WHEN 's0' THEN s0 WHEN 's1' THEN s1 WHEN 's2' THEN s2 END;

-- spans and events with these arguments under their names; the argument "kind" is work_kind, as every event has a kind. host is
-- the argument, not the host of the capture.
CREATE MACRO named(source) AS TABLE
SELECT
  e.* EXCLUDE (host),
  text_at(p.path_at, e.s0, e.s1, e.s2) AS path,
  text_at(p.new_path_at, e.s0, e.s1, e.s2) AS new_path,
  text_at(p.host_at, e.s0, e.s1, e.s2) AS host,
  text_at(p.remote_at, e.s0, e.s1, e.s2) AS remote,
  text_at(p.local_at, e.s0, e.s1, e.s2) AS local,
  number_at(p.type_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS type,
  number_at(p.fd_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS fd,
  number_at(p.request_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS request,
  number_at(p.stream_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS stream,
  number_at(p.server_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS server,
  number_at(p.loop_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS loop,
  number_at(p.callback_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS callback,
  number_at(p.result_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS result,
  number_at(p.lookup_result_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS lookup_result,
  number_at(p.ares_status_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS ares_status,
  number_at(p.bytes_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS bytes,
  number_at(p.reason_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS reason,
  number_at(p.heap_used_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS heap_used,
  number_at(p.handle_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS handle,
  number_at(p.accepted_at, e.a0, e.a1, e.a2, e.a3, e.a4, e.a5, e.a6, e.a7) AS accepted,
  text_at(p.kind_at, e.s0, e.s1, e.s2) AS work_kind,
  p.callback_at IS NOT NULL AS has_callback,
  p.type_labels, p.reason_labels, p.lookup_labels, p.ares_labels
FROM query_table(source) e
LEFT JOIN argument_places p ON p.capture_id = e.capture_id AND p.probe_id = e.probe_id;

CREATE VIEW named_spans AS FROM named('spans');

CREATE VIEW named_events AS FROM named('events');

-- "parse", or "async load" for a function that awaits the one before it on the stack.
CREATE MACRO function_name(symbol, is_async) AS CASE WHEN is_async THEN 'async ' || symbol ELSE symbol END;

-- The function that a stack counts for: the innermost JavaScript function, else the innermost one with a name. leaf: the innermost.
CREATE VIEW stack_functions AS
SELECT
  capture_id, stack_id,
  coalesce(
    arg_min(function_name(symbol, is_async), depth) FILTER (kind = 'JS' AND symbol <> ''),
    arg_min(symbol, depth) FILTER (symbol <> ''),
    -- no function has a name: the object, "[libc.so.6]"
    '[' || regexp_extract(nullif(arg_min(module, depth) FILTER (module <> ''), ''), '[^/]*$') || ']',
    '(no name)') AS function,
  CASE WHEN bool_or(kind = 'JS' AND symbol <> '') THEN arg_min(coalesce(file, ''), depth) FILTER (kind = 'JS' AND symbol <> '')
    END AS file,
  CASE WHEN bool_or(kind = 'JS' AND symbol <> '') THEN arg_min(coalesce(line, 0), depth) FILTER (kind = 'JS' AND symbol <> '')
    END AS line,
  coalesce(arg_min(symbol, depth) FILTER (symbol <> ''), '(no name)') AS leaf,
  arg_min(coalesce(module, ''), depth) AS leaf_module
FROM stacks
GROUP BY ALL;

-- "parse (/app/lib/json.js:12)" or "memcpy".
CREATE MACRO function_text(function, file, line) AS
  function || CASE WHEN coalesce(file, '') = '' THEN ''
    ELSE ' (' || file || CASE WHEN coalesce(line, 0) > 0 THEN ':' || line ELSE '' END || ')' END;

-- Whether an instant is an asynchronous call of the file system; a synchronous one is a span.
CREATE MACRO is_queued_call(probe, kind, request, callback) AS coalesce(
  kind = 'INSTANT' AND request IS NOT NULL AND callback <> 0 AND probe LIKE 'uv\_fs\_%' ESCAPE '\', false);

CREATE VIEW budget_gaps AS FROM gap_intervals WHERE probe_id IS NULL;

-- How much of their own CPU time the recorded processes had used at from_ns, and use until to_ns: without the cost of the probes. A
-- thousandth of the time is added, which counts where they are idle.
CREATE VIEW own_work AS
WITH part AS (
  SELECT
    capture_id, from_mono_ns AS from_ns, to_mono_ns AS to_ns,
    greatest(0, target_cpu_ns - coalesce(list_sum([p.program_ns + p.trap_ns FOR p IN probes]), 0))
      + (to_mono_ns - from_mono_ns) / 1000 AS own_ns
  FROM costs
  WHERE to_mono_ns > from_mono_ns
)
SELECT *, sum(own_ns) OVER (PARTITION BY capture_id ORDER BY from_ns) - own_ns AS before_ns FROM part;

-- When sets were watched that the budget kept away at times. A hit then stands for "weight" hits: for itself, and for what was not seen
-- before and after, half of each gap. What happens is taken to be in proportion to the CPU time that the processes use for themselves:
-- a server that works without a pause does more in a gap, where no probe slows it down. Where table costs does not give it, in proportion to
-- the time. Sets without such gaps are not here: their weight is 1.
CREATE VIEW watched_periods AS
WITH gap AS (
  SELECT j.*, c.start_ns, c.end_ns
  FROM joined_intervals('budget_gaps') j
  JOIN (SELECT DISTINCT capture_id, start_ns, end_ns FROM budget_gaps) c ON c.capture_id = j.capture_id
),
between_gaps AS (
  SELECT
    capture_id, category, start_ns, end_ns, from_ns AS to_ns,
    coalesce(lag(to_ns) OVER (PARTITION BY capture_id, category ORDER BY from_ns), start_ns) AS from_ns
  FROM gap
  UNION ALL
  SELECT capture_id, category, start_ns, end_ns, end_ns, max(to_ns) FROM gap GROUP BY capture_id, category, start_ns, end_ns
),
moment AS (
  SELECT DISTINCT capture_id, unnest([start_ns, end_ns, from_ns, to_ns]) AS at_ns FROM between_gaps
),
-- Captures whose costs are there, from about the beginning to about the end.
measured AS (
  SELECT w.capture_id
  FROM own_work w JOIN (SELECT DISTINCT capture_id, start_ns, end_ns FROM gap) c ON c.capture_id = w.capture_id
  GROUP BY w.capture_id, c.start_ns, c.end_ns
  HAVING greatest(min(w.from_ns) - c.start_ns, c.end_ns - max(w.to_ns)) < 0.05 * (c.end_ns - c.start_ns)
),
clock AS (
  SELECT
    m.capture_id, m.at_ns,
    CASE
      WHEN m.capture_id NOT IN (FROM measured) THEN m.at_ns
      ELSE coalesce(w.before_ns + w.own_ns * (m.at_ns - w.from_ns)::DOUBLE / (w.to_ns - w.from_ns), 0)
    END AS work
  FROM moment m ASOF LEFT JOIN own_work w ON w.capture_id = m.capture_id AND w.from_ns <= m.at_ns
),
worked AS (
  SELECT p.*, f.work AS from_work, t.work AS to_work, s.work AS start_work, e.work AS end_work
  FROM between_gaps p
  JOIN clock f ON f.capture_id = p.capture_id AND f.at_ns = p.from_ns
  JOIN clock t ON t.capture_id = p.capture_id AND t.at_ns = p.to_ns
  JOIN clock s ON s.capture_id = p.capture_id AND s.at_ns = p.start_ns
  JOIN clock e ON e.capture_id = p.capture_id AND e.at_ns = p.end_ns
  WHERE p.from_ns < p.to_ns
)
SELECT
  capture_id, category, from_ns, to_ns,
  greatest(1, (coalesce((to_work + lead(from_work) OVER in_order) / 2, end_work)
    - coalesce((lag(to_work) OVER in_order + from_work) / 2, start_work)) / (to_work - from_work)) AS weight
FROM worked
WINDOW in_order AS (PARTITION BY capture_id, category ORDER BY from_ns);

-- Rows of a relation with capture_id, category and mono_ns, with the weight of each.
CREATE MACRO weighted(source) AS TABLE
SELECT h.*, coalesce(w.weight, 1) AS weight
FROM query_table(source) h
ASOF LEFT JOIN watched_periods w ON w.capture_id = h.capture_id AND w.category = h.category AND w.from_ns <= h.mono_ns;

-- Sums of hits with their weight: the mean of that of the times in their interval that were watched.
CREATE VIEW weighted_summaries AS
WITH interval_of AS (
  SELECT
    i.capture_id, i.category, i.from_mono_ns, i.to_mono_ns,
    sum(w.weight * (least(w.to_ns, i.to_mono_ns) - greatest(w.from_ns, i.from_mono_ns)))
      / sum(least(w.to_ns, i.to_mono_ns) - greatest(w.from_ns, i.from_mono_ns)) AS weight
  FROM (SELECT DISTINCT capture_id, category, from_mono_ns, to_mono_ns FROM hit_summaries) i
  JOIN watched_periods w
    ON w.capture_id = i.capture_id AND w.category = i.category AND w.from_ns < i.to_mono_ns AND w.to_ns > i.from_mono_ns
  GROUP BY ALL
)
SELECT s.*, coalesce(i.weight, 1) AS weight
FROM hit_summaries s
LEFT JOIN interval_of i
  ON i.capture_id = s.capture_id AND i.category = s.category AND i.from_mono_ns = s.from_mono_ns AND i.to_mono_ns = s.to_mono_ns;

-- The position in a list of durations (see hit_summaries) at which a duration counts.
CREATE MACRO duration_bucket(ns) AS CASE WHEN ns < 512 THEN 1 ELSE least(24, CAST(floor(log2(ns)) AS INTEGER) - 7) END;

CREATE MACRO sum_at(list, i) AS CAST(coalesce(sum(list[i]), 0) AS BIGINT);

-- A duration in ns that a share of the hits do not exceed; at most twice the true one. NULL = longer than 4 s, or no hits.
CREATE MACRO duration_quantile(durations, share) AS
  [CASE WHEN i < 24 THEN CAST(pow(2, 8 + i) AS BIGINT) END
    FOR i IN range(1, 25)
    IF list_sum(durations[1:i]) >= share * list_sum(durations) AND list_sum(durations) > 0][1];

-- All hits of each probe on each thread: from the sums if the probe has any, as its hits are not all events then; otherwise from its
-- spans and events.
--   hits, failed, total_ns, max_ns  what was seen; failed and the times are NULL for moments
--   about_hits  with those that gaps of the budget hid, estimated; it is hits where there are no such gaps
--   durations   durations[i] is the number of hits of 2^(7+i) ns and more, but less than 2^(8+i)
--   is_summed   whether there are hits that are no events
CREATE VIEW hit_totals AS
WITH summed AS (SELECT DISTINCT capture_id, probe_id FROM hit_summaries),
span AS (
  SELECT
    s.capture_id, s.probe_id, s.probe, s.category, s.pid, s.tid, s.mono_ns, s.duration_ns, s.return_value, s.weight,
    duration_bucket(s.duration_ns) AS bucket
  FROM weighted('spans') s ANTI JOIN summed u ON u.capture_id = s.capture_id AND u.probe_id = s.probe_id
)
SELECT
  capture_id, probe_id, probe, category, pid, tid, CAST(sum(count) AS BIGINT) AS hits, CAST(sum(failed) AS BIGINT) AS failed,
  CAST(sum(total_ns) AS BIGINT) AS total_ns, max(max_ns) AS max_ns, sum(count * weight) AS about_hits,
  [sum_at(durations, 1), sum_at(durations, 2), sum_at(durations, 3), sum_at(durations, 4), sum_at(durations, 5), sum_at(durations, 6),
    sum_at(durations, 7), sum_at(durations, 8), sum_at(durations, 9), sum_at(durations, 10), sum_at(durations, 11), sum_at(durations, 12),
    sum_at(durations, 13), sum_at(durations, 14), sum_at(durations, 15), sum_at(durations, 16), sum_at(durations, 17), sum_at(durations, 18),
    sum_at(durations, 19), sum_at(durations, 20), sum_at(durations, 21), sum_at(durations, 22), sum_at(durations, 23), sum_at(durations, 24)] AS durations,
  true AS is_summed
FROM weighted_summaries
GROUP BY capture_id, probe_id, probe, category, pid, tid
UNION ALL
SELECT
  capture_id, probe_id, probe, category, pid, tid, count(*), count(*) FILTER (is_failure(return_value)),
  CAST(coalesce(sum(duration_ns), 0) AS BIGINT), max(duration_ns), sum(weight),
  [count(*) FILTER (bucket = 1), count(*) FILTER (bucket = 2), count(*) FILTER (bucket = 3),
    count(*) FILTER (bucket = 4), count(*) FILTER (bucket = 5), count(*) FILTER (bucket = 6),
    count(*) FILTER (bucket = 7), count(*) FILTER (bucket = 8), count(*) FILTER (bucket = 9),
    count(*) FILTER (bucket = 10), count(*) FILTER (bucket = 11), count(*) FILTER (bucket = 12),
    count(*) FILTER (bucket = 13), count(*) FILTER (bucket = 14), count(*) FILTER (bucket = 15),
    count(*) FILTER (bucket = 16), count(*) FILTER (bucket = 17), count(*) FILTER (bucket = 18),
    count(*) FILTER (bucket = 19), count(*) FILTER (bucket = 20), count(*) FILTER (bucket = 21),
    count(*) FILTER (bucket = 22), count(*) FILTER (bucket = 23), count(*) FILTER (bucket = 24)],
  false
FROM span
GROUP BY capture_id, probe_id, probe, category, pid, tid
UNION ALL
SELECT
  e.capture_id, e.probe_id, e.probe, e.category, e.pid, e.tid, count(*), NULL, NULL, NULL, sum(e.weight), NULL, false
FROM weighted('events') e ANTI JOIN summed u ON u.capture_id = e.capture_id AND u.probe_id = e.probe_id
GROUP BY e.capture_id, e.probe_id, e.probe, e.category, e.pid, e.tid;

-- Work of the thread pool (sets node-pool, node-fs, node-dns): queued at queued_ns, run from started_ns to ended_ns on the
-- thread pool_tid, returned to the loop at done_ns.
CREATE VIEW pool_work AS
WITH asked AS (
  SELECT
    capture_id, sequence, pid, tid, mono_ns, request, probe, work_kind, path, host,
    coalesce(
      lead(mono_ns) OVER (PARTITION BY capture_id, pid, request ORDER BY mono_ns, sequence),
      9223372036854775807) AS again_ns
  FROM named_events
  WHERE probe IN ('fs work queued', 'DNS work queued', 'random work queued', 'work queued')
    OR (probe IN ('fs call', 'DNS lookup', 'DNS reverse lookup') AND kind = 'INSTANT' AND request IS NOT NULL)
    OR is_queued_call(probe, kind, request, callback)
),
-- What happened to it in or after a gap is not known: the request may be another one then.
queued AS (
  SELECT a.* REPLACE (least(a.again_ns, coalesce(u.from_ns, a.again_ns)) AS again_ns)
  FROM asked a
  ASOF LEFT JOIN (FROM unwatched WHERE category IN ('node-pool', 'node-fs', 'node-dns')) u
    ON u.capture_id = a.capture_id AND u.from_ns >= a.mono_ns
),
work AS (
  SELECT
    capture_id, pid, tid, mono_ns, duration_ns, request, probe, path, host, sequence,
    CASE probe
      WHEN 'uv__fs_work' THEN 'fs ' || label_of(type_labels, type)
      WHEN 'DNS lookup work' THEN 'DNS lookup'
      WHEN 'DNS reverse lookup work' THEN 'DNS reverse lookup'
      WHEN 'random work' THEN 'random'
      ELSE coalesce(nullif(work_kind, ''), 'other')
    END AS what,
    coalesce(result, lookup_result) AS result
  FROM named_spans
  WHERE probe IN ('uv__fs_work', 'DNS lookup work', 'DNS reverse lookup work', 'random work', 'work')
),
done AS (
  SELECT capture_id, pid, request, mono_ns
  FROM named_spans
  WHERE probe IN ('uv__fs_done', 'DNS lookup done', 'DNS reverse lookup done', 'random work done', 'work done')
),
started AS (
  SELECT
    q.capture_id, q.pid, q.tid, q.request, q.sequence, q.mono_ns AS queued_ns, q.again_ns,
    w.sequence AS work_sequence, w.tid AS pool_tid, w.mono_ns AS started_ns, w.mono_ns + w.duration_ns AS ended_ns,
    q.path AS asked_path, q.host AS asked_host, w.path, w.host, w.result,
    coalesce(w.what, CASE
      WHEN q.probe IN ('fs work queued', 'fs call') THEN 'fs'
      WHEN q.probe LIKE 'uv\_fs\_%' ESCAPE '\' THEN replace(q.probe, 'uv_fs_', 'fs ')
      WHEN q.probe = 'DNS reverse lookup' THEN q.probe
      WHEN q.probe IN ('DNS work queued', 'DNS lookup') THEN 'DNS lookup'
      WHEN q.probe = 'random work queued' THEN 'random'
      ELSE coalesce(nullif(q.work_kind, ''), 'other') END) AS what
  FROM queued q
  ASOF LEFT JOIN work w
    ON w.capture_id = q.capture_id AND w.pid = q.pid AND w.request = q.request AND w.mono_ns >= q.mono_ns
)
SELECT
  s.capture_id, s.pid, s.tid, s.request, s.sequence, s.what, s.queued_ns,
  CASE WHEN s.started_ns < s.again_ns THEN s.work_sequence END AS work_sequence,
  CASE WHEN s.started_ns < s.again_ns THEN s.pool_tid END AS pool_tid,
  CASE WHEN s.started_ns < s.again_ns THEN s.started_ns END AS started_ns,
  CASE WHEN s.started_ns < s.again_ns THEN s.ended_ns END AS ended_ns,
  coalesce(s.asked_path, CASE WHEN s.started_ns < s.again_ns THEN s.path END) AS path,
  coalesce(s.asked_host, CASE WHEN s.started_ns < s.again_ns THEN s.host END) AS host,
  CASE WHEN s.started_ns < s.again_ns THEN s.result END AS result,
  CASE WHEN d.mono_ns < s.again_ns THEN d.mono_ns END AS done_ns
FROM started s
ASOF LEFT JOIN done d
  ON d.capture_id = s.capture_id AND d.pid = s.pid AND d.request = s.request AND d.mono_ns >= s.queued_ns;

-- Calls of Node's file system (set node-fs). A synchronous one blocks the loop until it returns; an asynchronous one
-- waits for a thread of the pool (queue_ns), runs there (run_ns) and waits for the loop; total_ns: until its callback.
-- path: for calls with a descriptor, the path that was last opened with it, if recorded.
CREATE VIEW fs_calls AS
WITH call AS (
  SELECT
    capture_id, sequence, pid, tid, mono_ns, duration_ns, request, replace(probe, 'uv_fs_', '') AS operation,
    path, new_path, fd, return_value, callback, has_callback
  FROM named_spans
  WHERE probe LIKE 'uv\_fs\_%' ESCAPE '\'
  UNION ALL
  SELECT
    capture_id, sequence, pid, tid, mono_ns, 0, request, replace(probe, 'uv_fs_', ''),
    path, new_path, fd, NULL, callback, true
  FROM named_events
  WHERE is_queued_call(probe, kind, request, callback)
),
worked AS (
  SELECT
    c.*,
    w.queued_ns, w.started_ns, w.ended_ns, w.done_ns, w.result AS work_result,
    coalesce(w.queued_ns <= c.mono_ns + c.duration_ns, false) AS is_queued
  FROM call c
  ASOF LEFT JOIN (FROM pool_work WHERE what LIKE 'fs%') w
    ON w.capture_id = c.capture_id AND w.tid = c.tid AND w.request = c.request AND w.queued_ns >= c.mono_ns
),
classified AS (
  SELECT
    *,
    CASE
      WHEN has_callback THEN callback = 0
      WHEN is_queued THEN false
      WHEN EXISTS (FROM probes p WHERE p.capture_id = worked.capture_id AND p.probe = 'fs work queued') THEN true
    END AS is_sync
  FROM worked
),
result AS (
  SELECT
    capture_id, sequence, pid, tid, operation, path, new_path, fd, mono_ns AS from_ns, is_sync,
    CASE WHEN is_queued AND NOT is_sync THEN work_result ELSE return_value END AS result,
    CASE WHEN is_queued AND NOT is_sync THEN started_ns - queued_ns END AS queue_ns,
    CASE WHEN is_queued AND NOT is_sync THEN ended_ns - started_ns END AS run_ns,
    CASE WHEN is_queued AND NOT is_sync THEN coalesce(done_ns, ended_ns) - mono_ns ELSE duration_ns END AS total_ns
  FROM classified
),
opened AS (
  SELECT capture_id, pid, result AS fd, from_ns + total_ns AS open_ns, path
  FROM result
  WHERE operation IN ('open', 'mkstemp') AND result >= 0
)
SELECT
  r.capture_id, r.sequence, r.pid, r.tid, r.operation, coalesce(r.path, o.path) AS path, r.new_path, r.fd, r.from_ns, r.is_sync,
  r.result, r.queue_ns, r.run_ns, r.total_ns
FROM result r
ASOF LEFT JOIN opened o
  ON o.capture_id = r.capture_id AND o.pid = r.pid AND o.fd = r.fd AND o.open_ns <= r.from_ns;

-- DNS lookups (set node-dns): by the C library on the pool (queue_ns, run_ns), or by c-ares. total_ns: until Node had the
-- result; NULL = no result.
CREATE VIEW dns_lookups AS
WITH call AS (
  SELECT capture_id, sequence, pid, tid, mono_ns, host, request
  FROM named_spans WHERE probe = 'DNS lookup'
  UNION ALL
  SELECT capture_id, sequence, pid, tid, mono_ns, host, request
  FROM named_events WHERE probe = 'DNS lookup' AND kind = 'INSTANT'
),
work AS (
  SELECT
    capture_id, pid, request, queued_ns, started_ns, ended_ns, done_ns, result
  FROM pool_work WHERE what = 'DNS lookup'
),
labels AS (
  SELECT capture_id, any_value(lookup_labels) AS lookup_labels, any_value(ares_labels) AS ares_labels
  FROM argument_places GROUP BY capture_id
),
query AS (
  SELECT capture_id, sequence, pid, tid, mono_ns, host, request, lead(mono_ns) OVER (
    PARTITION BY capture_id, pid, request ORDER BY mono_ns, sequence) AS again_ns
  FROM named_events WHERE probe = 'DNS query'
),
answer AS (
  SELECT capture_id, pid, request, mono_ns, ares_status FROM named_events WHERE probe = 'DNS answer'
)
SELECT
  c.capture_id, c.sequence, c.pid, c.tid, c.host, 'getaddrinfo' AS resolver, c.mono_ns AS from_ns,
  w.started_ns - w.queued_ns AS queue_ns, w.ended_ns - w.started_ns AS run_ns,
  coalesce(w.done_ns, w.ended_ns) - c.mono_ns AS total_ns,
  w.result = 0 AS is_found,
  CASE WHEN w.result IS NOT NULL THEN label_of(l.lookup_labels, w.result) END AS result
FROM call c
ASOF LEFT JOIN work w
  ON w.capture_id = c.capture_id AND w.pid = c.pid AND w.request = c.request AND w.queued_ns >= c.mono_ns
LEFT JOIN labels l ON l.capture_id = c.capture_id
UNION ALL
SELECT
  q.capture_id, q.sequence, q.pid, q.tid, q.host, 'c-ares', q.mono_ns, NULL, NULL,
  CASE WHEN a.mono_ns <= coalesce(q.again_ns, a.mono_ns) THEN a.mono_ns - q.mono_ns END,
  CASE WHEN a.mono_ns <= coalesce(q.again_ns, a.mono_ns) THEN a.ares_status = 0 END,
  CASE WHEN a.mono_ns <= coalesce(q.again_ns, a.mono_ns) THEN label_of(l.ares_labels, a.ares_status) END
FROM query q
ASOF LEFT JOIN answer a
  ON a.capture_id = q.capture_id AND a.pid = q.pid AND a.request = q.request AND a.mono_ns >= q.mono_ns
LEFT JOIN labels l ON l.capture_id = q.capture_id;

-- Turns of event loops (sets node-turns and node-loop): from the end of waiting in one poll to the next poll. Spans of node-turns are the waiting; of
-- node-loop, it ends at the start of the first libuv callback within the poll, without one at the end of the poll. A turn that had not ended at the end of the capture
-- lasts until then, and is_over is false. Turns that a gap cuts are left out. The loop that a thread ran longest is its own; others run within
-- its callbacks (spawnSync), and what lies between two runs is no turn of theirs.
CREATE VIEW loop_turns AS
WITH wait AS (
  SELECT
    capture_id, sequence, pid, tid, loop, mono_ns, duration_ns, category,
    lead(mono_ns) OVER (PARTITION BY capture_id, tid, loop ORDER BY mono_ns, sequence) AS next_ns,
    lead(loop) OVER (PARTITION BY capture_id, tid ORDER BY mono_ns, sequence) AS next_loop,
    max(mono_ns) OVER (PARTITION BY capture_id, tid, loop) - min(mono_ns) OVER (PARTITION BY capture_id, tid, loop) AS ran_ns
  FROM named_spans
  WHERE (probe = 'event wait' AND category = 'node-turns')
    OR (probe = 'poll' AND category = 'node-loop'
      AND capture_id NOT IN (SELECT capture_id FROM probes WHERE category = 'node-turns' AND probe = 'event wait'))
),
poll AS (
  SELECT *, loop IS NOT DISTINCT FROM arg_max(loop, ran_ns) OVER (PARTITION BY capture_id, tid) AS is_outer FROM wait
),
callback AS (
  SELECT capture_id, tid, mono_ns, min(duration_ns) FILTER (duration_ns >= 0) IS NULL AS is_open
  FROM spans
  WHERE category = 'node-loop'
    AND probe IN (
      'stream I/O', 'accept', 'UDP I/O', 'polled I/O', 'signal', 'file watcher', 'async')
  GROUP BY ALL
),
woken AS (
  SELECT
    p.*,
    CASE WHEN c.mono_ns < coalesce(p.mono_ns + p.duration_ns, 9223372036854775807) THEN c.mono_ns
      ELSE p.mono_ns + p.duration_ns END AS from_ns,
    coalesce(c.is_open, false) AND p.duration_ns IS NULL AS is_busy_at_end
  FROM poll p
  ASOF LEFT JOIN callback c
    ON c.capture_id = p.capture_id AND c.tid = p.tid AND c.mono_ns >= p.mono_ns
)
SELECT
  w.capture_id, w.sequence, w.pid, w.tid, w.loop, w.from_ns,
  coalesce(w.next_ns, c.end_mono_ns) AS to_ns,
  coalesce(w.next_ns, c.end_mono_ns) - w.from_ns AS busy_ns,
  w.next_ns IS NOT NULL AS is_over
FROM woken w
LEFT JOIN captures c ON c.capture_id = w.capture_id
ASOF LEFT JOIN unwatched u ON u.capture_id = w.capture_id AND u.category = w.category AND u.from_ns >= w.from_ns
WHERE w.from_ns IS NOT NULL AND (w.next_ns IS NOT NULL OR w.is_busy_at_end)
  AND (w.is_outer OR w.next_loop IS NOT DISTINCT FROM w.loop)
  AND coalesce(u.from_ns >= coalesce(w.next_ns, c.end_mono_ns), true);

-- Pauses of V8's garbage collector (set node-gc), with the collector that was chosen.
CREATE VIEW gc_pauses AS
WITH pause AS (
  SELECT capture_id, sequence, pid, tid, mono_ns, duration_ns, label_of(reason_labels, reason) AS reason
  FROM named_spans
  WHERE category = 'node-gc' AND probe = 'GC'
),
collector AS (
  SELECT capture_id, tid, mono_ns, probe
  FROM spans
  WHERE category = 'node-gc'
    AND probe IN ('scavenge', 'mark-compact', 'minor mark-compact', 'minor mark-sweep')
)
SELECT
  p.capture_id, p.sequence, p.pid, p.tid, p.mono_ns AS from_ns, p.duration_ns, p.reason,
  CASE WHEN c.mono_ns < p.mono_ns + p.duration_ns THEN c.probe END AS collector
FROM pause p
ASOF LEFT JOIN collector c
  ON c.capture_id = p.capture_id AND c.tid = p.tid AND c.mono_ns >= p.mono_ns;

-- What was connected when the capture began: known by its descriptor, until a hit shows the stream that has it. A stream that
-- began in the capture is another one, which got the descriptor after a close that was not seen.
CREATE VIEW older_connections AS
WITH older AS (
  SELECT capture_id, sequence, pid, fd, remote, local, CASE accepted WHEN 1 THEN 'in' END AS direction
  FROM named_events
  WHERE probe = 'open connection' AND fd IS NOT NULL
),
hit AS (
  SELECT capture_id, pid, fd, stream, mono_ns, false AS is_begin FROM named_events WHERE probe IN ('bytes read', 'close')
  UNION ALL
  SELECT capture_id, pid, fd, stream, mono_ns, probe = 'accept'
  FROM named_spans WHERE probe IN ('bytes written', 'accept') AND category <> 'node-loop'
),
used AS (
  SELECT
    o.capture_id, o.sequence, o.pid, min(h.mono_ns) AS used_ns, arg_min(h.stream, h.mono_ns) AS stream,
    arg_min(h.is_begin, h.mono_ns) AS is_begin
  FROM hit h JOIN older o ON o.capture_id = h.capture_id AND o.pid = h.pid AND o.fd = h.fd
  GROUP BY ALL
),
begun AS (
  SELECT u.capture_id, u.sequence, min(s.mono_ns) AS begun_ns
  FROM named_spans s JOIN used u ON u.capture_id = s.capture_id AND u.pid = s.pid AND u.stream = s.stream
  WHERE s.probe IN ('accept', 'connect') AND s.category <> 'node-loop'
  GROUP BY ALL
),
known AS (
  SELECT o.*, u.used_ns, u.stream, coalesce(b.begun_ns, 9223372036854775807) AS again_ns
  FROM older o
  LEFT JOIN used u ON u.capture_id = o.capture_id AND u.sequence = o.sequence AND NOT u.is_begin
  LEFT JOIN begun b ON b.capture_id = u.capture_id AND b.sequence = u.sequence
),
closed AS (
  SELECT k.capture_id, k.sequence, min(e.mono_ns) AS closed_ns
  FROM named_events e JOIN known k ON k.capture_id = e.capture_id AND k.pid = e.pid AND k.stream = e.stream
  WHERE e.probe = 'close' AND e.mono_ns >= k.used_ns AND e.mono_ns < k.again_ns
  GROUP BY ALL
)
SELECT
  k.capture_id, k.sequence, k.pid, k.fd, k.direction, k.remote, k.local,
  CASE WHEN k.used_ns < k.again_ns THEN k.stream END AS stream, c.closed_ns
FROM known k
LEFT JOIN closed c ON c.capture_id = k.capture_id AND c.sequence = k.sequence;

-- Connections of Node (sets node-net, node-http; of node-requests those that it opens): the hits of a stream from its accept or connect to its close, and what was
-- connected when the capture began.
--   direction  in, out; NULL = not known, of an older one for which no socket listens
--   remote     the address connected to (out), or the client (in)
--   result     0, or the error; NULL = unknown at the end of the capture
--   fd         its descriptor: of an accepted one, or of an older one
--   is_older   it was open when the capture began: from_ns and connected_ns are NULL, and so is stream as long as it is not used
CREATE VIEW connections AS
WITH begun AS (
  SELECT
    capture_id, sequence, pid, tid, mono_ns, stream, remote, local, fd,
    CASE probe WHEN 'accept' THEN 'in' ELSE 'out' END AS direction,
    return_value,
    coalesce(
      lead(mono_ns) OVER (PARTITION BY capture_id, pid, stream ORDER BY mono_ns, sequence),
      9223372036854775807) AS again_ns
  FROM named_spans
  WHERE probe IN ('accept', 'connect') AND category <> 'node-loop' AND stream IS NOT NULL
),
-- After a gap, the stream may be another connection's.
opened AS (
  SELECT b.* REPLACE (least(b.again_ns, coalesce(u.from_ns, b.again_ns)) AS again_ns)
  FROM begun b
  ASOF LEFT JOIN (FROM unwatched WHERE category IN ('node-net', 'node-http', 'node-requests')) u
    ON u.capture_id = b.capture_id AND u.from_ns >= b.mono_ns
),
ended AS (
  SELECT capture_id, pid, stream, mono_ns FROM named_events WHERE probe = 'close' AND stream IS NOT NULL
),
there AS (
  SELECT capture_id, pid, stream, mono_ns, result FROM named_events WHERE probe = 'connected'
),
closed AS (
  SELECT o.*, CASE WHEN c.mono_ns < o.again_ns THEN c.mono_ns END AS closed_ns
  FROM opened o
  ASOF LEFT JOIN ended c
    ON c.capture_id = o.capture_id AND c.pid = o.pid AND c.stream = o.stream AND c.mono_ns >= o.mono_ns
),
connected AS (
  SELECT
    c.*,
    CASE WHEN t.mono_ns <= least(c.again_ns, coalesce(c.closed_ns, c.again_ns)) THEN t.mono_ns END AS connected_ns,
    CASE
      WHEN c.return_value < 0 OR c.direction = 'in' THEN c.return_value
      WHEN t.mono_ns <= least(c.again_ns, coalesce(c.closed_ns, c.again_ns)) THEN t.result
    END AS result
  FROM closed c
  ASOF LEFT JOIN there t
    ON t.capture_id = c.capture_id AND t.pid = c.pid AND t.stream = c.stream AND t.mono_ns >= c.mono_ns
)
SELECT
  capture_id, sequence, pid, tid, stream, direction, remote, local, mono_ns AS from_ns, connected_ns, closed_ns, result, fd,
  false AS is_older
FROM connected
UNION ALL
SELECT
  capture_id, sequence, pid, NULL, stream, direction, remote, local, NULL, NULL, closed_ns, 0, fd, true
FROM older_connections;

-- Bytes transferred by connections in the capture; sequence: of the connection. Received bytes are known where each reading was recorded
-- (set node-net).
CREATE VIEW connection_bytes AS
WITH moved AS (
  SELECT capture_id, pid, stream, mono_ns, bytes AS received, 0 AS sent
  FROM named_events WHERE probe = 'bytes read' AND bytes > 0
  UNION ALL
  SELECT capture_id, pid, stream, mono_ns, 0, return_value
  FROM named_spans WHERE probe = 'bytes written' AND return_value > 0
),
found AS (
  SELECT m.capture_id, c.sequence, m.received, m.sent
  FROM moved m
  ASOF JOIN (SELECT capture_id, pid, stream, coalesce(from_ns, 0) AS from_ns, sequence FROM connections) c
    ON c.capture_id = m.capture_id AND c.pid = m.pid AND c.stream = m.stream AND c.from_ns <= m.mono_ns
)
SELECT
  f.capture_id, f.sequence,
  CASE WHEN f.capture_id IN (SELECT capture_id FROM probes WHERE probe = 'bytes read') THEN sum(f.received) END::BIGINT AS received_bytes,
  sum(f.sent)::BIGINT AS sent_bytes
FROM found f
GROUP BY f.capture_id, f.sequence;

-- CPU samples (sets profile, incident) with the function that each counts for.
CREATE VIEW cpu_samples AS
SELECT
  e.capture_id, e.sequence, e.pid, e.tid, e.cpu, e.mono_ns, e.stack_id, f.function, f.file, f.line, f.leaf, f.leaf_module
FROM events e
LEFT JOIN stack_functions f ON f.capture_id = e.capture_id AND f.stack_id = e.stack_id
WHERE e.probe = 'cpu sample' AND e.kind = 'INSTANT';

-- What each probe cost the recorded processes (table costs), a row for each probe and interval that it was hit in; cost_ns: its programs
-- and the way of the kernel to them and back.
CREATE VIEW probe_costs AS
SELECT
  c.capture_id, c.from_ts, c.from_mono_ns, c.to_ts, c.to_mono_ns, c.target_cpu_ns, c.cost.probe_id, p.probe, p.category,
  c.cost.hits, c.cost.program_ns, c.cost.trap_ns, c.cost.program_ns + c.cost.trap_ns AS cost_ns
FROM (SELECT * EXCLUDE (probes), unnest(probes) AS cost FROM costs) c
LEFT JOIN probes p ON p.capture_id = c.capture_id AND p.probe_id = c.cost.probe_id;

-- One request, as it was sent: "GET /users/42"; without a URL what was asked for, "SELECT users", "connect".
CREATE MACRO request_text(method, url, operation) AS CASE
  WHEN url IS NULL THEN coalesce(operation, '?')
  ELSE coalesce(method, '?') || ' ' || split_part(url, '?', 1) END;

-- What the process asked of others: requests, statements, failed connections. peer: the name that was looked up, or the address, with
-- the port; error: the error's code, a status of 500 or above, or "aborted"; ordered_by: the route of the served request that
-- ordered it, NULL = none did; weight: for how many it stands (see watched_periods).
CREATE VIEW outgoing_requests AS
WITH sent AS (
  SELECT
    *,
    CASE
      WHEN database IS NOT NULL THEN 'node-db'
      WHEN protocol IN ('tcp', 'unix') THEN 'node-net'
      WHEN protocol = 'http2' THEN 'node-http2'
      ELSE 'node-http' END AS category
  FROM requests WHERE side = 'CLIENT'
)
SELECT
  r.capture_id, r.request_id, r.pid, r.tid, r.mono_ns, r.duration_ns, coalesce(r.protocol, 'http') AS protocol,
  coalesce(
    coalesce(
      r.peer_name, CASE WHEN contains(r.remote_address, ':') AND r.remote_port IS NOT NULL THEN '[' || r.remote_address || ']'
        ELSE r.remote_address END) || coalesce(':' || r.remote_port, ''),
    'unknown') AS peer,
  coalesce(r.operation, '?') AS operation, r.statement, r.rows,
  coalesce(
    nullif(r.error_code, ''),
    CASE WHEN r.status >= 500 THEN CAST(r.status AS VARCHAR) WHEN r.outcome = 'ABORTED' THEN 'aborted' END) AS error,
  r.waited_ns, r.received_bytes, r.sent_bytes, r.parent_request_id,
  CASE WHEN r.parent_request_id IS NOT NULL THEN coalesce(p.operation, '?') END AS ordered_by,
  r.caller, r.caller_package, coalesce(w.weight, 1) AS weight
FROM sent r
LEFT JOIN requests p ON p.capture_id = r.capture_id AND p.request_id = r.parent_request_id AND p.side = 'SERVER'
ASOF LEFT JOIN (
  SELECT * REPLACE (
    CASE category WHEN 'node-requests' THEN 'node-http' WHEN 'node-statements' THEN 'node-db' ELSE category END AS category) FROM watched_periods) w
  ON w.capture_id = r.capture_id AND w.category = r.category AND w.from_ns <= r.mono_ns;

-- How long each capture lasted; one that was cut off: to its last event.
CREATE VIEW capture_times AS
SELECT
  c.capture_id, c.mono_ns AS from_ns, coalesce(c.end_mono_ns, l.last_ns, c.mono_ns) AS to_ns
FROM captures c
LEFT JOIN (
  SELECT capture_id, max(last_ns) AS last_ns
  FROM (
    SELECT capture_id, max(mono_ns) AS last_ns FROM events GROUP BY ALL
    UNION ALL
    SELECT capture_id, max(mono_ns + coalesce(duration_ns, 0)) FROM spans GROUP BY ALL)
  GROUP BY ALL) l ON l.capture_id = c.capture_id;
