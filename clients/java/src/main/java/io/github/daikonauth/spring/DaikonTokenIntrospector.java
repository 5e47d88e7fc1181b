package io.github.daikonauth.spring;

import io.github.daikonauth.client.Claims;
import io.github.daikonauth.client.Daikon;
import io.github.daikonauth.client.DaikonException;
import io.github.daikonauth.client.InvalidTokenException;
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
 * ID of the user or service account, and its attributes are the claims.
 *
 * <pre>{@code
 * http.oauth2ResourceServer(server -> server.opaqueToken(token -> token.introspector(introspector)))
 * }</pre>
 */
public final class DaikonTokenIntrospector implements OpaqueTokenIntrospector {
  private final Daikon daikon;

  public DaikonTokenIntrospector(Daikon daikon) {
    this.daikon = daikon;
  }

  @Override
  public OAuth2AuthenticatedPrincipal introspect(String token) {
    try {
      Claims claims = daikon.verifyAccessToken(token);
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
