package io.github.daikonauth.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.daikonauth.client.FakeDaikon;
import io.github.daikonauth.client.FakeWorld;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.core.OAuth2AccessToken.TokenType;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;

class RecentSignInTest {
  private final FakeDaikon fake = new FakeDaikon(new FakeWorld().member("acme", "alice", "viewer"));
  private final DaikonGuard guard = new DaikonGuard(fake);

  @AfterEach
  void signOut() {
    SecurityContextHolder.clearContext();
  }

  @Test
  void aRecentSignInIsRequired() {
    assertFalse(guard.recent(300));
    signIn(290);
    assertTrue(guard.recent(300));
    signIn(310);
    String begin = "Bearer error=\"insufficient_user_authentication\","
        + " error_description=\"The user must sign in again\", max_age=";
    assertEquals(begin + "\"300\"", challenge(300, null));
    assertEquals(begin + "\"7200\", acr_values=\"phr\"", challenge(7200, "phr"));
  }

  @Test
  void aRequirementOfASignInMustBeOne() {
    assertThrows(IllegalArgumentException.class, () -> guard.recent(59));
    assertThrows(IllegalArgumentException.class, () -> guard.recent(60, "\""));
  }

  private String challenge(long maxAge, String acr) {
    return assertThrows(StepUpRequiredException.class, () -> guard.recent(maxAge, acr)).challenge();
  }

  private void signIn(long secondsAgo) {
    Instant signedInAt = Instant.now().minusSeconds(secondsAgo);
    String token = fake.token("alice", "acme", Duration.ofMinutes(15), signedInAt);
    OAuth2AuthenticatedPrincipal principal = new DaikonTokenIntrospector(fake).introspect(token);
    OAuth2AccessToken accessToken = new OAuth2AccessToken(TokenType.BEARER, token, null, null);
    SecurityContextHolder.getContext()
        .setAuthentication(new BearerTokenAuthentication(principal, accessToken, List.of()));
  }
}
