package io.github.daikonauth.client;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import io.github.daikonauth.client.Arguments.SubjectName;
import io.github.daikonauth.client.DaikonException.Details;
import io.github.daikonauth.v1.Key;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.RSAPublicKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Verifies access tokens with cached keys. */
final class Tokens {
  private static final long MAX_AGE = TimeUnit.MINUTES.toNanos(5);

  /** Limits how often forged tokens can make the verifier reload the keys. */
  private static final long MIN_RELOAD = TimeUnit.SECONDS.toNanos(5);

  static final String RESOURCE_TYPE = "resource_access";

  static final String DELEGATED_TYPE = "delegated";

  /** The audience of a delegated token that is not limited to an API. */
  static final String DELEGATED_AUDIENCE = "daikon:delegated";

  /** The issuer of fake tokens. They are not signed, so no server accepts them. */
  private static final String FAKE_ISSUER = "daikon-fake";

  private static final String FAKE_SIGNATURE = "fake";

  /** The keys of an issuer, as the server sends them. */
  record Published(String issuer, List<Key> keys) {}

  private record KeySet(String issuer, Map<String, PublicKey> keys, long loadedAt) {}

  /** The parts of a JSON Web Token (RFC 7519). They are not verified. */
  private record Decoded(
      Map<String, Object> header, Map<String, Object> claims, byte[] signed, byte[] signature) {}

  private final Supplier<Published> load;
  private final String issuer;
  private KeySet current;
  private long lastAttempt;

  /** @param issuer the only issuer that is accepted; null for the one that the server publishes */
  Tokens(Supplier<Published> load, String issuer) {
    this.load = load;
    this.issuer = issuer;
  }

  /**
   * Returns the claims of a valid token.
   *
   * @param audience the API that the token must be limited to; null for a token that is good for everything
   * @param delegated whether tokens with which an agent acts for a user are accepted, too
   */
  Claims verify(String token, String audience, boolean delegated) {
    Decoded decoded = decode(token);
    if (decoded == null) throw tokenInvalid("it is not a JSON Web Token");
    Map<String, Object> header = decoded.header();
    if (!"RS256".equals(header.get("alg"))) throw tokenInvalid("it is not a daikon access token");
    KeySet set = header.get("kid") instanceof String kid ? findKeySet(kid) : null;
    PublicKey key = set == null ? null : set.keys().get(header.get("kid"));
    if (key == null) throw tokenInvalid("daikon has no key of this kid. Was it issued by another daikon?");
    if (!isSigned(decoded, key)) throw tokenInvalid("the signature does not match");
    Map<String, Object> claims = decoded.claims();
    Object iss = claims.get("iss");
    String expected = issuer == null ? set.issuer() : issuer;
    if (!set.issuer().equals(iss) || !expected.equals(iss))
      throw tokenInvalid("its issuer is " + iss + ", not " + expected);
    requireAccepted(decoded, audience, delegated);
    if (!(claims.get("exp") instanceof Double exp)) throw tokenInvalid("it has no exp");
    if (isPast(exp)) throw tokenExpired();
    return toClaims(claims, Instant.ofEpochSecond(exp.longValue()));
  }

  /** Requires a token that a caller accepts. A list of audiences is for none of them. */
  private static void requireAccepted(Decoded decoded, String audience, boolean delegated) {
    Object typ = decoded.header().get("typ");
    Object aud = decoded.claims().get("aud");
    Object type = decoded.claims().get("type");
    boolean isDelegated = "dt+jwt".equals(typ) && DELEGATED_TYPE.equals(type);
    if (isDelegated && !delegated) throw tokenInvalid("an agent acts for the user, see Options.delegated");
    if (!isDelegated && !"at+jwt".equals(typ)) throw tokenInvalid("it is not a daikon access token");
    if (audience == null) {
      boolean isForAll =
          isDelegated ? DELEGATED_AUDIENCE.equals(aud) : "daikon".equals(aud) && "access".equals(type);
      if (!isForAll) throw tokenInvalid("it is not an access token");
      return;
    }
    boolean isForApi = isDelegated ? !DELEGATED_AUDIENCE.equals(aud) : RESOURCE_TYPE.equals(type);
    if (!isForApi || !(aud instanceof String uri) || !trimOrigin(uri).equals(trimOrigin(audience)))
      throw tokenInvalid("it is not for " + audience);
  }

