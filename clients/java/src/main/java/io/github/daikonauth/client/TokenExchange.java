package io.github.daikonauth.client;

import io.github.daikonauth.client.DaikonException.Code;
import io.github.daikonauth.v1.OAuthTokenRequest;
import io.github.daikonauth.v1.OAuthTokenResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Exchanges tokens (RFC 8693) and keeps each until a minute before its end. Threads that need the same one share a
 * request.
 */
final class TokenExchange {
  private static final String GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
  private static final String ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
  private static final String DELEGATION = "urn:daikon:params:oauth:token-type:delegation";
  private static final String API_KEY = "urn:daikon:params:oauth:token-type:api_key";

  /** How long before its end a token is replaced. */
  private static final Duration MARGIN = Duration.ofMinutes(1);

  /** The maximum number of tokens that are kept. */
  static final int MAX_TOKENS = 1000;

  private final Map<ExchangeRequest, CompletableFuture<DelegatedToken>> tokens = new LinkedHashMap<>();

  /**
   * Returns a kept token, or a new one. A thread that waits for the request of another one starts its own if that one
   * was interrupted or had less time.
   *
   * @param deadline of the caller, as {@link System#nanoTime}
   */
  DelegatedToken get(ExchangeRequest request, long deadline, Supplier<DelegatedToken> issue) {
    while (true) {
      CompletableFuture<DelegatedToken> issued = new CompletableFuture<>();
      CompletableFuture<DelegatedToken> found = findOrKeep(request, issued);
      if (found == issued) return complete(request, issued, issue);
      try {
        return found.get(Math.max(deadline - System.nanoTime(), 0), TimeUnit.NANOSECONDS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw Connection.interruptedError();
      } catch (TimeoutException late) {
        throw Connection.responseDeadlineError();
      } catch (ExecutionException failure) {
        boolean isOfOther = failure.getCause() instanceof DeadlineExceededException
            || failure.getCause() instanceof CancelledException;
        if (isOfOther && deadline - System.nanoTime() > 0) continue;
        if (failure.getCause() instanceof DaikonException error) throw error;
        throw new IllegalStateException(failure.getCause());
      }
    }
  }

  private DelegatedToken complete(
      ExchangeRequest request, CompletableFuture<DelegatedToken> issued, Supplier<DelegatedToken> issue) {
    try {
      DelegatedToken token = issue.get();
      issued.complete(token);
      return token;
    } catch (RuntimeException | Error error) {
      synchronized (tokens) {
        tokens.remove(request, issued);
      }
      issued.completeExceptionally(error);
      throw error;
    }
  }

  /** Returns what is kept for a request. Keeps {@code issued} instead if that is nothing, or about to end. */
  private CompletableFuture<DelegatedToken> findOrKeep(
      ExchangeRequest request, CompletableFuture<DelegatedToken> issued) {
    synchronized (tokens) {
      CompletableFuture<DelegatedToken> found = tokens.get(request);
      if (found != null && (!found.isDone() || isCurrent(found))) return found;
      // The map is ordered by the time at which tokens were requested.
      tokens.remove(request);
      tokens.put(request, issued);
      if (tokens.size() > MAX_TOKENS) {
        Iterator<ExchangeRequest> oldest = tokens.keySet().iterator();
        oldest.next();
        oldest.remove();
      }
      return issued;
    }
  }

  private static boolean isCurrent(CompletableFuture<DelegatedToken> done) {
    if (done.isCompletedExceptionally()) return false;
    return done.join().expiresAt().minus(MARGIN).isAfter(Instant.now());
  }

  int size() {
    synchronized (tokens) {
      return tokens.size();
    }
  }

  /** @throws InvalidArgumentException if there is no agent, or nothing to exchange */
  static void require(AgentCredentials agent, ExchangeRequest request) {
    if (agent == null) throw DaikonException.invalid(new Field("agent", "is required by exchange"));
    Arguments.require("request", request);
    List<Field> fields = new ArrayList<>();
    if (request.subjectToken() == null && request.delegationId() == null)
      fields.add(new Field("subjectToken", "is required, or delegationId"));
    addUnlessText(fields, "subjectToken", request.subjectToken());
    addUnlessText(fields, "delegationId", request.delegationId());
    addUnlessText(fields, "resource", request.resource());
    addUnlessText(fields, "scope", request.scope());
    if (!fields.isEmpty()) throw DaikonException.invalid(fields.toArray(Field[]::new));
  }

  private static void addUnlessText(List<Field> fields, String field, String value) {
    if (value != null && !Arguments.isToken(value))
      fields.add(new Field(field, "must be a string of 1 to 16,384 characters"));
  }

  static OAuthTokenRequest toMessage(AgentCredentials agent, ExchangeRequest request) {
    OAuthTokenRequest.Builder message = OAuthTokenRequest.newBuilder().setGrantType(GRANT_TYPE);
    if (request.subjectToken() == null) {
      message.setSubjectToken(request.delegationId()).setSubjectTokenType(DELEGATION);
    } else {
      message.setSubjectToken(request.subjectToken()).setSubjectTokenType(ACCESS_TOKEN);
      if (request.delegationId() != null) message.setDelegationId(request.delegationId());
    }
    if (agent instanceof AgentCredentials.ApiKey account)
      message.setActorToken(account.apiKey()).setActorTokenType(API_KEY);
    else if (agent instanceof AgentCredentials.Client client)
      message.setClientId(client.clientId()).setClientSecret(client.clientSecret());
    if (request.resource() != null) message.setResource(request.resource());
    if (request.scope() != null) message.setScope(request.scope());
    return message.build();
  }

  /** @param sentAt the time from which the lifetime counts */
  static DelegatedToken read(OAuthTokenResponse response, Instant sentAt) {
    boolean isToken = Arguments.isToken(response.getAccessToken()) && Arguments.isPrintable(response.getAccessToken());
    if (!isToken || response.getExpiresIn() <= 0)
      throw DaikonException.of(Code.INTERNAL, "INTERNAL", "daikon returned no token");
    Instant expiresAt = sentAt.plusSeconds(response.getExpiresIn());
    return new DelegatedToken(response.getAccessToken(), response.getScope(), expiresAt);
  }
}
