package io.github.daikonauth.spring;

import io.github.daikonauth.client.Daikon;
import io.github.daikonauth.client.InvalidTokenException;
import io.github.daikonauth.client.Resource;
import io.github.daikonauth.client.Subject;
import java.time.Instant;
import java.util.Map;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.server.resource.InvalidBearerTokenException;
import org.springframework.security.oauth2.server.resource.authentication.AbstractOAuth2TokenAuthenticationToken;

/**
 * Checks the user of the current request. As a bean of the name {@code daikon}, it is called in expressions of method
 * security:
 *
 * <pre>{@code
 * @PreAuthorize("@daikon.can('edit', 'document', #id)")
 * }</pre>
 */
public final class DaikonGuard {
  private static final long MIN_MAX_AGE = 60;

  /**
   * The smallest age that the time of a callback can meet: the identity provider may have signed the user in long
   * before.
   */
  private static final long MIN_UNCONFIRMED_AGE = 3600;

  private final Daikon daikon;

  public DaikonGuard(Daikon daikon) {
    this.daikon = daikon;
  }

  /**
   * Whether the user of the current request may perform an action on a resource. A request without a bearer token is
   * denied.
   *
   * @throws InvalidBearerTokenException if the token has expired since the request was authenticated
   * @throws io.github.daikonauth.client.DaikonException if the check fails
   */
  public boolean can(String action, String type, Object id) {
    Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
    if (!(authentication instanceof AbstractOAuth2TokenAuthenticationToken<?> bearer)) return false;
    try {
      Subject subject = Subject.token(bearer.getToken().getTokenValue());
      return daikon.check(subject, action, new Resource(type, String.valueOf(id)));
    } catch (InvalidTokenException error) {
      throw new InvalidBearerTokenException(error.getMessage(), error);
    }
  }

  /**
   * Returns the agent that acts for the user of the current request; null if there is none. Only requests that
   * {@link DaikonTokenIntrospector#acceptAgents} has allowed have one. {@link #can} decides for both.
   */
  public RequestAgent agent() {
    Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
    if (!(authentication instanceof AbstractOAuth2TokenAuthenticationToken<?> bearer)) return null;
    Map<String, Object> claims = bearer.getTokenAttributes();
    if (!(claims.get("act") instanceof Map<?, ?> act)) return null;
    return new RequestAgent(
        (String) act.get("typ"), (String) act.get("sub"), (String) claims.get("delegation_id"));
  }

  /**
   * Whether the user of the current request signed in at most {@code maxAge} seconds ago. A request without a bearer
   * token is denied.
   *
   * @param maxAge from 60, because a user who has just signed in would be sent to sign in again
   * @throws StepUpRequiredException if the user must sign in again
   */
  public boolean recent(long maxAge) {
    return recent(maxAge, null);
  }

  /**
   * Whether the user of the current request signed in at most {@code maxAge} seconds ago, with the class {@code acr}.
   *
   * @throws StepUpRequiredException if the user must sign in again
   */
  public boolean recent(long maxAge, String acr) {
    if (maxAge < MIN_MAX_AGE) throw new IllegalArgumentException("maxAge must be at least " + MIN_MAX_AGE);
    if (acr != null && !acr.matches("[\\w.:/-]{1,254}"))
      throw new IllegalArgumentException("acr must be one value without spaces");
    Authentication authentication = SecurityContextHolder.getContext().getAuthentication();
    if (!(authentication instanceof AbstractOAuth2TokenAuthenticationToken<?> bearer)) return false;
    Map<String, Object> claims = bearer.getTokenAttributes();
    if (isWithin(claims, maxAge) && (acr == null || acr.equals(claims.get("acr")))) return true;
    throw new StepUpRequiredException(maxAge, acr);
  }

  private static boolean isWithin(Map<String, Object> claims, long maxAge) {
    // API keys and agents have no sign-in.
    if (!(claims.get("auth_time") instanceof Number time)) return false;
    boolean isUnconfirmed = Boolean.TRUE.equals(claims.get("auth_time_unconfirmed"));
    if (isUnconfirmed && maxAge < MIN_UNCONFIRMED_AGE) return false;
    return Instant.now().getEpochSecond() - time.longValue() <= maxAge;
  }
}
