/*
 * Calls probed functions at a steady rate. Started with the seconds after which it ends by itself. One request per line
 * of stdin, one answer per line of stdout:
 *   go THREADS RATE  THREADS threads call beat(n) RATE times a second together, and work(n) for every eighth n;
 *                    answers "going"
 *   stop             ends them; answers how many calls beat() and work() had since the start, together
 * No n comes twice. Ends at the end of its input, with exit code 0.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Keeps a call a call: the compiler must not see that it does nothing. */
#define VISIBLE __attribute__((noinline, noclone, used))
#define OPAQUE __asm__ volatile("" ::: "memory")

enum { MAX_THREADS = 16, STEPS_PER_SECOND = 200, STEP_NS = 1000000000 / STEPS_PER_SECOND };

VISIBLE long beat(long n) { OPAQUE; return n; }
VISIBLE long work(long n) { OPAQUE; return 2 * n; }

static atomic_bool going;
static atomic_long next_number;
static atomic_long calls;
static pthread_t ids[MAX_THREADS];
static int thread_count;
static long calls_per_step;

static void step_later(struct timespec *time) {
    time->tv_nsec += STEP_NS;
    if (time->tv_nsec >= 1000000000) {
        time->tv_nsec -= 1000000000;
        time->tv_sec++;
    }
}

static void *beats(void *argument) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    while (going) {
        long first = atomic_fetch_add(&next_number, calls_per_step);
        long made = 0;
        for (long n = first; n < first + calls_per_step; n++) {
            beat(n);
            made++;
            if (n % 8 == 0) {
                work(n);
                made++;
            }
        }
        atomic_fetch_add(&calls, made);
        step_later(&time);
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
    }
    return argument;
}

static void go(int threads, long rate) {
    thread_count = threads < MAX_THREADS ? threads : MAX_THREADS;
    calls_per_step = rate / STEPS_PER_SECOND / thread_count;
    if (calls_per_step < 1) {
        calls_per_step = 1;
    }
    going = 1;
    for (int i = 0; i < thread_count; i++) {
        pthread_create(&ids[i], NULL, beats, NULL);
    }
}

static void stop(void) {
    going = 0;
    for (int i = 0; i < thread_count; i++) {
        pthread_join(ids[i], NULL);
    }
    thread_count = 0;
}

int main(int argc, char **argv) {
    char line[64];
    int threads;
    long rate;
    alarm(argc > 1 ? (unsigned)atoi(argv[1]) : 60);
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "go %d %ld", &threads, &rate) == 2) {
            go(threads, rate);
            puts("going");
        } else if (strcmp(line, "stop\n") == 0) {
            stop();
            printf("%ld\n", (long)calls);
        } else {
            puts("?");
        }
    }
    stop();
    return 0;
}
