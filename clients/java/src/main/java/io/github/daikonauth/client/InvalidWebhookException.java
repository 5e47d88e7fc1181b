package io.github.daikonauth.client;

/** The request to a webhook was not sent by daikon, or too long ago. */
public final class InvalidWebhookException extends UnauthenticatedException {
  private static final long serialVersionUID = 1;

  InvalidWebhookException(String reason, String message, Details details) {
    super(reason, message, details);
  }
}
