-- DNS lookups, by host.
--
-- getaddrinfo (dns.lookup, and every connection to a name) runs on a thread of the pool and first waits for one; c-ares
-- (dns.resolve) queries name servers from the loop. Needs the set node-dns.
--
-- Columns:
--   host       the name
--   resolver   getaddrinfo or c-ares
--   lookups    how many
--   found      of them with an answer
--   unanswered of them without a result when the capture ended
--   results    the results, the most frequent first
--   total_ms   total time until Node had the results
--   p50_ms     median time of a lookup
--   p99_ms     99th percentile
--   max_ms     the longest
--   max_queue_ms  the longest wait for a thread of the pool
-- Parameters:
--   limit=50  how many hosts
WITH outcome AS (
  SELECT host, resolver, coalesce(result, 'no answer') AS result, count(*) AS lookups FROM dns_lookups GROUP BY ALL
),
outcomes AS (
  SELECT host, resolver, array_to_string(list(result || ' ' || lookups ORDER BY lookups DESC, result), ', ') AS results
  FROM outcome
  GROUP BY ALL
)
SELECT
  d.host,
  d.resolver,
  count(*) AS lookups,
  count(*) FILTER (d.is_found) AS found,
  count(*) FILTER (d.total_ns IS NULL) AS unanswered,
  any_value(o.results) AS results,
  sum(d.total_ns) / 1e6 AS total_ms,
  quantile_disc(d.total_ns, 0.5) / 1e6 AS p50_ms,
  quantile_disc(d.total_ns, 0.99) / 1e6 AS p99_ms,
  max(d.total_ns) / 1e6 AS max_ms,
  max(d.queue_ns) / 1e6 AS max_queue_ms
FROM dns_lookups d
LEFT JOIN outcomes o ON o.host IS NOT DISTINCT FROM d.host AND o.resolver = d.resolver
GROUP BY d.host, d.resolver
ORDER BY total_ms DESC NULLS LAST, d.host, d.resolver
LIMIT CAST(getvariable('limit') AS BIGINT)
