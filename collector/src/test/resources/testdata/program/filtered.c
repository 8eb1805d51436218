/*
 * Calls functions with arguments that filters look at. One request per line of stdin, one answer per line of stdout:
 *   call A B C LENGTH INDEX TEXT   target(A, B, C, text, LENGTH, INDEX), which returns C; TEXT is null, wild (an address
 *                                  that is not mapped), or the text behind a colon, which may be empty
 *   chain N TEXT                   chained(&first), where first.next->n is N and first.next->text is TEXT
 *   broken                         chained(&first), where first.next leads nowhere
 *   eight                          eight(11, 22, 33, 44, 55, 66, 77, -88)
 *   sleep N                        sleepy(N), which takes N milliseconds
 *   rename NAME                    gives the thread a name
 * Ends at the end of its input, with exit code 0.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define VISIBLE __attribute__((noinline, noclone, used))
#define OPAQUE __asm__ volatile("" ::: "memory")
#define WILD ((void *)0x10)

struct node {
    long n;
    struct node *next;
    const char *text;
    long length;
};

VISIBLE long target(long a, long b, long c, const char *text, long length, long index) { OPAQUE; return c; }
VISIBLE long chained(struct node *first) { OPAQUE; return first->n; }
VISIBLE long eight(long a, long b, long c, long d, long e, long f, long g, long h) { OPAQUE; return g + h; }
VISIBLE long sleepy(long ms) {
    struct timespec wanted = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&wanted, &wanted) != 0) {
    }
    return ms;
}

int main(void) {
    char line[512];
    char text[400];
    long a, b, c, length, index;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "call %ld %ld %ld %ld %ld %399[^\n]", &a, &b, &c, &length, &index, text) == 6) {
            const char *passed = text[0] == ':' ? text + 1 : strcmp(text, "null") == 0 ? NULL : WILD;
            printf("%ld\n", target(a, b, c, passed, length, index));
        } else if (sscanf(line, "chain %ld %399[^\n]", &a, text) == 2) {
            struct node second = {a, NULL, text, (long)strlen(text)};
            struct node first = {-1, &second, NULL, 0};
            printf("%ld\n", chained(&first));
        } else if (strcmp(line, "broken") == 0) {
            struct node first = {-1, WILD, NULL, 0};
            printf("%ld\n", chained(&first));
        } else if (strcmp(line, "eight") == 0) {
            printf("%ld\n", eight(11, 22, 33, 44, 55, 66, 77, -88));
        } else if (sscanf(line, "sleep %ld", &a) == 1) {
            printf("%ld\n", sleepy(a));
        } else if (sscanf(line, "rename %399s", text) == 1) {
            printf("%d\n", prctl(PR_SET_NAME, text));
        } else {
            printf("what?\n");
        }
    }
    return 0;
}
