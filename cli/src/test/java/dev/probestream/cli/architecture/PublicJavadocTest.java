package dev.probestream.cli.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.doctree.ReturnTree;
import com.sun.source.doctree.ThrowsTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every public element of the public packages has a complete comment: what it is, its parameters, its result and its
 * checked exceptions. The compiler's own check ({@code -Xdoclint:missing}) also asks for the components of a record once
 * more at a compact constructor, so it is not used.
 */
class PublicJavadocTest {
    static List<String> packages() {
        return PublicApiTest.PUBLIC.stream()
                .filter(name -> !name.equals("schema.record") && !name.equals("schema.perfetto"))
                .sorted()
                .toList();
    }

    @ParameterizedTest
    @MethodSource("packages")
    void everyPublicElementIsDescribed(String name) throws IOException {
        String module = name.split("\\.")[0];
        Path folder = Path.of("..", module, "src/main/java/dev/probestream", name.replace('.', '/'));
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(file -> file.toString().endsWith(".java")).toList();
        }
        assertThat(files).isNotEmpty();

        assertThat(missing(files)).as("missing in the comments of " + name).isEmpty();
    }

    private static List<String> missing(List<Path> files) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        List<String> missing = new ArrayList<>();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(
                    null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
            DocTrees docs = DocTrees.instance(task);
            for (CompilationUnitTree unit : task.parse()) {
                new PublicElements(docs, unit, missing).scan(unit, null);
            }
        }
        return missing;
    }

    /** Visits what other packages can use; methods that override take their comment from what they override. */
    private static final class PublicElements extends TreePathScanner<Void, Void> {
        private final DocTrees docs;
        private final String file;
        private final List<String> missing;

        PublicElements(DocTrees docs, CompilationUnitTree unit, List<String> missing) {
            this.docs = docs;
            this.file = Path.of(unit.getSourceFile().toUri()).getFileName().toString();
            this.missing = missing;
        }

        @Override
        public Void visitClass(ClassTree type, Void unused) {
            if (!isPublic(type.getModifiers())) {
                return null;
            }
            Set<String> components = type.getKind() == Tree.Kind.RECORD
                    ? type.getMembers().stream()
                            .filter(VariableTree.class::isInstance)
                            .map(VariableTree.class::cast)
                            .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC))
                            .map(field -> field.getName().toString())
                            .collect(Collectors.toCollection(TreeSet::new))
                    : new TreeSet<>();
            type.getTypeParameters().forEach(parameter -> components.add("<" + parameter.getName() + ">"));
            check(type.getSimpleName().toString(), components, false, Set.of());
            return super.visitClass(type, null);
        }

        @Override
        public Void visitMethod(MethodTree method, Void unused) {
            if (!isPublic(method.getModifiers()) || isOverride(method) || isOfRecord(method)) {
                return null;
            }
            Set<String> parameters = method.getParameters().stream()
                    .map(parameter -> parameter.getName().toString())
                    .collect(Collectors.toCollection(TreeSet::new));
            method.getTypeParameters().forEach(parameter -> parameters.add("<" + parameter.getName() + ">"));
            Tree result = method.getReturnType();
            boolean returns = result != null && !result.toString().equals("void");
            Set<String> thrown = method.getThrows().stream()
                    .map(ExpressionTree::toString)
                    .collect(Collectors.toCollection(TreeSet::new));
            check(method.getName().toString(), parameters, returns, thrown);
            return null;
        }

        @Override
        public Void visitVariable(VariableTree field, Void unused) {
            boolean isOfRecord = enclosing().getKind() == Tree.Kind.RECORD
                    && !field.getModifiers().getFlags().contains(Modifier.STATIC);
            if (isPublic(field.getModifiers()) && !isOfRecord) {
                check(field.getName().toString(), Set.of(), false, Set.of());
            }
            return null;
        }

        private void check(String name, Set<String> parameters, boolean returns, Set<String> thrown) {
            DocCommentTree comment = docs.getDocCommentTree(getCurrentPath());
            String where = file + ": " + name;
            if (comment == null || comment.getFullBody().isEmpty()) {
                missing.add(where);
                return;
            }
            boolean saysResult = comment.getFullBody().stream().anyMatch(ReturnTree.class::isInstance);
            Set<String> undescribed = new TreeSet<>(parameters);
            Set<String> unexplained = new TreeSet<>(thrown);
            for (DocTree tag : comment.getBlockTags()) {
                if (tag instanceof ParamTree parameter) {
                    String described = parameter.getName().getName().toString();
                    undescribed.remove(parameter.isTypeParameter() ? "<" + described + ">" : described);
                } else if (tag instanceof ThrowsTree failure) {
                    String type = failure.getExceptionName().toString();
                    unexplained.remove(type.substring(type.lastIndexOf('.') + 1));
                }
                saysResult |= tag instanceof ReturnTree;
            }
            undescribed.forEach(parameter -> missing.add(where + ": @param " + parameter));
            unexplained.forEach(type -> missing.add(where + ": @throws " + type));
            if (returns && !saysResult) {
                missing.add(where + ": @return");
            }
        }

        private boolean isPublic(ModifiersTree modifiers) {
            Set<Modifier> flags = modifiers.getFlags();
            boolean isOfInterface = enclosing().getKind() == Tree.Kind.INTERFACE && !flags.contains(Modifier.PRIVATE);
            return isOfInterface || flags.contains(Modifier.PUBLIC) || flags.contains(Modifier.PROTECTED);
        }

        /** The canonical constructor of a record, whose components the record describes. */
        private boolean isOfRecord(MethodTree method) {
            return method.getReturnType() == null && enclosing().getKind() == Tree.Kind.RECORD && isCompact(method);
        }

        private boolean isCompact(MethodTree method) {
            try {
                CompilationUnitTree unit = getCurrentPath().getCompilationUnit();
                int start = (int) docs.getSourcePositions().getStartPosition(unit, method);
                int body = (int) docs.getSourcePositions().getStartPosition(unit, method.getBody());
                return !unit.getSourceFile()
                        .getCharContent(true)
                        .subSequence(start, body)
                        .toString()
                        .contains("(");
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private static boolean isOverride(MethodTree method) {
            return method.getModifiers().getAnnotations().stream()
                    .anyMatch(annotation ->
                            annotation.getAnnotationType().toString().equals("Override"));
        }

        /** The type around the current element; the file, for a type that nothing is around. */
        private Tree enclosing() {
            TreePath parent = getCurrentPath().getParentPath();
            return parent.getLeaf();
        }
    }
}
