package kit;

import java.util.List;

/**
 * What is judged.
 *
 * @param name how reports call the client
 * @param version the library's own word for it
 * @param capabilities the protocol's words for what the client can do or be told
 * @param kinds what its exceptions mean, the most telling first
 */
public record Library(String name, String version, List<String> capabilities, List<Kind> kinds, Opener opener) {
    /** Makes a client with connections of its own. */
    public interface Opener {
        /**
         * @param trust whom the client is to trust; null where its calls are not made over TLS
         * @throws Unsupported where the library has no setting for the policy
         */
        Client open(Policy policy, Trust trust) throws Exception;
    }
}
