package io.github.daikonauth.client;

/** daikon cannot be reached, or cannot reach its database. */
public final class UnavailableException extends DaikonException {
  private static final long serialVersionUID = 1;

  UnavailableException(String reason, String message, Details details) {
    super(Code.UNAVAILABLE, reason, message, details);
  }
}
