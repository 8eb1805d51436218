/*
 * Calls probed functions on request. One request per line of stdin, one answer per line of stdout:
 *   add A B        calls add(A, B), answers the sum
 *   repeat N       calls tick(0) to tick(N - 1), answers N
 *   threads T N    T threads call tick() N times each, answers T * N
 *   greet WORD     calls greet(WORD), answers the word's length
 *   other          calls other() once, answers 1
 *   serve          answers 1 and calls tick() each millisecond until there is more to read, or for 30 s, inside serve()
 *   pairs          answers 1 and calls tick(I) and other() in turn, I from 0, until there is more to read, with a pause of
 *                  1 ms after each 64 of both, so that a slow reader keeps up
 *   semaphore      answers the semaphore's address (hexadecimal) and value
 * Ends at the end of its input, with exit code 0.
 */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Keeps a call a call: the compiler must not see that it does nothing. The nop that begins each function is what the
 * kernel emulates instead of single-stepping it, which makes a hit many times cheaper.
 */
#define VISIBLE __attribute__((noinline, noclone, used, patchable_function_entry(1)))

VISIBLE long add(long a, long b) { __asm__ volatile(""); return a + b; }
VISIBLE long tick(long n) { __asm__ volatile(""); return n; }
VISIBLE long other(void) { __asm__ volatile(""); return 1; }
VISIBLE long greet(const char *word) { __asm__ volatile(""); return (long)strlen(word); }

/* A function whose first instruction the kernel refuses to probe; never called. */
#if defined(__x86_64__)
__asm__(".text\n.globl locked\n.type locked, @function\nlocked:\n lock orl $0, (%rsp)\n ret\n.size locked, . - locked\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl locked\n.type locked, %function\nlocked:\n svc #0\n ret\n.size locked, . - locked\n");
#endif

/* Two hundred places to probe, one byte (on arm64: four bytes) each; never called. */
__asm__(".text\n.globl sled\nsled:\n .rept 200\n nop\n .endr\n ret\n");

/* As a USDT semaphore lies: in the file's own data, counted up by the kernel while somebody is attached. */
__attribute__((section(".probes"), used)) volatile unsigned short semaphore = 0;

static void *ticker(void *count) {
    for (long i = 0; i < (long)count; i++) {
        tick(i);
    }
    return NULL;
}

/* A call that lasts while its thread keeps making others, as an event loop does. */
VISIBLE long serve(void) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    long turns = 0;
    printf("1\n");
    while (turns < 30000 && poll(&input, 1, 1) == 0) {
        tick(turns++);
    }
    return turns;
}

static void pairs(void) {
    struct pollfd input = {.fd = 0, .events = POLLIN};
    printf("1\n");
    for (long i = 0; i % 64 != 0 || poll(&input, 1, 1) == 0; i++) {
        tick(i);
        other();
    }
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
        } else if (strcmp(line, "serve\n") == 0) {
            serve();
        } else if (strcmp(line, "pairs\n") == 0) {
            pairs();
        } else if (strcmp(line, "semaphore\n") == 0) {
            printf("%lx %d\n", (unsigned long)&semaphore, semaphore);
        } else {
            printf("what?\n");
        }
    }
    return 0;
}
