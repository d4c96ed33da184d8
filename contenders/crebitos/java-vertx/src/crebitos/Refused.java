package crebitos;

/** A request that is refused, and the status that says why. */
final class Refused extends RuntimeException {
    final int status;

    Refused(int status) {
        // It is no fault of the program, so nothing needs its stack trace.
        super("refused by " + status, null, false, false);
        this.status = status;
    }
}
