/*
 * Calls a probed function on request. One request per line of stdin, one answer per line of stdout:
 *   call N         calls probed() N times, answers the CPU nanoseconds that took this thread
 *   pace T N R     T threads call probed() N times each, R times a second each (0 = as fast as they can), answers the
 *                  wall nanoseconds that took, and the CPU nanoseconds of all threads
 * Ends at the end of its input.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_THREADS 64
#define PERIOD_NS 1000000

/*
 * Begins with a push, as most functions of C and C++ do: an instruction the kernel emulates. Others it single-steps,
 * which takes some 9 microseconds more. Hence not left to the compiler where we know the machine.
 */
#ifdef __x86_64__
__attribute__((naked, noinline, noclone, used)) long probed(long a, long b, long c, long d, const char *text) {
    __asm__("push %rbp\n\tmov %rdi, %rax\n\tpop %rbp\n\tret");
}
#else
__attribute__((noinline, noclone, used)) long probed(long a, long b, long c, long d, const char *text) {
    __asm__ volatile("" : : "r"(b), "r"(c), "r"(d), "r"(text));
    return a;
}
#endif

static long now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

/* Keys to count by: 64 numbers and 4 texts. */
static void call(long n) {
    static const char *const texts[] = {"/srv/app/a.txt", "/srv/app/b.txt", "/srv/app/c.txt", "/srv/app/d.txt"};
    for (long i = 0; i < n; i++) {
        probed(i, i & 63, 3, 4, texts[i & 3]);
    }
}

struct pace {
    long count;
    long per_second;
};

static void *paced(void *argument) {
    struct pace *pace = argument;
    if (pace->per_second == 0) {
        call(pace->count);
        return NULL;
    }
    long per_period = pace->per_second / (1000000000L / PERIOD_NS);
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (long left = pace->count; left > 0; left -= per_period) {
        call(left < per_period ? left : per_period);
        next.tv_nsec += PERIOD_NS;
        if (next.tv_nsec >= 1000000000L) {
            next.tv_nsec -= 1000000000L;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    return NULL;
}

static void pace(int threads, struct pace pace) {
    pthread_t ids[MAX_THREADS];
    for (int i = 0; i < threads; i++) {
        pthread_create(&ids[i], NULL, paced, &pace);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
    }
}

int main(void) {
    char line[128];
    long n, per_second;
    int threads;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "call %ld", &n) == 1) {
            long start = now(CLOCK_THREAD_CPUTIME_ID);
            call(n);
            printf("%ld\n", now(CLOCK_THREAD_CPUTIME_ID) - start);
        } else if (sscanf(line, "pace %d %ld %ld", &threads, &n, &per_second) == 3 && threads <= MAX_THREADS) {
            long start = now(CLOCK_MONOTONIC);
            long cpu_start = now(CLOCK_PROCESS_CPUTIME_ID);
            pace(threads, (struct pace){n, per_second});
            printf("%ld %ld\n", now(CLOCK_MONOTONIC) - start, now(CLOCK_PROCESS_CPUTIME_ID) - cpu_start);
        } else {
            printf("what?\n");
        }
    }
    return 0;
}