  /** Removes the slash of an origin, which is one API with and without it. */
  private static String trimOrigin(String uri) {
    return uri.replaceFirst("^(?i)(https?://[^/]+)/$", "$1");
  }

  private static Claims toClaims(Map<String, Object> claims, Instant expiresAt) {
    List<String> groups = claims.get("groups") instanceof List<?> list
        ? list.stream().map(String::valueOf).toList()
        : List.of();
    return new Claims(
        (String) claims.get("sub"),
        (String) claims.get("wid"),
        (String) claims.getOrDefault("wslug", ""),
        (String) claims.getOrDefault("wrole", "viewer"),
        Boolean.TRUE.equals(claims.get("guest")),
        groups,
        (String) claims.get("type"),
        expiresAt,
        claims,
        readAgent(claims),
        (String) claims.get("delegation_id"));
  }

  /** Returns the agent of a delegated token (RFC 8693, section 4.1); null without one. */
  private static Agent readAgent(Map<String, Object> claims) {
    if (!(claims.get("act") instanceof Map<?, ?> act)) return null;
    return new Agent((String) act.get("typ"), (String) act.get("sub"), null);
  }

  /** Returns the cached keys. Loads them again if they are old, or if the key is unknown. */
  private synchronized KeySet findKeySet(String kid) {
    long now = System.nanoTime();
    if (current == null) return reload();
    boolean isRecent = now - lastAttempt < MIN_RELOAD;
    if (!isRecent && now - current.loadedAt() >= MAX_AGE) {
      try {
        reload();
      } catch (DaikonException error) {
        // The old keys remain in use.
      }
    }
    if (!current.keys().containsKey(kid) && System.nanoTime() - lastAttempt >= MIN_RELOAD) reload();
    return current;
  }

  private KeySet reload() {
    lastAttempt = System.nanoTime();
    Published published = load.get();
    Map<String, PublicKey> keys = new HashMap<>();
    try {
      KeyFactory factory = KeyFactory.getInstance("RSA");
      for (Key key : published.keys()) {
        RSAPublicKeySpec spec = new RSAPublicKeySpec(toInteger(key.getN()), toInteger(key.getE()));
        keys.put(key.getKid(), factory.generatePublic(spec));
      }
    } catch (GeneralSecurityException error) {
      throw new IllegalStateException("daikon has published an invalid key", error);
    }
    current = new KeySet(published.issuer(), keys, System.nanoTime());
    return current;
  }

  private static BigInteger toInteger(String base64) {
    return new BigInteger(1, Base64.getUrlDecoder().decode(base64));
  }

  private static boolean isSigned(Decoded decoded, PublicKey key) {
    try {
      Signature verifier = Signature.getInstance("SHA256withRSA");
      verifier.initVerify(key);
      verifier.update(decoded.signed());
      return verifier.verify(decoded.signature());
    } catch (GeneralSecurityException error) {
      return false;
    }
  }

  /** Returns null if a token is not a JSON Web Token. */
  private static Decoded decode(String token) {
    String[] parts = token == null ? new String[0] : token.split("\\.", -1);
    if (parts.length != 3) return null;
    try {
      Base64.Decoder base64 = Base64.getUrlDecoder();
      byte[] signed = (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII);
      return new Decoded(
          Json.parse(new String(base64.decode(parts[0]), StandardCharsets.UTF_8)),
          Json.parse(new String(base64.decode(parts[1]), StandardCharsets.UTF_8)),
          signed,
          base64.decode(parts[2]));
    } catch (IllegalArgumentException | InvalidProtocolBufferException error) {
      return null;
    }
  }

  /**
   * Returns the error for a denied subject whose token is not valid; null otherwise.
   *
   * @param context the context of the response
   */
  static DaikonException deniedTokenError(SubjectName subject, Struct context) {
    DaikonException reported = reportedTokenError(context);
    return reported == null ? impossibleTokenError(subject) : reported;
  }

