package io.github.daikonauth.client;

/** The cursor of a watch is older than the retention, or from before a restore of the database. */
public final class CursorGoneException extends DaikonException {
  private static final long serialVersionUID = 1;

  CursorGoneException(String reason, String message, Details details) {
    super(Code.OUT_OF_RANGE, reason, message, details);
  }
}
