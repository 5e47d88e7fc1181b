import org.springframework.security.oauth2.client.AuthorizedClientServiceOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.InMemoryOAuth2AuthorizedClientService;
import org.springframework.security.oauth2.client.OAuth2AuthorizeRequest;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.core.AuthorizationGrantType;

/** Prints a token for a service account. Arguments: issuer, client id and client secret. */
public class MachineClient {
  public static void main(String[] arguments) {
    ClientRegistration registration =
        ClientRegistrations.fromIssuerLocation(arguments[0])
            .registrationId("daikon")
            .clientId(arguments[1])
            .clientSecret(arguments[2])
            .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
            .build();
    var registrations = new InMemoryClientRegistrationRepository(registration);
    var clients = new InMemoryOAuth2AuthorizedClientService(registrations);
    var manager = new AuthorizedClientServiceOAuth2AuthorizedClientManager(registrations, clients);
    var request =
        OAuth2AuthorizeRequest.withClientRegistrationId("daikon").principal("machine").build();
    System.out.println(manager.authorize(request).getAccessToken().getTokenValue());
  }
}
