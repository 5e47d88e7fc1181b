package io.github.daikonauth.spring;

import io.github.daikonauth.client.Claims;
import io.github.daikonauth.client.Daikon;
import io.github.daikonauth.client.DaikonException;
import io.github.daikonauth.client.InvalidTokenException;
import io.github.daikonauth.client.Options;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OAuth2IntrospectionException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;

/**
 * Verifies the bearer tokens of requests: access tokens with cached keys, and API keys. The name of the principal is the
 * ID of the user or service account, and its attributes are the claims. Tokens with which an agent acts for a user are
 * refused, unless {@link #acceptAgents} allows them.
 *
 * <pre>{@code
 * http.oauth2ResourceServer(server -> server.opaqueToken(token -> token.introspector(introspector)))
 * }</pre>
 */
public final class DaikonTokenIntrospector implements OpaqueTokenIntrospector {
  private final Daikon daikon;
  private final Options.ForToken[] options;

  public DaikonTokenIntrospector(Daikon daikon) {
    this(daikon, new Options.ForToken[0]);
  }

  private DaikonTokenIntrospector(Daikon daikon, Options.ForToken[] options) {
    this.daikon = daikon;
    this.options = options;
  }

  /**
   * Returns an introspector that accepts tokens with which an agent acts for a user, too. {@link DaikonGuard#agent()}
   * then returns the agent. Daikon decides for both in every check; what an application decides without one, it must
   * decide for the agent as well.
   */
  public DaikonTokenIntrospector acceptAgents() {
    return new DaikonTokenIntrospector(daikon, new Options.ForToken[] {Options.delegated()});
  }

  @Override
  public OAuth2AuthenticatedPrincipal introspect(String token) {
    try {
      Claims claims = daikon.verifyAccessToken(token, options);
      Map<String, Object> attributes = new HashMap<>(claims.all());
      // Spring Security reads times as instants.
      attributes.computeIfPresent("iat", (name, seconds) -> Instant.ofEpochSecond(((Double) seconds).longValue()));
      attributes.computeIfPresent("exp", (name, seconds) -> claims.expiresAt());
      return new DefaultOAuth2AuthenticatedPrincipal(claims.subject(), attributes, List.of());
    } catch (InvalidTokenException error) {
      throw new BadOpaqueTokenException(error.getMessage(), error);
    } catch (DaikonException error) {
      throw new OAuth2IntrospectionException(error.getMessage(), error);
    }
  }
}
