package io.github.daikonauth.spring;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpHeaders;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.server.resource.web.BearerTokenAuthenticationEntryPoint;
import org.springframework.security.web.AuthenticationEntryPoint;

/**
 * Responds with 401 and a challenge, which says what {@link DaikonGuard#recent(long)} requires.
 *
 * <pre>{@code
 * http.oauth2ResourceServer(server -> server.authenticationEntryPoint(new DaikonEntryPoint()))
 * }</pre>
 */
public final class DaikonEntryPoint implements AuthenticationEntryPoint {
  private final AuthenticationEntryPoint others = new BearerTokenAuthenticationEntryPoint();

  @Override
  public void commence(HttpServletRequest request, HttpServletResponse response, AuthenticationException error)
      throws IOException, ServletException {
    if (!(error instanceof StepUpRequiredException stepUp)) {
      others.commence(request, response, error);
      return;
    }
    response.setHeader(HttpHeaders.WWW_AUTHENTICATE, stepUp.challenge());
    response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
  }
}
