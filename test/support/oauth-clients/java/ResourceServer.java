import java.util.List;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthenticationToken;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationProvider;

/**
 * A resource server that accepts access tokens by RFC 9068. Arguments: issuer, audience, client id, and tokens.
 * Prints the subject of each token that it accepts, or "rejected".
 */
public class ResourceServer {
  public static void main(String[] arguments) {
    List<String> parameters = List.of(arguments);
    String issuer = parameters.get(0);
    NimbusJwtDecoder decoder =
        NimbusJwtDecoder.withIssuerLocation(issuer).validateType(false).build();
    decoder.setJwtValidator(
        JwtValidators.createAtJwtValidator()
            .issuer(issuer)
            .audience(parameters.get(1))
            .clientId(parameters.get(2))
            .build());
    AuthenticationProvider provider = new JwtAuthenticationProvider(decoder);
    for (String token : parameters.subList(3, parameters.size())) {
      try {
        System.out.println(provider.authenticate(new BearerTokenAuthenticationToken(token)).getName());
      } catch (AuthenticationException error) {
        System.out.println("rejected");
        System.err.println(error.getMessage());
      }
    }
  }
}
