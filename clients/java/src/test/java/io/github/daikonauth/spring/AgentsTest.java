package io.github.daikonauth.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.daikonauth.client.FakeDaikon;
import io.github.daikonauth.client.FakeDelegation;
import io.github.daikonauth.client.FakeWorld;
import io.github.daikonauth.client.Registration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.core.OAuth2AccessToken.TokenType;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;

class AgentsTest {
  private final FakeDaikon fake = new FakeDaikon(new FakeWorld()
      .member("acme", "alice", "editor")
      .resource(Registration.of("document", "roadmap").workspaceId("acme").ownerId("alice"))
      .delegation(FakeDelegation.of("viewing", "alice", "acme").actions("view")));
  private final DaikonGuard guard = new DaikonGuard(fake);
  private final DaikonTokenIntrospector introspector = new DaikonTokenIntrospector(fake);

  @AfterEach
  void signOut() {
    SecurityContextHolder.clearContext();
  }

  @Test
  void tokensOfAgentsAreRefusedByDefault() {
    String token = fake.delegatedToken("viewing");
    assertThrows(BadOpaqueTokenException.class, () -> introspector.introspect(token));
    introspector.acceptAgents();
    assertThrows(BadOpaqueTokenException.class, () -> introspector.introspect(token));
  }

  @Test
  void theGuardDecidesForTheAgentAndNamesIt() {
    assertNull(guard.agent());
    signIn(fake.delegatedToken("viewing"));
    assertEquals(new RequestAgent("service_account", "agent", "viewing"), guard.agent());
    assertEquals("alice", SecurityContextHolder.getContext().getAuthentication().getName());
    assertTrue(guard.can("view", "document", "roadmap"));
    assertFalse(guard.can("edit", "document", "roadmap"));
    // An agent has no sign-in.
    assertThrows(StepUpRequiredException.class, () -> guard.recent(300));
    signIn(fake.token("alice", "acme"));
    assertNull(guard.agent());
    assertTrue(guard.can("edit", "document", "roadmap"));
  }

  private void signIn(String token) {
    OAuth2AuthenticatedPrincipal principal = introspector.acceptAgents().introspect(token);
    OAuth2AccessToken accessToken = new OAuth2AccessToken(TokenType.BEARER, token, null, null);
    SecurityContextHolder.getContext()
        .setAuthentication(new BearerTokenAuthentication(principal, accessToken, List.of()));
  }
}
