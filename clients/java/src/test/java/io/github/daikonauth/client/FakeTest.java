package io.github.daikonauth.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class FakeTest {
  @Test
  void theExampleOfTheReadme() throws IOException {
    // README
    FakeDaikon fake = new FakeDaikon(new FakeWorld()
        .member("acme", "alice", "editor")
        .member("acme", "bob", "viewer")
        .resource(Registration.of("document", "roadmap").workspaceId("acme").ownerId("alice")));
    String token = fake.token("bob", "acme");
    String apiToken = fake.tokenForApi("bob", "acme", "https://docs.example.com/api", List.of("documents:read"));
    fake.failWith(DaikonException.of(DaikonException.Code.UNAVAILABLE, "UNREACHABLE", "down"));
    // end
    assertThrows(UnavailableException.class, () -> fake.verifyAccessToken(token));
    fake.failWith(null);
    Options.ForToken audience = Options.audience("https://docs.example.com/api");
    assertEquals("bob", fake.verifyAccessToken(apiToken, audience).subject());
    String source = Files.readString(Path.of("src/test/java/io/github/daikonauth/client/FakeTest.java"));
    String example = source.substring(source.indexOf("// README\n") + 10, source.indexOf("    // end\n"));
    String fenced = "```java\n" + example.replaceAll("(?m)^    ", "") + "```\n";
    assertTrue(Files.readString(Path.of("README.md")).contains(fenced), fenced);
  }

  @Test
  void operationsAcceptTheIdsOfTheWorld() {
    FakeDaikon fake = new FakeDaikon(new FakeWorld()
        .member("acme", "alice", "editor")
        .member("acme", "bob", "viewer")
        .group("staff", "acme", "Staff", List.of("bob"), List.of()));
    Resource roadmap = new Resource("document", "roadmap");
    fake.register(registration("acme", "alice"));
    Options.ForShare as = Options.as(fake.token("alice", "acme"));
    fake.share(roadmap, Grantee.userId("bob"), Permission.VIEW, as);
    fake.share(roadmap, Grantee.groupId("staff"), Permission.VIEW, as);
    assertEquals("bob", fake.transfer(roadmap, "bob").ownerId());
    Options.ForAccessible inAcme = Options.workspaceId("acme");
    List<String> found = fake.accessible(Subject.userId("bob"), "view", "document", inAcme).toList();
    assertEquals(List.of("roadmap"), found);
    for (Registration other : List.of(registration("acme", "carol"), registration("other", "alice")))
      assertThrows(InvalidArgumentException.class, () -> fake.register(other));
  }

  private static Registration registration(String workspaceId, String ownerId) {
    return Registration.of("document", "roadmap").workspaceId(workspaceId).ownerId(ownerId);
  }
}
