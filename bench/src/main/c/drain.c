/*
 * Drains the ring buffer of another process with libbpf: the peer of RingBuffer.poll.
 *   drain PID FD   the ring buffer map that process PID has open as FD
 * For each line of stdin it drains what is there and answers: records, the CPU nanoseconds that took, and the sum of
 * the u64 at byte 8 of these records. To be linked with -lbpf.
 */
#define _GNU_SOURCE
#include <bpf/libbpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int add(void *sum, void *record, size_t size) {
    (void)size;
    *(uint64_t *)sum += ((uint64_t *)record)[1];
    return 0;
}

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

int main(int argc, char **argv) {
    char line[16];
    uint64_t sum = 0;
    if (argc != 3) {
        fprintf(stderr, "usage: drain PID FD\n");
        return 2;
    }
    int process = (int)syscall(SYS_pidfd_open, atoi(argv[1]), 0);
    int map = (int)syscall(SYS_pidfd_getfd, process, atoi(argv[2]), 0);
    struct ring_buffer *ring = ring_buffer__new(map, add, &sum, NULL);
    if (!ring) {
        perror("drain: take the ring buffer of the other process");
        return 1;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        sum = 0;
        long start = now();
        int records = ring_buffer__consume(ring);
        printf("%d %ld %lu\n", records, now() - start, sum);
    }
    ring_buffer__free(ring);
    return 0;
}
