package kit;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The protocol's word for what a caller can tell from an exception of a class, or of one below it. */
public record Kind(Class<? extends Throwable> of, String word) {
    /** The result of a call that ended in an exception: the first kind that matches counts, of it and then of its causes. */
    static Map<String, Object> result(Throwable failure, List<Kind> kinds) {
        Set<String> found = new LinkedHashSet<>();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            Throwable one = cause;
            kinds.stream().filter(kind -> kind.of.isInstance(one)).findFirst().ifPresent(kind -> found.add(kind.word));
        }
        if (found.isEmpty()) {
            found.add("other");
        }
        List<String> words = List.copyOf(found);
        Map<String, Object> error = Map.of(
            "kind", words.get(0),
            "chain", words.subList(1, words.size()),
            "message", failure.toString());
        return Map.of("outcome", "error", "error", error);
    }
}
