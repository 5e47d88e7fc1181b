package io.github.daikonauth.client;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** The options of one operation. */
final class Settings {
  String token;
  Map<String, ?> context;
  Duration timeout;
  Instant expiresAt;
  Condition condition;
  String name;
  String workspaceId;
  boolean listsGroups;
  boolean cascade;
  Boolean inherits;
  boolean dryRun;
  String audience;
  boolean delegated;

  private Settings() {}

  static Settings read(Options.Option... options) {
    Settings settings = new Settings();
    for (Options.Option option : options) option.apply(settings);
    return settings;
  }
}
