package dev.probestream.bpf.elf;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CxxFunctionsTest {
    @TempDir
    static Path folder;

    private static ElfFile elf;

    @BeforeAll
    static void compile() throws Exception {
        elf = ElfFile.open(ElfFixture.compile(folder, "names.cpp", "names", "-fno-inline"));
    }

    @AfterAll
    static void close() throws Exception {
        elf.close();
    }

    /** What c++filt makes of the symbols found. */
    private static List<String> found(String name) throws Exception {
        TreeSet<String> demangled = new TreeSet<>();
        for (ElfSymbol symbol : elf.cxxFunctions(name)) {
            demangled.add(ElfFixture.run("c++filt", symbol.name()).strip());
        }
        return List.copyOf(demangled);
    }

    @Test
    void qualifiedNameFindsAllOverloads() throws Exception {
        assertThat(found("outer::inner::Heap::collect"))
                .containsExactly("outer::inner::Heap::collect(char const*)", "outer::inner::Heap::collect(int)");
    }

    @Test
    void constMethodIsFoundLikeAnyOther() throws Exception {
        assertThat(found("outer::inner::Heap::total")).containsExactly("outer::inner::Heap::total() const");
    }

    @Test
    void constructorAndDestructorAreNamedByTheClass() throws Exception {
        assertThat(found("outer::inner::Heap::Heap")).containsExactly("outer::inner::Heap::Heap(int)");
        assertThat(found("outer::inner::Heap::~Heap")).containsExactly("outer::inner::Heap::~Heap()");
    }

    @Test
    void templateIsFoundInAllItsInstances() throws Exception {
        assertThat(found("outer::inner::Heap::as"))
                .containsExactly(
                        "double outer::inner::Heap::as<double>(double)", "int outer::inner::Heap::as<int>(int)");
        assertThat(found("outer::inner::Ring::push"))
                .containsExactly("outer::inner::Ring<int, 3>::push(int)", "outer::inner::Ring<long, 5>::push(long)");
        assertThat(found("outer::inner::paint"))
                .containsExactly("int outer::inner::paint<(outer::inner::Color)1>(int)");
    }

    @Test
    void staticAndNamelessFunctionsAreFound() throws Exception {
        assertThat(found("outer::inner::unseen")).containsExactly("outer::inner::unseen(int)");
        assertThat(found("outer::inner::(anonymous namespace)::nameless"))
                .containsExactly("outer::inner::(anonymous namespace)::nameless(int)");
    }

    @Test
    void functionOutsideNamespacesNeedsNoColons() throws Exception {
        assertThat(found("free_standing")).containsExactly("free_standing(int)");
        assertThat(found("free_and_static")).containsExactly("free_and_static(int)");
        assertThat(found("plain_c")).isEmpty(); // not mangled: its name is exact
    }

    @Test
    void globStaysWithinOneComponent() throws Exception {
        assertThat(found("outer::*::Heap::coll*")).hasSize(2);
        assertThat(found("outer::*::collect")).isEmpty();
        assertThat(found("*::inner::*::push")).hasSize(2);
        assertThat(found("outer::inner::He?p::total")).hasSize(1);
    }

    @Test
    void partOfANameIsNotEnough() throws Exception {
        assertThat(found("Heap::collect")).isEmpty();
        assertThat(found("outer::inner::Heap::collec")).isEmpty();
        assertThat(found("outer::inner")).isEmpty();
        assertThat(found("")).isEmpty();
        assertThat(found("::")).isEmpty();
    }

    @Test
    void symbolKnowsItsQualifiedName() throws Exception {
        assertThat(elf.cxxFunctions("outer::inner::Heap::total").get(0).qualifiedName())
                .isEqualTo("outer::inner::Heap::total");
        assertThat(elf.cxxFunctions("outer::inner::Heap::~Heap").get(0).qualifiedName())
                .isEqualTo("outer::inner::Heap::~Heap");
        assertThat(elf.function("plain_c").orElseThrow().qualifiedName()).isEqualTo("plain_c");
    }

    @Test
    void copiesOfTheCompilerAreFoundByTheNameInTheSource() throws Exception {
        assertThat(elf.copiesOf("outer::inner::shrunk"))
                .extracting(ElfSymbol::name)
                .containsExactly("_ZN5outer5inner6shrunkEi.isra.0");
        assertThat(elf.copiesOf("shrunk_c"))
                .extracting(ElfSymbol::name)
                .containsExactlyInAnyOrder("shrunk_c.constprop.0", "shrunk_c.part.1");
        assertThat(elf.copiesOf("shrunk")).isEmpty();
        assertThat(elf.copiesOf("plain_c")).isEmpty();
        assertThat(elf.cxxFunctions("outer::inner::shrunk")).isEmpty();
    }

    @Test
    void nearestNameOfAMistypedCxxNameIsOneThatCanBeWritten() throws Exception {
        assertThat(elf.nearestNames("outer::inner::Heap::colect", 3)).startsWith("outer::inner::Heap::collect");
        assertThat(elf.nearestNames("outer::Heap::total", 3)).contains("outer::inner::Heap::total");
        assertThat(elf.nearestNames("totl", 3)).contains("outer::inner::Heap::total");
    }
}
