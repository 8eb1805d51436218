/*
 * Calls functions with known values on request. One request per line of stdin, one answer per line of stdout:
 *   threads T N    T threads call take(n, kind) for n = 0 to N - 1, kind = n % 5; answers T * N
 *   value V        calls take(V, 0), V a decimal number of 64 bits with or without a sign; answers V
 *   word W N       calls say(W) N times; answers N
 *   nowhere N      calls say() N times with an address nothing is mapped at; answers N
 *   code V         calls result(V), which returns it as an int; answers V
 *   codes T N      T threads call result(n % 3 - 1) for n = 0 to N - 1; answers T * N
 *   nap US         calls nap(US), which sleeps so many microseconds; answers US
 *   deep N         calls deep(N), which calls itself N times; answers N + 1
 * Ends at the end of its input, with exit code 0.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VISIBLE __attribute__((noinline, noclone, used, patchable_function_entry(1)))

VISIBLE long take(long n, int kind) { __asm__ volatile(""); return n + kind; }
VISIBLE void say(const char *word) { __asm__ volatile("" : : "r"(word)); }
VISIBLE int result(int code) { __asm__ volatile(""); return code; }
VISIBLE void nap(long us) { usleep(us); __asm__ volatile(""); }
VISIBLE long deep(long n) { long below = n > 0 ? deep(n - 1) : 0; __asm__ volatile(""); return below + 1; }

static void *taker(void *count) {
    for (long n = 0; n < (long)count; n++) {
        take(n, (int)(n % 5));
    }
    return NULL;
}

static void *returner(void *count) {
    for (long n = 0; n < (long)count; n++) {
        result((int)(n % 3) - 1);
    }
    return NULL;
}

static long threads(void *(*work)(void *), long n, long count) {
    pthread_t ids[64];
    for (long i = 0; i < n && i < 64; i++) {
        pthread_create(&ids[i], NULL, work, (void *)count);
    }
    for (long i = 0; i < n && i < 64; i++) {
        pthread_join(ids[i], NULL);
    }
    return n * count;
}

int main(void) {
    char line[512], word[400];
    long a, b;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "threads %ld %ld", &a, &b) == 2) {
            printf("%ld\n", threads(taker, a, b));
        } else if (sscanf(line, "value %399s", word) == 1) {
            take(word[0] == '-' ? strtoll(word, NULL, 10) : (long)strtoull(word, NULL, 10), 0);
            printf("%s\n", word);
        } else if (sscanf(line, "word %399s %ld", word, &b) == 2) {
            for (long i = 0; i < b; i++) {
                say(word);
            }
            printf("%ld\n", b);
        } else if (sscanf(line, "nowhere %ld", &b) == 1) {
            for (long i = 0; i < b; i++) {
                say((const char *)8);
            }
            printf("%ld\n", b);
        } else if (sscanf(line, "codes %ld %ld", &a, &b) == 2) {
            printf("%ld\n", threads(returner, a, b));
        } else if (sscanf(line, "code %ld", &a) == 1) {
            printf("%d\n", result((int)a));
        } else if (sscanf(line, "nap %ld", &a) == 1) {
            nap(a);
            printf("%ld\n", a);
        } else if (sscanf(line, "deep %ld", &a) == 1) {
            printf("%ld\n", deep(a));
        } else {
            printf("what?\n");
        }
    }
    return 0;
}
