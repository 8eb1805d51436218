/* Prints where a thread-local variable lies from the thread pointer. */
#include <stdio.h>

static __thread char other[24] = "initialised";
__thread long wanted;
__thread int aligned __attribute__((aligned(64)));

int main(void) {
    char *pointer;
    __asm__("mov %%fs:0, %0" : "=r"(pointer));
    printf("%ld %d %d\n", (long) ((char *) &wanted - pointer), other[0], aligned);
    return 0;
}
