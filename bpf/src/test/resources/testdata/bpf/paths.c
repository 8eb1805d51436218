/*
 * Calls one function on known paths. One request per line of stdin, one answer per line of stdout:
 *   walk N         N times: left() once, right() once, both() once; each of them calls leaf(), so that there are 4 * N calls
 *                  of leaf: N from left, N from right, N from left in both, N from right in both. Answers 4 * N
 *   values A B     calls leaf(A, B), both as decimal numbers of 64 bits; answers 1
 *   check A B I E  calls checked(A, B, I, E), all decimal numbers of 64 bits; answers 1
 *   spread N       calls leaf(I, 0) in N different depths of recursion, I from 0 to N - 1; answers N
 * Ends at the end of its input, with exit code 0. Compiled with frame pointers. leaf() calls sink() with its arguments: at the
 * first instruction of a function its caller may not be in the chain of frames yet, so that leaf may be missing above sink.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VISIBLE __attribute__((noinline, noclone, used))
/* No tail call: the caller must be on the stack. */
#define HERE __asm__ volatile("" ::: "memory")

VISIBLE long sink(long a, long b) { HERE; return a + b; }
VISIBLE long leaf(long a, long b) { long r = sink(a, b); HERE; return r; }
VISIBLE long checked(long a, long b, long i, long e) { HERE; return a + b + i + e; }
VISIBLE long left(long n) { long r = leaf(n, 10); HERE; return r; }
VISIBLE long right(long n) { long r = leaf(n, 20); HERE; return r; }
VISIBLE long both(long n) { long r = left(n); HERE; r += right(n); HERE; return r; }
VISIBLE long deeper(long n, long depth) { long r = depth == 0 ? leaf(n, 0) : deeper(n, depth - 1); HERE; return r; }

int main(void) {
    char line[256];
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin) != NULL) {
        long a = 0, b = 0;
        char *end;
        if (strncmp(line, "walk ", 5) == 0) {
            long count = strtol(line + 5, NULL, 10);
            for (long i = 0; i < count; i++) {
                left(i);
                right(i);
                both(i);
            }
            printf("%ld\n", 4 * count);
        } else if (strncmp(line, "values ", 7) == 0) {
            a = (long)strtoll(line + 7, &end, 10);
            b = (long)strtoll(end, NULL, 10);
            leaf(a, b);
            printf("1\n");
        } else if (strncmp(line, "check ", 6) == 0) {
            a = (long)strtoll(line + 6, &end, 10);
            b = (long)strtoll(end, &end, 10);
            long i = (long)strtoll(end, &end, 10);
            checked(a, b, i, (long)strtoll(end, NULL, 10));
            printf("1\n");
        } else if (strncmp(line, "spread ", 7) == 0) {
            long count = strtol(line + 7, NULL, 10);
            for (long i = 0; i < count; i++) {
                deeper(i, i);
            }
            printf("%ld\n", count);
        }
    }
    return 0;
}
