package io.github.daikonauth.client;

/** The deadline passed before the operation finished. */
public final class DeadlineExceededException extends DaikonException {
  private static final long serialVersionUID = 1;

  DeadlineExceededException(String reason, String message, Details details) {
    super(Code.DEADLINE_EXCEEDED, reason, message, details);
  }
}
