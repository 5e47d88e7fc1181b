package io.github.daikonauth.spring;

import io.github.daikonauth.client.Daikon;
import io.github.daikonauth.client.InvalidTokenException;
import io.github.daikonauth.client.Resource;
import io.github.daikonauth.client.Subject;
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
}
