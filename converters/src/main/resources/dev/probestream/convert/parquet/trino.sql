-- The tables of a folder in Trino (tried on 476), by its Hive connector. Replace ${location} with the folder's URI, and
-- give the catalog hive.timestamp-precision=NANOSECONDS, hive.non-managed-table-writes-enabled=true.
-- Only the folder of a sink has days and hours: run the CALLs again when it has new ones. For a folder of 'convert',
-- leave out 'day', 'hour', 'partitioned_by' and the CALLs. Times are UTC.

CREATE TABLE events (
    ts timestamp(9),
    mono_ns bigint,
    capture_id bigint,
    "sequence" bigint,
    pid integer,
    tid integer,
    cpu integer,
    probe_id integer,
    probe varchar,
    category varchar,
    "kind" varchar,
    a0 bigint,
    a1 bigint,
    a2 bigint,
    a3 bigint,
    a4 bigint,
    a5 bigint,
    a6 bigint,
    a7 bigint,
    s0 varchar,
    s1 varchar,
    s2 varchar,
    more_numbers array(bigint),
    more_strings array(varchar),
    return_value bigint,
    stack_id bigint,
    host varchar,
    day date,
    hour integer
) WITH (
    format = 'PARQUET',
    external_location = '${location}/events',
    partitioned_by = ARRAY['day', 'hour']
);

CALL system.sync_partition_metadata(CURRENT_SCHEMA, 'events', 'FULL');

CREATE TABLE spans (
    ts timestamp(9),
    end_ts timestamp(9),
    duration_ns bigint,
    mono_ns bigint,
    capture_id bigint,
    "sequence" bigint,
    pid integer,
    tid integer,
    cpu integer,
    probe_id integer,
    probe varchar,
    category varchar,
    "kind" varchar,
    a0 bigint,
    a1 bigint,
    a2 bigint,
    a3 bigint,
    a4 bigint,
    a5 bigint,
    a6 bigint,
    a7 bigint,
    s0 varchar,
    s1 varchar,
    s2 varchar,
    more_numbers array(bigint),
    more_strings array(varchar),
    return_value bigint,
    stack_id bigint,
    host varchar,
    day date,
    hour integer
) WITH (
    format = 'PARQUET',
    external_location = '${location}/spans',
    partitioned_by = ARRAY['day', 'hour']
);

CALL system.sync_partition_metadata(CURRENT_SCHEMA, 'spans', 'FULL');

CREATE TABLE requests (
    ts timestamp(9),
    end_ts timestamp(9),
    duration_ns bigint,
    mono_ns bigint,
    capture_id bigint,
    request_id bigint,
    parent_request_id bigint,
    pid integer,
    tid integer,
    side varchar,
    method varchar,
    url varchar,
    route varchar,
    status integer,
    outcome varchar,
    is_tls boolean,
    keep_alive boolean,
    remote_address varchar,
    remote_port integer,
    local_address varchar,
    local_port integer,
    received_bytes bigint,
    sent_bytes bigint,
    head_ns bigint,
    javascript_ns bigint,
    gc_ns bigint,
    off_cpu_ns bigint,
    loop_wait_ns bigint,
    pool_queue_ns bigint,
    pool_run_ns bigint,
    network_ns bigint,
    unattributed_ns bigint,
    protocol varchar,
    operation varchar,
    statement varchar,
    "rows" bigint,
    reply varchar,
    error_code varchar,
    peer_name varchar,
    caller varchar,
    caller_package varchar,
    waited_ns bigint,
    trace_id varchar,
    span_id varchar,
    parent_source varchar,
    database varchar,
    day date,
    hour integer
) WITH (
    format = 'PARQUET',
    external_location = '${location}/requests',
    partitioned_by = ARRAY['day', 'hour']
);

CALL system.sync_partition_metadata(CURRENT_SCHEMA, 'requests', 'FULL');

CREATE TABLE request_events (
    capture_id bigint,
    request_id bigint,
    "sequence" bigint,
    source varchar,
    day date,
    hour integer
) WITH (
    format = 'PARQUET',
    external_location = '${location}/request_events',
    partitioned_by = ARRAY['day', 'hour']
);

