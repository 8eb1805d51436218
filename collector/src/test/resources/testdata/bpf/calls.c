/*
 * Calls probed functions on request. One request per line of stdin, one answer per line of stdout:
 *   add A B        calls add(A, B), answers the sum
 *   repeat N       calls tick(0) to tick(N - 1), answers N
 *   threads T N    T threads call tick() N times each, answers T * N
 *   greet WORD     calls greet(WORD), answers the word's length
 *   other          calls other() once, answers 1
 * Ends at the end of its input, with exit code 0.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keeps a call a call: the compiler must not see that it does nothing. */
#define VISIBLE __attribute__((noinline, noclone, used))

VISIBLE long add(long a, long b) { __asm__ volatile(""); return a + b; }
VISIBLE long tick(long n) { __asm__ volatile(""); return n; }
VISIBLE long other(void) { __asm__ volatile(""); return 1; }
VISIBLE long greet(const char *word) { __asm__ volatile(""); return (long)strlen(word); }

static void *ticker(void *count) {
    for (long i = 0; i < (long)count; i++) {
        tick(i);
    }
    return NULL;
}

static long threads(int n, long count) {
    pthread_t ids[64];
    for (int i = 0; i < n && i < 64; i++) {
        pthread_create(&ids[i], NULL, ticker, (void *)count);
    }
    for (int i = 0; i < n && i < 64; i++) {
        pthread_join(ids[i], NULL);
    }
    return n * count;
}

int main(void) {
    char line[256], word[256];
    long a, b;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "add %ld %ld", &a, &b) == 2) {
            printf("%ld\n", add(a, b));
        } else if (sscanf(line, "repeat %ld", &a) == 1) {
            ticker((void *)a);
            printf("%ld\n", a);
        } else if (sscanf(line, "threads %ld %ld", &a, &b) == 2) {
            printf("%ld\n", threads((int)a, b));
        } else if (sscanf(line, "greet %255s", word) == 1) {
            printf("%ld\n", greet(word));
        } else if (strcmp(line, "other\n") == 0) {
            printf("%ld\n", other());
        } else {
            printf("what?\n");
        }
    }
    return 0;
}
