/* Calls outer(), which calls work(), as often as a line of its input says. */
#include <stdio.h>
#include <stdlib.h>

int work(const char *path, int n) {
    __asm__ volatile("" ::: "memory");
    return n * 2;
}

int outer(const char *path, int n) {
    int result = work(path, n);
    __asm__ volatile("" ::: "memory");
    return result + 1;
}

int main(void) {
    char line[64];
    puts("ready");
    fflush(stdout);
    while (fgets(line, sizeof line, stdin)) {
        for (int i = 0, count = atoi(line); i < count; i++) {
            outer(i % 2 ? "/etc/\033[31mred" : "/tmp/a \"b\"", i - 2);
        }
        puts("done");
        fflush(stdout);
    }
    return 0;
}
