// Calls of overloads and of instances of a template, each another number of times.
namespace ns {
__attribute__((noinline)) int f(int x) {
    asm volatile("" ::: "memory");
    return x + 1;
}
__attribute__((noinline)) int f(double x) {
    asm volatile("" ::: "memory");
    return (int) x;
}
template <typename T> __attribute__((noinline)) T g(T x) {
    asm volatile("" ::: "memory");
    return x * 2;
}
}  // namespace ns

int main() {
    int sum = 0;
    for (int i = 0; i < 2; i++) {
        sum += ns::f(i);
    }
    for (int i = 0; i < 3; i++) {
        sum += ns::f(i * 1.5);
    }
    for (int i = 0; i < 5; i++) {
        sum += ns::g(i);
    }
    return sum + (int) ns::g(1.5) == 0;
}
