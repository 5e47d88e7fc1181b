package io.github.daikonauth.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** A server of this repository with the world of clients/cases.json. It needs `npm ci`. */
final class CasesServer implements AutoCloseable {
  final String address;
  final String serviceKey;
  final Map<String, String> values = new HashMap<>();
  private final Process process;

  CasesServer() throws IOException {
    Path root = Path.of("../..").toRealPath();
    process = new ProcessBuilder(root.resolve("node_modules/.bin/node").toString(), "test/support/client-cases-server.ts")
        .directory(root.toFile())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    BufferedReader output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    Map<String, Object> started = Json.parse(output.readLine());
    address = (String) started.get("address");
    serviceKey = (String) started.get("serviceKey");
    Cases.mapOf(started.get("values")).forEach((name, value) -> values.put(name, (String) value));
  }

  DaikonClient connect(String service) {
    return DaikonClient.builder()
        .address(address)
        .service(service)
        .serviceKey(serviceKey)
        .timeout(Duration.ofSeconds(30))
        .build();
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      process.waitFor();
    } catch (InterruptedException interrupted) {
      process.destroy();
      Thread.currentThread().interrupt();
    }
  }
}
