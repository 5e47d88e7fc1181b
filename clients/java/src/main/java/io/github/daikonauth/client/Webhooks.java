package io.github.daikonauth.client;

import com.google.protobuf.InvalidProtocolBufferException;
import io.github.daikonauth.client.DaikonException.Details;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies requests to webhooks (Standard Webhooks). */
public final class Webhooks {
  /** By how much the clocks of daikon and this machine may differ. */
  private static final Duration TOLERANCE = Duration.ofMinutes(5);

  private Webhooks() {}

  /**
   * Verifies a request and returns its event: {@code Webhooks.verifyWebhook(List.of(secret), request::getHeader, body)}.
   * Pass the body as it was received, because parsing and formatting JSON changes it.
   *
   * @param secrets the secret of the webhook ({@code whsec_…}), or several
   * @param header returns a header by its name; null if there is none
   * @throws InvalidWebhookException if the request was not sent by daikon, or more than five minutes ago
   */
  public static WebhookEvent verifyWebhook(List<String> secrets, UnaryOperator<String> header, byte[] body) {
    String id = read(header, "webhook-id");
    String timestamp = read(header, "webhook-timestamp");
    String[] signatures = read(header, "webhook-signature").split(" ");
    if (!timestamp.matches("\\d{1,12}") || isOld(Long.parseLong(timestamp)))
      throw invalid("The request is too old, or the clock of this machine is wrong");
    byte[] prefix = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
    boolean isSigned = false;
    for (String secret : secrets) {
      byte[] expected = sign(secret, prefix, body).getBytes(StandardCharsets.UTF_8);
      for (String signature : signatures)
        isSigned |= MessageDigest.isEqual(signature.getBytes(StandardCharsets.UTF_8), expected);
    }
    if (!isSigned) throw invalid("The signature of the request is not valid");
    return readEvent(id, new String(body, StandardCharsets.UTF_8));
  }

  @SuppressWarnings("unchecked")
  private static WebhookEvent readEvent(String id, String body) {
    try {
      Map<String, Object> event = Json.parse(body);
      Long position = event.get("position") instanceof Double number ? number.longValue() : null;
      Map<String, Object> data = event.get("data") instanceof Map<?, ?> map ? (Map<String, Object>) map : Map.of();
      return new WebhookEvent(id, (String) event.get("type"), (String) event.get("timestamp"), position, data);
    } catch (InvalidProtocolBufferException error) {
      throw invalid("The body of the request is not a JSON object");
    }
  }

  private static String read(UnaryOperator<String> header, String name) {
    String value = header.apply(name);
    if (value == null || value.isEmpty()) throw invalid("The request has no header " + name);
    return value;
  }

  private static boolean isOld(long seconds) {
    return Math.abs(System.currentTimeMillis() / 1000 - seconds) > TOLERANCE.toSeconds();
  }

  private static String sign(String secret, byte[] prefix, byte[] body) {
    byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
    if (key.length == 0) throw new IllegalArgumentException("The secret of the webhook is empty");
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(prefix);
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException(error);
    }
  }

  private static InvalidWebhookException invalid(String message) {
    return new InvalidWebhookException("WEBHOOK_INVALID", message, Details.NONE);
  }
}
