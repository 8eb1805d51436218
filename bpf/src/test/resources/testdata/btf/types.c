// Structures whose fields are hard to find. types.btf was made of it by
//   cd / && gcc -gbtf -c types.c -o types.o && objcopy --dump-section .BTF=types.btf types.o
// (gcc 12.2, x86-64). FieldPathTest knows the offsets from offsetof().
typedef unsigned long long u64;
typedef struct {
    int counter;
} atomic_t;

enum color { RED, GREEN };

struct inner {
    char first;
    u64 second;
};

typedef struct inner inner_t;

struct outer {
    int plain;
    union {
        struct {
            short low;
            short high;
        };
        int both;
    };
    const volatile inner_t nested;
    struct inner *pointer;
    char comm[16];
    unsigned int flag : 1, level : 3, : 4, wide : 9;
    atomic_t usage;
    enum color color;
    int matrix[3][4];
    signed char minus;
    void (*callback)(struct outer *);
    struct {
        struct {
            union {
                long deep;
            };
        };
    } named;
};

struct outer an_outer;