  private static DaikonException reportedTokenError(Struct context) {
    Struct error = context.getFieldsOrDefault("subject_error", Value.getDefaultInstance()).getStructValue();
    String reason = error.getFieldsOrDefault("reason", Value.getDefaultInstance()).getStringValue();
    if (reason.isEmpty()) return null;
    String message = error.getFieldsOrDefault("message", Value.getDefaultInstance()).getStringValue();
    return new InvalidTokenException(reason, ServerErrors.withAdvice(reason, message), Details.NONE);
  }

  /** Returns an error if a token cannot be valid. A server older than this client does not report it. */
  private static DaikonException impossibleTokenError(SubjectName subject) {
    if (!subject.isToken()) return null;
    Decoded decoded = decode(subject.id());
    if (decoded == null) return tokenInvalid("it is not a JSON Web Token");
    return decoded.claims().get("exp") instanceof Double exp && isPast(exp) ? tokenExpired() : null;
  }

  /**
   * Creates a token for a fake.
   *
   * @param access claims that replace those of a token that is good for everything
   */
  static String createFake(
      String userId,
      String workspaceId,
      boolean isGuest,
      Duration lifetime,
      Instant signedInAt,
      Map<String, ?> access) {
    Map<String, Object> claims = new HashMap<>();
    claims.put("sub", userId);
    claims.put("jti", UUID.randomUUID().toString());
    claims.put("wid", workspaceId);
    claims.put("wslug", "");
    claims.put("wrole", "viewer");
    if (isGuest) claims.put("guest", true);
    claims.put("auth_time", signedInAt.getEpochSecond());
    claims.put("iss", FAKE_ISSUER);
    claims.put("aud", "daikon");
    claims.put("type", "access");
    claims.put("exp", Instant.now().plus(lifetime).getEpochSecond());
    claims.putAll(access);
    boolean isDelegated = DELEGATED_TYPE.equals(claims.get("type"));
    if (isDelegated) claims.keySet().removeAll(List.of("wslug", "wrole", "guest", "auth_time"));
    return encode(Map.of("alg", "none", "typ", isDelegated ? "dt+jwt" : "at+jwt")) + "." + encode(claims) + "." + FAKE_SIGNATURE;
  }

  private static String encode(Map<String, ?> part) {
    byte[] json = Json.print(part).getBytes(StandardCharsets.UTF_8);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(json);
  }

  /** Returns the claims of a token of a fake for the API {@code audience}, or for everything if it is null. */
  static Claims verifyFake(String token, String audience, boolean delegated) {
    Claims claims = readFake(token);
    requireAccepted(decode(token), audience, delegated);
    return claims;
  }

  /** Returns the claims of a token of a fake, whatever it is for. */
  static Claims readFake(String token) {
    Decoded decoded = decode(token);
    if (decoded == null) throw tokenInvalid("it is not a JSON Web Token");
    if (!FAKE_ISSUER.equals(decoded.claims().get("iss")))
      throw tokenInvalid("create tokens of a fake with FakeDaikon.token");
    if (!token.endsWith("." + FAKE_SIGNATURE)) throw tokenInvalid("the signature does not match");
    double exp = (Double) decoded.claims().get("exp");
    if (isPast(exp)) throw tokenExpired();
    return toClaims(decoded.claims(), Instant.ofEpochSecond((long) exp));
  }

  private static boolean isPast(double seconds) {
    return seconds * 1000 <= System.currentTimeMillis();
  }

  static InvalidTokenException tokenExpired() {
    String message = ServerErrors.withAdvice("TOKEN_EXPIRED", "The access token has expired");
    return new InvalidTokenException("TOKEN_EXPIRED", message, Details.NONE);
  }

  static InvalidTokenException tokenInvalid(String cause) {
    String message = ServerErrors.withAdvice("TOKEN_INVALID", "The access token is not valid: " + cause);
    return new InvalidTokenException("TOKEN_INVALID", message, Details.NONE);
  }
}
