// C++ names of every shape that a spec can spell, and some that it cannot. Compiled by ElfFixture with g++.
#include <cstdio>
#include <cstdlib>

#define KEEP __attribute__((noinline, used))

namespace outer {
namespace inner {
struct Heap {
    KEEP Heap(int x) : size(x) {}
    KEEP ~Heap() { size = 0; }
    KEEP void collect(int x) { size += x; }
    KEEP void collect(const char *why) { size += why[0]; }
    KEEP int total() const { return size; }
    KEEP bool operator==(const Heap &other) const { return size == other.size; }
    template <typename T> KEEP T as(T x) { return x + size; }
    int size;
};

template <typename T, int N> struct Ring {
    KEEP T push(T x) { return x * N; }
};

enum Color { RED, GREEN };
template <Color C> KEEP int paint(int x) { return x + C; }

static KEEP int unseen(int x) { return x * 17; }

namespace {
KEEP int nameless(int x) { return x * 19; }
}
}  // namespace inner
}  // namespace outer

KEEP int free_standing(int x) { return x * 23; }
static KEEP int free_and_static(int x) { return x * 29; }
extern "C" KEEP int plain_c(int x) { return x * 31; }

using namespace outer::inner;

// Names that compilers give to copies and fragments of functions.
#define COPY(function, symbol) extern "C" KEEP int function(int x) __asm__(symbol); int function(int x) { return x; }
COPY(copy_of_cxx, "_ZN5outer5inner6shrunkEi.isra.0")
COPY(fragment_of_cxx, "_ZN5outer5inner6shrunkEi.cold")
COPY(copy_of_c, "shrunk_c.constprop.0")
COPY(part_of_c, "shrunk_c.part.1")
COPY(fragment_of_c, "shrunk_c.part.1.cold")

int main(int argc, char **) {
    Heap heap(argc);
    heap.collect(argc);
    heap.collect("why");
    auto twice = [argc](int x) KEEP { return x * argc; };
    Ring<int, 3> ints;
    Ring<Ring<long, 5>, 7> *none = nullptr;
    (void) none;
    Ring<long, 5> longs;
    int sum = heap.total() + heap.as<int>(2) + (int) heap.as<double>(1.5) + ints.push(2) + (int) longs.push(3L)
            + paint<GREEN>(1) + unseen(argc) + nameless(argc) + free_standing(argc) + free_and_static(argc)
            + plain_c(argc) + twice(argc) + (heap == Heap(3));
    std::printf("%d\n", sum);
    return 0;
}
