package io.github.daikonauth.client;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts JSON objects between maps, messages and text. Numbers are of type Double in maps. */
final class Json {
  private Json() {}

  /**
   * Returns an object as a message. Times become strings (ISO 8601).
   *
   * @param field the name of the argument in errors
   */
  static Struct toStruct(String field, Map<String, ?> object) {
    Struct.Builder struct = Struct.newBuilder();
    object.forEach((name, value) -> struct.putFields(String.valueOf(name), toValue(field, value)));
    return struct.build();
  }

  private static Value toValue(String field, Object value) {
    Value.Builder built = Value.newBuilder();
    if (value == null) {
      return built.setNullValue(NullValue.NULL_VALUE).build();
    } else if (value instanceof Boolean bool) {
      return built.setBoolValue(bool).build();
    } else if (value instanceof Number number && Double.isFinite(number.doubleValue())) {
      return built.setNumberValue(number.doubleValue()).build();
    } else if (value instanceof CharSequence || value instanceof Instant || value instanceof Enum) {
      return built.setStringValue(value.toString()).build();
    } else if (value instanceof Collection<?> list) {
      ListValue.Builder values = ListValue.newBuilder();
      for (Object item : list) values.addValues(toValue(field, item));
      return built.setListValue(values).build();
    } else if (value instanceof Map<?, ?> map) {
      Struct.Builder struct = Struct.newBuilder();
      map.forEach((name, item) -> struct.putFields(String.valueOf(name), toValue(field, item)));
      return built.setStructValue(struct).build();
    }
    String message = "must contain only JSON values, not " + value.getClass().getName();
    throw DaikonException.invalid(new Field(field, message));
  }

  static Map<String, Object> toMap(Struct struct) {
    Map<String, Object> map = new LinkedHashMap<>();
    struct.getFieldsMap().forEach((name, value) -> map.put(name, toObject(value)));
    return Collections.unmodifiableMap(map);
  }

  private static Object toObject(Value value) {
    return switch (value.getKindCase()) {
      case BOOL_VALUE -> value.getBoolValue();
      case NUMBER_VALUE -> value.getNumberValue();
      case STRING_VALUE -> value.getStringValue();
      case STRUCT_VALUE -> toMap(value.getStructValue());
      case LIST_VALUE -> {
        List<Object> list = new ArrayList<>();
        for (Value item : value.getListValue().getValuesList()) list.add(toObject(item));
        yield Collections.unmodifiableList(list);
      }
      default -> null;
    };
  }

  /** Reads the text of an object. */
  static Map<String, Object> parse(String text) throws InvalidProtocolBufferException {
    Struct.Builder struct = Struct.newBuilder();
    JsonFormat.parser().merge(text, struct);
    return toMap(struct.build());
  }

  /** Returns the text of an object. */
  static String print(Map<String, ?> object) {
    try {
      return JsonFormat.printer().omittingInsignificantWhitespace().print(toStruct("object", object));
    } catch (InvalidProtocolBufferException error) {
      throw new IllegalStateException(error);
    }
  }
}
