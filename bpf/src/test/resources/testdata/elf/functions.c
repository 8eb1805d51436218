// Every kind of symbol that may or may not be a function. Compiled by ElfFixture with gcc.
#include <stdio.h>

int visible(int x) { return x * 3 + 1; }

__attribute__((used)) static int hidden(int x) { return x * 5 + 2; }

int same(int x) __attribute__((alias("visible")));

__attribute__((weak)) int weakly(int x) { return x * 7 + 3; }

// What gcc names its copies and fragments of work(); asm labels make sure that they are there.
int work(int x) { return x * 11 + 4; }
int work_copy(int x) __asm__("work.constprop.0");
int work_copy(int x) { return x * 11 + 5; }
int work_part(int x) __asm__("work.part.1");
int work_part(int x) { return x * 11 + 6; }
int work_rest(int x) __asm__("work.cold");
int work_rest(int x) { return x * 11 + 7; }

// Chooses an implementation once, when the program starts.
static int chosen_plain(int x) { return x * 13 + 8; }
static int (*choose(void))(int) { return chosen_plain; }
int chosen(int x) __attribute__((ifunc("choose")));

// Without a size: reaches to the next symbol.
__asm__(".text\n.type sizeless, @function\nsizeless:\n nop\n nop\n ret\n");
// Not a function at all.
__asm__(".text\njust_a_label:\n nop\n ret\n");

int data_object = 42;

#ifdef LOOKS_LIKE_GO
__attribute__((used, section(".go.buildinfo"))) static const char go_build_info[] = "\xff Go buildinf:";
#endif

int main(int argc, char **argv) {
    int sum = visible(argc) + hidden(argc) + same(argc) + weakly(argc) + work(argc) + work_copy(argc)
            + work_part(argc) + work_rest(argc) + chosen(argc);
    printf("%d\n", sum);
    fflush(stdout);
    getchar();
    return 0;
}
