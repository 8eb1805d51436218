package dev.probestream.bpf.kernel;

/** The commands of bpf(2) we use: {@code enum bpf_cmd} in linux/bpf.h. */
final class BpfCommand {
    static final int BPF_MAP_CREATE = 0;
    static final int BPF_MAP_LOOKUP_ELEM = 1;
    static final int BPF_MAP_UPDATE_ELEM = 2;
    static final int BPF_MAP_DELETE_ELEM = 3;
    static final int BPF_MAP_GET_NEXT_KEY = 4;
    static final int BPF_PROG_LOAD = 5;
    static final int BPF_OBJ_GET_INFO_BY_FD = 15;
    static final int BPF_RAW_TRACEPOINT_OPEN = 17;
    static final int BPF_MAP_LOOKUP_BATCH = 24;
    static final int BPF_LINK_CREATE = 28;
    static final int BPF_ENABLE_STATS = 32;

    private BpfCommand() {}
}
