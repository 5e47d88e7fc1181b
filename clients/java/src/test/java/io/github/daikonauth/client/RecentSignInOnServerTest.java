package io.github.daikonauth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.daikonauth.spring.DaikonGuard;
import io.github.daikonauth.spring.DaikonTokenIntrospector;
import io.github.daikonauth.spring.StepUpRequiredException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.core.OAuth2AccessToken.TokenType;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;

class RecentSignInOnServerTest {
  private static final String REFUSED = "Bearer error=\"insufficient_user_authentication\","
      + " error_description=\"The user must sign in again\", max_age=\"300\"";

  @AfterEach
  void signOut() {
    SecurityContextHolder.clearContext();
  }

  @Test
  void aRecentSignInWithAPasskeyIsRequired() throws IOException {
    try (CasesServer server = new CasesServer(); DaikonClient daikon = server.connect("docs")) {
      DaikonGuard guard = new DaikonGuard(daikon);
      String weak = REFUSED + ", acr_values=\"phr\"";
      signIn(daikon, server, "by-passkey");
      assertEquals("", challenge(guard, 300, null));
      assertEquals("", challenge(guard, 300, "phr"));
      signIn(daikon, server, "by-account");
      assertEquals("", challenge(guard, 300, null));
      assertEquals(weak, challenge(guard, 300, "phr"));
      signIn(daikon, server, "by-passkey-before");
      assertEquals(weak, challenge(guard, 300, "phr"));
      assertEquals("", challenge(guard, 3600, "phr"));
      signIn(daikon, server, "unconfirmed");
      assertEquals(REFUSED, challenge(guard, 300, null));
      assertEquals("", challenge(guard, 3600, null));
      signIn(daikon, server, "alice");
      assertEquals(REFUSED, challenge(guard, 300, null));
    }
  }

  private static String challenge(DaikonGuard guard, long maxAge, String acr) {
    try {
      return guard.recent(maxAge, acr) ? "" : "not signed in";
    } catch (StepUpRequiredException refused) {
      return refused.challenge();
    }
  }

  private static void signIn(DaikonClient daikon, CasesServer server, String name) {
    String token = server.values.get(name + ".token");
    OAuth2AuthenticatedPrincipal principal = new DaikonTokenIntrospector(daikon).introspect(token);
    OAuth2AccessToken accessToken = new OAuth2AccessToken(TokenType.BEARER, token, null, null);
    SecurityContextHolder.getContext()
        .setAuthentication(new BearerTokenAuthentication(principal, accessToken, List.of()));
  }
}