CALL system.sync_partition_metadata(CURRENT_SCHEMA, 'request_events', 'FULL');

CREATE TABLE stacks (
    capture_id bigint,
    stack_id bigint,
    depth integer,
    symbol varchar,
    module varchar,
    "offset" bigint,
    "kind" varchar,
    file varchar,
    line integer,
    col integer,
    call_line integer,
    call_col integer,
    is_inlined boolean,
    is_async boolean,
    source_file varchar,
    source_line integer
) WITH (
    format = 'PARQUET',
    external_location = '${location}/stacks'
);

CREATE TABLE processes (
    capture_id bigint,
    pid integer,
    parent_pid integer,
    uid integer,
    name varchar,
    executable varchar,
    command_line array(varchar),
    start_ts timestamp(9),
    start_mono_ns bigint,
    end_ts timestamp(9),
    end_mono_ns bigint,
    exit_code integer,
    exit_signal integer
) WITH (
    format = 'PARQUET',
    external_location = '${location}/processes'
);

CREATE TABLE threads (
    capture_id bigint,
    pid integer,
    tid integer,
    name varchar,
    start_ts timestamp(9),
    start_mono_ns bigint,
    end_ts timestamp(9),
    end_mono_ns bigint
) WITH (
    format = 'PARQUET',
    external_location = '${location}/threads'
);

CREATE TABLE probes (
    capture_id bigint,
    probe_id integer,
    probe varchar,
    category varchar,
    "kind" varchar,
    spec varchar,
    module varchar,
    arguments array(row(name varchar, type varchar, unit varchar, flow varchar, "column" varchar, labels map(varchar, varchar))),
    return_type varchar,
    return_unit varchar,
    is_end_derived boolean
) WITH (
    format = 'PARQUET',
    external_location = '${location}/probes'
);

CREATE TABLE captures (
    capture_id bigint,
    ts timestamp(9),
    mono_ns bigint,
    boottime_ns bigint,
    host varchar,
    boot_id varchar,
    kernel_name varchar,
    kernel_release varchar,
    kernel_version varchar,
    machine varchar,
    cpu_count integer,
    tool_version varchar,
    command array(varchar),
    end_ts timestamp(9),
    end_mono_ns bigint,
    end_reason varchar,
    delivered bigint,
    lost bigint,
    is_complete boolean
) WITH (
    format = 'PARQUET',
    external_location = '${location}/captures'
);

CREATE TABLE losses (
    capture_id bigint,
    probe_id integer,
    probe varchar,
    cpu integer,
    reason varchar,
    "count" bigint,
    from_ts timestamp(9),
    from_mono_ns bigint,
    to_ts timestamp(9),
    to_mono_ns bigint
) WITH (
    format = 'PARQUET',
    external_location = '${location}/losses'
);

CREATE TABLE hit_summaries (
    capture_id bigint,
    probe_id integer,
    probe varchar,
    category varchar,
    pid integer,
    tid integer,
    from_ts timestamp(9),
    from_mono_ns bigint,
    to_ts timestamp(9),
    to_mono_ns bigint,
    "count" bigint,
    failed bigint,
    total_ns bigint,
    max_ns bigint,
    durations array(bigint)
) WITH (
    format = 'PARQUET',
    external_location = '${location}/hit_summaries'
);

CREATE TABLE gaps (
    capture_id bigint,
    category varchar,
    probe_id integer,
    probe varchar,
    reason varchar,
    from_ts timestamp(9),
    from_mono_ns bigint,
    to_ts timestamp(9),
    to_mono_ns bigint
) WITH (
    format = 'PARQUET',
    external_location = '${location}/gaps'
);

CREATE TABLE costs (
    capture_id bigint,
    from_ts timestamp(9),
    from_mono_ns bigint,
    to_ts timestamp(9),
    to_mono_ns bigint,
    target_cpu_ns bigint,
    probes array(row(probe_id integer, hits bigint, program_ns bigint, trap_ns bigint))
) WITH (
    format = 'PARQUET',
    external_location = '${location}/costs'
);
