-- What processes run. runtime ("Node.js 20.20.2") and application ("shop 1.2.0"): as the set process has read them, else NULL. argument: the first one that is no option; script: that, if it is one ("node ." names none). Options of Node whose
-- value is the argument behind them are those of the types string, list, number and host of Node 20
-- (internalBinding('options').getCLIOptionsInfo(), with its aliases); options of V8 have their value behind "=".
CREATE OR REPLACE TEMP TABLE report_program AS
WITH word AS (
    SELECT capture_id, pid, coalesce(name, '') AS name, executable, command_line[2:] AS words,
        coalesce(regexp_matches(command_line[1], '(^|/)node(js)?$'), false) AS is_node
    FROM processes),
place AS (
    SELECT *, list_filter(range(1, len(words) + 1), i -> NOT starts_with(words[i], '-') AND NOT (is_node AND (
        (i = 1 AND words[1] = 'inspect') OR (i > 1 AND list_contains(['-C', '-e', '-p', '-pe', '-r', '--allow-fs-read', '--allow-fs-write',
            '--build-snapshot-config', '--conditions', '--cpu-prof-dir', '--cpu-prof-interval', '--cpu-prof-name', '--debug-port',
            '--diagnostic-dir', '--disable-proto', '--disable-warning', '--dns-result-order', '--env-file', '--env-file-if-exists',
            '--eval', '--experimental-default-type', '--experimental-loader', '--experimental-policy', '--experimental-sea-config',
            '--heap-prof-dir', '--heap-prof-interval', '--heap-prof-name', '--heapsnapshot-near-heap-limit', '--heapsnapshot-signal',
            '--icu-data-dir', '--import', '--input-type', '--inspect-port', '--inspect-publish-uid', '--loader',
            '--max-http-header-size', '--network-family-autoselection-attempt-timeout', '--openssl-config', '--policy-integrity',
            '--print', '--redirect-warnings', '--report-dir', '--report-directory', '--report-filename', '--report-signal', '--require',
            '--secure-heap', '--secure-heap-min', '--security-revert', '--snapshot-blob', '--test-concurrency', '--test-name-pattern',
            '--test-reporter', '--test-reporter-destination', '--test-shard', '--test-timeout', '--title', '--tls-cipher-list',
            '--tls-keylog', '--trace-event-categories', '--trace-event-file-pattern', '--trace-require-module',
            '--unhandled-rejections', '--use-largepages', '--v8-pool-size', '--watch-path'], words[i - 1])))))[1] AS first_word
    FROM word),
program AS (
    -- Behind code (-e) there are only arguments of it.
    SELECT *, CASE WHEN NOT (is_node AND list_has_any(words[1:first_word - 1], ['-e', '-p', '-pe', '--eval', '--print'])) THEN words[first_word] END AS argument
    FROM place),
reading AS (
    SELECT capture_id, pid, s0 AS runtime, s1 AS application FROM events WHERE category = 'process' AND probe = 'program'
    QUALIFY row_number() OVER (PARTITION BY capture_id, pid ORDER BY mono_ns DESC) = 1)
SELECT p.capture_id, p.pid, name, executable, r.runtime, r.application, argument,
    CASE WHEN regexp_matches(argument, '\.[cm]?[jt]s$') OR (is_node AND regexp_matches(argument, '[^./][^/]*$')) THEN argument END AS script
FROM program p LEFT JOIN reading r USING (capture_id, pid);

-- The name servers in the /etc/resolv.conf of processes (set process): "10.0.0.2, 10.0.0.3".
CREATE OR REPLACE TEMP TABLE report_name_server AS
SELECT capture_id, pid, arg_max(s0, mono_ns) AS addresses FROM events WHERE category = 'process' AND probe = 'name servers' GROUP BY ALL;
