package kit;

/** The library has no setting for a policy, or cannot make such a call. */
public final class Unsupported extends Exception {
    private static final long serialVersionUID = 1;

    public Unsupported(String lacking) {
        super(lacking);
    }
}
