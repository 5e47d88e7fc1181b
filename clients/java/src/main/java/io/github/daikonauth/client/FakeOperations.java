package io.github.daikonauth.client;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** What the operations of a fake share. */
abstract class FakeOperations implements Daikon {
  final FakeState state;
  final FakeRights rights;
  final FakeTypes types;
  DaikonException failure;
  boolean isClosed;

  FakeOperations(FakeState state) {
    this.state = state;
    rights = new FakeRights(state);
    types = new FakeTypes(state);
  }

  synchronized <T> T run(Supplier<T> operation) {
    if (isClosed) throw Connection.closedError();
    if (failure != null) throw failure;
    return operation.get();
  }

  /** Reads all items or none. Prefixes the fields of errors with the list and the index. */
  static <T, R> List<R> readAll(String list, List<T> items, Function<T, R> read, Runnable undo) {
    List<R> results = new ArrayList<>();
    List<Field> fields = new ArrayList<>();
    for (int index = 0; index < items.size(); index += 1) {
      try {
        results.add(read.apply(items.get(index)));
      } catch (InvalidArgumentException error) {
        for (Field field : error.fields())
          fields.add(new Field(list + "[" + index + "]." + field.field(), field.message()));
      } catch (DaikonException error) {
        undo.run();
        throw error;
      }
    }
    if (fields.isEmpty()) return results;
    undo.run();
    throw DaikonException.invalid(fields.toArray(Field[]::new));
  }

  /** Requires a UUID, as the server does. The IDs of users, workspaces and groups of a test may be any text. */
  void requireId(String field, String id) {
    FakeWorld world = state.world;
    boolean isOfTest =
        world.users.containsKey(id) || world.workspaces.containsKey(id) || world.groups.containsKey(id);
    if (!isOfTest && !ResourceIds.isUuid(id)) throw DaikonException.invalid(new Field(field, "must be a UUID"));
  }
}
