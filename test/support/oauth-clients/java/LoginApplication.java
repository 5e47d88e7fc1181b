package login;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A web application with the default login of Spring Boot. `/me` returns the user. */
@EnableAutoConfiguration
@RestController
public class LoginApplication {
  public static void main(String[] arguments) {
    SpringApplication.run(LoginApplication.class, arguments);
  }

  @GetMapping("/me")
  Map<String, Object> me(@AuthenticationPrincipal OidcUser user) {
    return Map.of("sub", user.getSubject(), "email", user.getEmail());
  }
}
