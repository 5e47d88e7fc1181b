package io.github.daikonauth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CasesOnServerTest {
  @Test
  void theClientReturnsTheResultsOfTheTable() throws IOException {
    Map<String, Object> table = Cases.read();
    Map<String, DaikonClient> clients = new HashMap<>();
    try (CasesServer server = new CasesServer()) {
      String own = (String) table.get("service");
      List<Map<String, Object>> rows = Cases.rows(table);
      assertTrue(rows.size() > 300, "the table has only " + rows.size() + " cases");
      for (Map<String, Object> row : rows) {
        try {
          Cases.run(
              row,
              service -> clients.computeIfAbsent(service == null ? own : service, server::connect),
              server.values);
        } catch (RuntimeException | AssertionError error) {
          throw new AssertionError(row.get("name") + ": " + error.getMessage(), error);
        }
      }
      checkTogether(clients.get(own), server.values);
      clients.values().forEach(DaikonClient::close);
    }
  }

  /** More checks than a batch holds, of which every second is denied. */
  private static void checkTogether(DaikonClient daikon, Map<String, String> values) {
    List<CompletableFuture<Boolean>> pending = new ArrayList<>();
    for (int index = 0; index < 1500; index += 1) {
      Subject subject = Subject.userId(values.get("alice"));
      String id = index % 2 == 0 ? "roadmap" : "none-" + index;
      pending.add(daikon.checkAsync(subject, "view", new Resource("document", id)));
    }
    for (int index = 0; index < pending.size(); index += 1)
      assertEquals(index % 2 == 0, pending.get(index).join(), "check " + index);
  }
}
