package io.github.daikonauth.client;

/** An argument is missing or malformed; {@link #fields} lists each one. */
public final class InvalidArgumentException extends DaikonException {
  private static final long serialVersionUID = 1;

  InvalidArgumentException(String reason, String message, Details details) {
    super(Code.INVALID_ARGUMENT, reason, message, details);
  }
}
