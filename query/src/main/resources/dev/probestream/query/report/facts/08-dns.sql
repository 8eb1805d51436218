-- DNS lookups: by getaddrinfo on the thread pool, and by c-ares on the loop. resolver_ns: the time of the resolver,
-- without waiting for the pool and the loop; NULL if it did not start.

CREATE OR REPLACE TEMP TABLE report_lookup AS
SELECT l.capture_id, l.pid, l.tid, l.sequence, l.host, l.resolver AS how, l.from_ns AS start_ns,
    l.total_ns IS NULL AS is_unanswered,
    CASE WHEN l.is_found = false THEN l.result END AS failure,
    coalesce(l.total_ns, c.last_ns - l.from_ns) AS took_ns,
    CASE WHEN l.resolver = 'c-ares' OR NOT EXISTS (FROM spans WHERE probe = 'DNS lookup work')
        THEN coalesce(l.total_ns, c.last_ns - l.from_ns) ELSE l.run_ns END AS resolver_ns
FROM dns_lookups l
JOIN report_capture c USING (capture_id);
