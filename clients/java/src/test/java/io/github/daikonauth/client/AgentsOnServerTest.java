package io.github.daikonauth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class AgentsOnServerTest {
  @Test
  void agentsObtainTokensOfTheServer() throws IOException {
    try (CasesServer server = new CasesServer(); DaikonClient service = server.connect("docs")) {
      String delegation = server.values.get("agent.delegation");
      Resource site = new Resource("site", "help");
      try (DaikonClient daikon = connect(server, server.values.get("agent.secret"))) {
        ExchangeRequest away = ExchangeRequest.ofDelegation(delegation);
        DelegatedToken token = daikon.exchange(away);
        assertSame(token, daikon.exchange(away));
        // The user has delegations to several agents, of which one is to this one.
        DelegatedToken atHand = daikon.exchange(ExchangeRequest.ofToken(server.values.get("bob.token")));
        for (Subject subject : List.of(
            Subject.token(token.token()), Subject.token(atHand.token()), Subject.delegation(delegation))) {
          assertTrue(service.check(subject, "view", site));
          List<Reason> reasons = service.explain(subject, "edit", site).reasons();
          Reason uncovered = reasons.get(reasons.size() - 1);
          assertEquals("delegation_does_not_cover", uncovered.rule());
          assertEquals("action", uncovered.uncovered());
          assertEquals(delegation, uncovered.delegationId());
          assertEquals(server.values.get("agent.id"), uncovered.agent().id());
        }
        assertThrows(InvalidTokenException.class, () -> service.verifyAccessToken(token.token()));
        Claims claims = service.verifyAccessToken(token.token(), Options.delegated());
        assertEquals(new Agent("client", server.values.get("agent.id"), null), claims.agent());
        assertEquals(delegation, claims.delegationId());
        assertEquals(server.values.get("bob"), claims.subject());
        // Chains are refused.
        DaikonException refused = assertThrows(
            DaikonException.class, () -> daikon.exchange(ExchangeRequest.ofToken(token.token())));
        assertEquals(DaikonException.Code.FAILED_PRECONDITION, refused.code());
        assertEquals("INVALID_REQUEST", refused.reason());
        assertFalse(refused.getMessage().contains(token.token()));
      }
      try (DaikonClient daikon = connect(server, "wrong-secret")) {
        DaikonException refused = assertThrows(
            UnauthenticatedException.class,
            () -> daikon.exchange(ExchangeRequest.ofDelegation(delegation)));
        assertEquals("INVALID_CLIENT", refused.reason());
        assertFalse(refused.getMessage().contains("wrong-secret"));
      }
    }
  }

  private static DaikonClient connect(CasesServer server, String secret) {
    return DaikonClient.builder()
        .address(server.address)
        .service("docs")
        .agent(AgentCredentials.client(server.values.get("agent.id"), secret))
        .timeout(Duration.ofSeconds(30))
        .build();
  }
}
