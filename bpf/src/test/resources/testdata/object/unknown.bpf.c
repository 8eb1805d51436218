// A program of a kind that is not supported.
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("xdp")
int pass(struct xdp_md *ctx) {
    return XDP_PASS;
}
