/* Passes late:hit with 1 and 2 as soon as it runs, in a library that it is linked to. */
void late_hit(long value);

int main(void) {
    late_hit(1);
    late_hit(2);
    return 0;
}
