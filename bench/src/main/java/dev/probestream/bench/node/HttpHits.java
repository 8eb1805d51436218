package dev.probestream.bench.node;

import java.nio.file.Path;

/**
 * A program of bpftrace that prints what the preset node-http records of a server, on Node 20 or newer: at the nine places
 * that show it without knowledge of Node's own structures, where node-http was before. What the server of this benchmark never
 * calls (TLS, connections of its own) is left out.
 */
final class HttpHits {
    private static final String PRINTING = """
            uprobe:NODE:uv__stream_io { printf("%lu %d event %lx %d\\n", nsecs, tid, arg1 - 136, *(int32 *)(arg1 + 48)); }
            uretprobe:NODE:uv__stream_io { printf("%lu %d event ends\\n", nsecs, tid); }
            uprobe:NODE:llhttp__on_message_begin { printf("%lu %d begins %lx %d\\n", nsecs, tid, arg0, *(uint8 *)(arg0 + 72)); }
            uprobe:NODE:llhttp__on_url { printf("%lu %d url %lx %s\\n", nsecs, tid, arg0, str(arg1, arg2 - arg1)); }
            uprobe:NODE:llhttp__on_headers_complete { printf("%lu %d headers %lx %d %d %d %d %d %d\\n", nsecs, tid, arg0,
              *(uint8 *)(arg0 + 72), *(uint8 *)(arg0 + 73), *(uint8 *)(arg0 + 74), *(uint8 *)(arg0 + 75), *(uint16 *)(arg0 + 82),
              *(uint8 *)(arg0 + 80)); }
            uprobe:NODE:llhttp__on_message_complete { printf("%lu %d ends %lx\\n", nsecs, tid, arg0); }
            uprobe:NODE:uv__try_write { @stream[tid] = arg0; @line[tid] = *(uint64 *)arg1; }
            uretprobe:NODE:uv__try_write /@line[tid]/ {
              if (strncmp(str(@line[tid]), "HTTP/1.", 7) == 0) {
                printf("%lu %d line %lx %s\\n", nsecs, tid, @stream[tid], str(@line[tid])); }
              printf("%lu %d written %lx %d\\n", nsecs, tid, @stream[tid], retval); delete(@line[tid]); delete(@stream[tid]); }
            uprobe:NODE:_ZZN4node15LibuvStreamWrap9ReadStartEvENUlP11uv_stream_slPK8uv_buf_tE0_4_FUNES2_lS5_ {
              printf("%lu %d read %lx %ld\\n", nsecs, tid, arg0, arg1); }
            uprobe:NODE:uv_accept { @accepted[tid] = arg1; }
            uretprobe:NODE:uv_accept /@accepted[tid]/ { printf("%lu %d accept %lx %d\\n", nsecs, tid, @accepted[tid], retval);
              delete(@accepted[tid]); }
            """;

    private HttpHits() {}

    /** Prints a line for each hit. */
    static String printing(Path executable) {
        return PRINTING.replace(":NODE:", ":" + executable + ":");
    }

    /** Counts the hits instead, and reads nothing. */
    static String counting(Path executable) {
        return printing(executable).replaceAll("printf\\(\"%lu %d (\\w+)[^;]*;", "@hits[\"$1\"] = count();");
    }
}
