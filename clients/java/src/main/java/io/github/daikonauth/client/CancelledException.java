package io.github.daikonauth.client;

/** The thread was interrupted, or the client was closed. */
public final class CancelledException extends DaikonException {
  private static final long serialVersionUID = 1;

  CancelledException(String reason, String message, Details details) {
    super(Code.CANCELLED, reason, message, details);
  }
}
