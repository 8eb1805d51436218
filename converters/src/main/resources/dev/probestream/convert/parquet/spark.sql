-- The tables of a folder in Spark (tried on 4.1.3). Replace ${location} with the folder's URI.
-- Spark knows no nanoseconds: set spark.sql.legacy.parquet.nanosAsLong=true, and times are nanoseconds since 1970 UTC;
-- timestamp_micros(ts DIV 1000) makes a TIMESTAMP of one.
-- Only the folder of a sink has days and hours: run MSCK REPAIR TABLE again when it has new ones. For a folder of
-- 'convert', leave out 'day', 'hour', PARTITIONED BY and MSCK.

CREATE TABLE events (
    ts BIGINT,
    mono_ns BIGINT,
    capture_id BIGINT,
    `sequence` BIGINT,
    pid INT,
    tid INT,
    cpu INT,
    probe_id INT,
    probe STRING,
    category STRING,
    `kind` STRING,
    a0 BIGINT,
    a1 BIGINT,
    a2 BIGINT,
    a3 BIGINT,
    a4 BIGINT,
    a5 BIGINT,
    a6 BIGINT,
    a7 BIGINT,
    s0 STRING,
    s1 STRING,
    s2 STRING,
    more_numbers ARRAY<BIGINT>,
    more_strings ARRAY<STRING>,
    return_value BIGINT,
    stack_id BIGINT,
    host STRING,
    day DATE,
    hour INT
) USING parquet
PARTITIONED BY (day, hour)
LOCATION '${location}/events';

MSCK REPAIR TABLE events;

CREATE TABLE spans (
    ts BIGINT,
    end_ts BIGINT,
    duration_ns BIGINT,
    mono_ns BIGINT,
    capture_id BIGINT,
    `sequence` BIGINT,
    pid INT,
    tid INT,
    cpu INT,
    probe_id INT,
    probe STRING,
    category STRING,
    `kind` STRING,
    a0 BIGINT,
    a1 BIGINT,
    a2 BIGINT,
    a3 BIGINT,
    a4 BIGINT,
    a5 BIGINT,
    a6 BIGINT,
    a7 BIGINT,
    s0 STRING,
    s1 STRING,
    s2 STRING,
    more_numbers ARRAY<BIGINT>,
    more_strings ARRAY<STRING>,
    return_value BIGINT,
    stack_id BIGINT,
    host STRING,
    day DATE,
    hour INT
) USING parquet
PARTITIONED BY (day, hour)
LOCATION '${location}/spans';

MSCK REPAIR TABLE spans;

CREATE TABLE requests (
    ts BIGINT,
    end_ts BIGINT,
    duration_ns BIGINT,
    mono_ns BIGINT,
    capture_id BIGINT,
    request_id BIGINT,
    parent_request_id BIGINT,
    pid INT,
    tid INT,
    side STRING,
    method STRING,
    url STRING,
    route STRING,
    status INT,
    outcome STRING,
    is_tls BOOLEAN,
    keep_alive BOOLEAN,
    remote_address STRING,
    remote_port INT,
    local_address STRING,
    local_port INT,
    received_bytes BIGINT,
    sent_bytes BIGINT,
    head_ns BIGINT,
    javascript_ns BIGINT,
    gc_ns BIGINT,
    off_cpu_ns BIGINT,
    loop_wait_ns BIGINT,
    pool_queue_ns BIGINT,
    pool_run_ns BIGINT,
    network_ns BIGINT,
    unattributed_ns BIGINT,
    protocol STRING,
    operation STRING,
    statement STRING,
    rows BIGINT,
    reply STRING,
    error_code STRING,
    peer_name STRING,
    caller STRING,
    caller_package STRING,
    waited_ns BIGINT,
    trace_id STRING,
    span_id STRING,
    parent_source STRING,
    database STRING,
    day DATE,
    hour INT
) USING parquet
PARTITIONED BY (day, hour)
LOCATION '${location}/requests';

MSCK REPAIR TABLE requests;

CREATE TABLE request_events (
    capture_id BIGINT,
    request_id BIGINT,
    `sequence` BIGINT,
    source STRING,
    day DATE,
    hour INT
) USING parquet
PARTITIONED BY (day, hour)
LOCATION '${location}/request_events';

