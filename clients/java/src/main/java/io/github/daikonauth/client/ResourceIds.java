package io.github.daikonauth.client;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;

/** The UUIDs that identify resources in daikon. */
final class ResourceIds {
  /** The namespace for resources whose IDs are not UUIDs. It is the same on every server. */
  private static final UUID NAMESPACE = UUID.fromString("f8e1572e-33cb-4304-a2f6-032bcbfe9088");

  private static final Pattern UUID_PATTERN =
      Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", Pattern.CASE_INSENSITIVE);

  private ResourceIds() {}

  static boolean isUuid(String text) {
    return UUID_PATTERN.matcher(text).matches();
  }

  /** Returns the ID of a resource if it is a UUID, otherwise the UUID of version 5 (RFC 9562) of service/type/id. */
  static String of(String service, Resource resource) {
    if (isUuid(resource.id())) return resource.id().toLowerCase(Locale.ROOT);
    String name = service + "/" + resource.type() + "/" + resource.id();
    ByteBuffer namespace = ByteBuffer.allocate(16);
    namespace.putLong(NAMESPACE.getMostSignificantBits()).putLong(NAMESPACE.getLeastSignificantBits());
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
      sha1.update(namespace.array());
      ByteBuffer hash = ByteBuffer.wrap(sha1.digest(name.getBytes(StandardCharsets.UTF_8)));
      long high = hash.getLong() & ~0xf000L | 0x5000L;
      long low = hash.getLong() & ~(3L << 62) | 1L << 63;
      return new UUID(high, low).toString();
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException(error);
    }
  }
}
