package io.github.daikonauth.client;

import com.google.protobuf.Struct;
import com.google.protobuf.Timestamp;
import io.github.daikonauth.v1.AccessSubject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Checks arguments before they are sent. Only presence and length are checked here, so that mistakes fail where they
 * are made; the server validates the rest.
 */
final class Arguments {
  private static final int MAX_TYPE_LENGTH = 200;
  private static final int MAX_ID_LENGTH = 255;
  private static final int MAX_TOKEN_LENGTH = 16_384;
  private static final Pattern PRINTABLE = Pattern.compile("[\\x21-\\x7e]+");

  private Arguments() {}

  /** A subject in the format of the Access API. */
  record SubjectName(String type, String id) {
    AccessSubject message() {
      return AccessSubject.newBuilder().setType(type).setId(id).build();
    }

    boolean isToken() {
      return type.equals("access_token");
    }
  }

  static SubjectName nameSubject(Subject subject) {
    SubjectName name = null;
    int maxLength = MAX_ID_LENGTH;
    if (subject instanceof Subject.Token token) {
      name = new SubjectName(isApiKey(token.token()) ? "api_key" : "access_token", token.token());
      maxLength = MAX_TOKEN_LENGTH;
    } else if (subject instanceof Subject.ApiKey key) {
      name = new SubjectName("api_key", key.apiKey());
      maxLength = MAX_TOKEN_LENGTH;
    } else if (subject instanceof Subject.Link link) {
      name = new SubjectName("link", link.link());
      maxLength = MAX_TOKEN_LENGTH;
    } else if (subject instanceof Subject.UserId user) {
      name = new SubjectName("user", user.userId());
    } else if (subject instanceof Subject.Email email) {
      name = new SubjectName("user", email.email());
    } else if (subject instanceof Subject.ExternalId external) {
      name = new SubjectName("user", external.externalId());
    } else if (subject instanceof Subject.GroupId group) {
      name = new SubjectName("group", group.groupId());
    } else if (subject instanceof Subject.Delegation delegation) {
      name = new SubjectName("delegation", delegation.delegation());
    } else if (subject instanceof Subject.Anonymous) {
      return new SubjectName("anonymous", "anonymous");
    }
    if (name != null && isText(name.id(), maxLength)) return name;
    String message = "must be a Subject with 1 to 255 characters (token, apiKey and link: at most 16,384)";
    throw DaikonException.invalid(new Field("subject", message));
  }

  /** Whether a token is meant to be the API key of a service account. */
  static boolean isApiKey(String token) {
    return token != null && token.startsWith("da_");
  }

  /** Whether a text may be a token, a secret, or what is sent beside one. */
  static boolean isToken(String text) {
    return isText(text, MAX_TOKEN_LENGTH);
  }

  static void requireAction(String action) {
    if (isText(action, MAX_TYPE_LENGTH)) return;
    throw DaikonException.invalid(new Field("action", "must be a string of 1 to 200 characters"));
  }

  static Resource requireResource(Resource resource) {
    List<Field> fields = new ArrayList<>();
    if (resource == null || !isText(resource.type(), MAX_TYPE_LENGTH))
      fields.add(new Field("resource.type", "must be a string of 1 to 200 characters"));
    if (resource == null || !isText(resource.id(), MAX_ID_LENGTH))
      fields.add(new Field("resource.id", "must be a string of 1 to 255 characters"));
    if (fields.isEmpty()) return resource;
    throw DaikonException.invalid(fields.toArray(Field[]::new));
  }

  static String requireType(String type) {
    return requireResource(new Resource(type, "any")).type();
  }

  static String requireToken(String token) {
    if (PRINTABLE.matcher(token).matches()) return token;
    throw DaikonException.invalid(new Field("as", "must be an access token"));
  }

  static boolean isPrintable(String text) {
    return PRINTABLE.matcher(text).matches();
  }

  /** Returns the value of an argument that is required. */
  static <T> T require(String field, T value) {
    if (value != null) return value;
    throw DaikonException.invalid(new Field(field, "is required"));
  }

  /** Returns a context as a message; null without one. */
  static Struct readContext(Map<String, ?> context) {
    return context == null ? null : Json.toStruct("context", context);
  }

  static Timestamp readTime(Instant time) {
    return Timestamp.newBuilder().setSeconds(time.getEpochSecond()).setNanos(time.getNano()).build();
  }

  /** Whether a text has 1 to a number of characters, counted as code points. */
  static boolean isText(String text, int maxLength) {
    if (text == null || text.isEmpty()) return false;
    return text.length() <= maxLength || text.codePointCount(0, text.length()) <= maxLength;
  }
}
