package dev.probestream.query.report.analysis.fact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NativeNameTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "v8::internal::JsonParser<unsigned char>::ParseJsonValue() | v8::internal::JsonParser<…>::ParseJsonValue",
                "std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>::append(char const*) | std::string::append",
                "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_append(char const*, unsigned long) | std::string::_M_append",
                "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::basic_string(char const*) | std::string",
                "void std::__1::vector<int, std::__1::allocator<int>>::push_back(int&&) | std::vector<…>::push_back",
                "unsigned long (anonymous namespace)::Hash<int>::of(int) const | (anonymous namespace)::Hash<…>::of",
                "(anonymous namespace)::parse(char const*) | (anonymous namespace)::parse",
                "ns::A::operator()(int) const | ns::A::operator()",
                "bool ns::operator<(ns::A const&, ns::A const&) | ns::operator<",
                "std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*) | std::operator<< <…>",
                "ns::A::operator->() | ns::A::operator->",
                "ns::A::operator bool() const | ns::A::operator bool",
                "operator new(unsigned long) | operator new",
                "node::Run(int)::{lambda(int)#1}::operator()(int) const | node::Run::{lambda#1}::operator()",
                "ns::f(std::function<int (int)>) | ns::f",
                "ns::f(int) [clone .cold] | ns::f [clone .cold]",
                "non-virtual thunk to ns::A::f() | ns::A::f",
                "uv__io_poll | uv__io_poll",
                "main.(*Server).handle | main.(*Server).handle",
                "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop | <alloc::vec::Vec<…> as core::ops::drop::Drop>::drop",
                "core::ptr::drop_in_place<alloc::string::String> | core::ptr::drop_in_place<…>",
                "do_syscall_64 | do_syscall_64",
            })
    void leavesOutTypesAndParameters(String full, String wanted) {
        assertThat(NativeName.shortened(full)).isEqualTo(wanted);
    }

    @Test
    void anyTextHasANameThatIsNotLonger() {
        Random random = new Random(3);
        String parts = "<>()[]{} :&*-,.abstd::__1::operator";
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder("x");
            for (int length = random.nextInt(30); length > 0; length--) {
                text.append(random.nextInt(4) == 0 ? "operator" : parts.charAt(random.nextInt(parts.length())) + "");
            }
            assertThatCode(() ->
                            assertThat(NativeName.shortened(text.toString())).isNotEmpty())
                    .as(text.toString())
                    .doesNotThrowAnyException();
        }
    }
}
