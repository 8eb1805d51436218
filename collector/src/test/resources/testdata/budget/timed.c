/*
 * Calls probed functions all the time and remembers when. One request per line of stdin, one answer per line of stdout:
 *   paced NS       a thread calls tick(I), I from 0, and spins for NS after each; another calls hold(I), which lasts 20 ms.
 *                  Answers 1 at once
 *   dump FILE      ends both and writes the time before each tick(I), CLOCK_MONOTONIC in ns, a line each; answers how many.
 *                  Not after 2^26 calls
 *   dumpholds FILE the same of hold(I)
 * Ends at the end of its input, with exit code 0.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define VISIBLE __attribute__((noinline, noclone, used, patchable_function_entry(1)))
#define MAX_CALLS (64L << 20)

static long *ticks, *holds;
static long tick_count, hold_count, pause_ns;
static atomic_int ended;
static pthread_t ticker, holder;

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

VISIBLE long tick(long n) { __asm__ volatile(""); return n; }

VISIBLE long hold(long n) {
    struct timespec time = {0, 20000000};
    nanosleep(&time, NULL);
    return n;
}

static void *tick_on(void *unused) {
    while (!ended) {
        ticks[tick_count % MAX_CALLS] = now();
        tick(tick_count++);
        for (long until = pause_ns ? now() + pause_ns : 0; until && now() < until;) {
        }
    }
    return unused;
}

static void *hold_on(void *unused) {
    while (!ended) {
        holds[hold_count] = now();
        hold(hold_count++);
    }
    return unused;
}

static void dump(const char *path, const long *times, long count) {
    FILE *file = fopen(path, "w");
    for (long i = 0; file && i < count; i++) {
        fprintf(file, "%ld\n", times[i]);
    }
    if (file) {
        fclose(file);
    }
    printf("%ld\n", count);
}

int main(void) {
    char line[4096];
    ticks = malloc(MAX_CALLS * sizeof(long));
    holds = malloc(MAX_CALLS * sizeof(long));
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (!strncmp(line, "paced ", 6)) {
            pause_ns = atol(line + 6);
            pthread_create(&ticker, NULL, tick_on, NULL);
            pthread_create(&holder, NULL, hold_on, NULL);
            puts("1");
        } else {
            if (!ended) {
                ended = 1;
                pthread_join(ticker, NULL);
                pthread_join(holder, NULL);
            }
            if (!strncmp(line, "dumpholds ", 10)) {
                dump(line + 10, holds, hold_count);
            } else {
                dump(line + 5, ticks, tick_count);
            }
        }
        fflush(stdout);
    }
    return 0;
}
