// Burns cpu time in known functions, three parts in burn_long and one in burn_short, and waits in wait_for_word.
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double spent_ms(void) {
    struct timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return spent.tv_sec * 1e3 + spent.tv_nsec / 1e6;
}

static void burn_until(double end_ms) {
    while (spent_ms() < end_ms) {
        for (int i = 0; i < 10000; i++) {
            sink += i;
        }
    }
}

// The empty asm keeps the calls from becoming jumps, which would take the caller off the stack.
__attribute__((noinline)) static void burn_long(void) {
    burn_until(spent_ms() + 30);
    __asm__ volatile("");
}

__attribute__((noinline)) static void burn_short(void) {
    burn_until(spent_ms() + 10);
    __asm__ volatile("");
}

// syscall(2) of the C library has no frame of its own: whoever walks frame pointers does not see its caller.
__attribute__((noinline)) static int read_word(void) {
    char word;
    long count = syscall(SYS_read, 0, &word, 1);
    __asm__ volatile("");
    return count == 1 ? word : EOF;
}

__attribute__((noinline)) static int wait_for_word(void) {
    int word = read_word();
    __asm__ volatile("");
    return word;
}

int main(void) {
    for (int word = wait_for_word(); word != EOF; word = wait_for_word()) {
        if (word == '\n') {
            for (int i = 0; i < 10; i++) {
                burn_long();
                burn_short();
            }
            puts("burnt");
            fflush(stdout);
        }
    }
    return 0;
}
