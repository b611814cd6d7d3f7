package kit;

/** The caller cancelled the call, as the library says beside what it throws. */
public final class Canceled extends Exception {
    private static final long serialVersionUID = 1;

    public Canceled(Throwable thrown) {
        super(thrown);
    }
}