MSCK REPAIR TABLE request_events;

CREATE TABLE stacks (
    capture_id BIGINT,
    stack_id BIGINT,
    depth INT,
    symbol STRING,
    module STRING,
    `offset` BIGINT,
    `kind` STRING,
    file STRING,
    line INT,
    col INT,
    call_line INT,
    call_col INT,
    is_inlined BOOLEAN,
    is_async BOOLEAN,
    source_file STRING,
    source_line INT
) USING parquet
LOCATION '${location}/stacks';

CREATE TABLE processes (
    capture_id BIGINT,
    pid INT,
    parent_pid INT,
    uid INT,
    name STRING,
    executable STRING,
    command_line ARRAY<STRING>,
    start_ts BIGINT,
    start_mono_ns BIGINT,
    end_ts BIGINT,
    end_mono_ns BIGINT,
    exit_code INT,
    exit_signal INT
) USING parquet
LOCATION '${location}/processes';

CREATE TABLE threads (
    capture_id BIGINT,
    pid INT,
    tid INT,
    name STRING,
    start_ts BIGINT,
    start_mono_ns BIGINT,
    end_ts BIGINT,
    end_mono_ns BIGINT
) USING parquet
LOCATION '${location}/threads';

CREATE TABLE probes (
    capture_id BIGINT,
    probe_id INT,
    probe STRING,
    category STRING,
    `kind` STRING,
    spec STRING,
    module STRING,
    arguments ARRAY<STRUCT<name: STRING, type: STRING, unit: STRING, flow: STRING, `column`: STRING, labels: MAP<STRING, STRING>>>,
    return_type STRING,
    return_unit STRING,
    is_end_derived BOOLEAN
) USING parquet
LOCATION '${location}/probes';

CREATE TABLE captures (
    capture_id BIGINT,
    ts BIGINT,
    mono_ns BIGINT,
    boottime_ns BIGINT,
    host STRING,
    boot_id STRING,
    kernel_name STRING,
    kernel_release STRING,
    kernel_version STRING,
    machine STRING,
    cpu_count INT,
    tool_version STRING,
    command ARRAY<STRING>,
    end_ts BIGINT,
    end_mono_ns BIGINT,
    end_reason STRING,
    delivered BIGINT,
    lost BIGINT,
    is_complete BOOLEAN
) USING parquet
LOCATION '${location}/captures';

CREATE TABLE losses (
    capture_id BIGINT,
    probe_id INT,
    probe STRING,
    cpu INT,
    reason STRING,
    `count` BIGINT,
    from_ts BIGINT,
    from_mono_ns BIGINT,
    to_ts BIGINT,
    to_mono_ns BIGINT
) USING parquet
LOCATION '${location}/losses';

CREATE TABLE hit_summaries (
    capture_id BIGINT,
    probe_id INT,
    probe STRING,
    category STRING,
    pid INT,
    tid INT,
    from_ts BIGINT,
    from_mono_ns BIGINT,
    to_ts BIGINT,
    to_mono_ns BIGINT,
    `count` BIGINT,
    failed BIGINT,
    total_ns BIGINT,
    max_ns BIGINT,
    durations ARRAY<BIGINT>
) USING parquet
LOCATION '${location}/hit_summaries';

CREATE TABLE gaps (
    capture_id BIGINT,
    category STRING,
    probe_id INT,
    probe STRING,
    reason STRING,
    from_ts BIGINT,
    from_mono_ns BIGINT,
    to_ts BIGINT,
    to_mono_ns BIGINT
) USING parquet
LOCATION '${location}/gaps';

CREATE TABLE costs (
    capture_id BIGINT,
    from_ts BIGINT,
    from_mono_ns BIGINT,
    to_ts BIGINT,
    to_mono_ns BIGINT,
    target_cpu_ns BIGINT,
    probes ARRAY<STRUCT<probe_id: INT, hits: BIGINT, program_ns: BIGINT, trap_ns: BIGINT>>
) USING parquet
LOCATION '${location}/costs';
