package com.example.documents;

import io.github.daikonauth.client.Daikon;
import io.github.daikonauth.client.DaikonClient;
import io.github.daikonauth.spring.DaikonGuard;
import io.github.daikonauth.spring.DaikonTokenIntrospector;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
@EnableMethodSecurity
class SecurityConfiguration {
  @Bean
  Daikon daikonClient(
      @Value("${daikon.address}") String address,
      @Value("${daikon.service-key}") String serviceKey,
      @Value("${daikon.timeout}") Duration timeout) {
    return DaikonClient.builder()
        .address(address)
        .service("docs")
        .serviceKey(serviceKey)
        .timeout(timeout)
        .build();
  }

  /** Named for expressions such as {@code @daikon.can('edit', 'document', #id)}. */
  @Bean("daikon")
  DaikonGuard daikonGuard(Daikon daikonClient) {
    return new DaikonGuard(daikonClient);
  }

  @Bean
  SecurityFilterChain security(HttpSecurity http, Daikon daikonClient) throws Exception {
    return http
        .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
        .oauth2ResourceServer(server ->
            server.opaqueToken(token -> token.introspector(new DaikonTokenIntrospector(daikonClient))))
        .build();
  }
}
