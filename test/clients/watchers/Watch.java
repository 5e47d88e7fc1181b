import com.google.protobuf.Struct;
import com.google.protobuf.util.JsonFormat;
import com.google.protobuf.Value;
import io.github.daikonauth.client.DaikonClient;
import io.github.daikonauth.client.DaikonException;
import io.github.daikonauth.client.Field;
import io.github.daikonauth.client.Watch;
import io.github.daikonauth.client.WatchMessage;
import io.github.daikonauth.client.WatchOptions;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/** Follows the activity log, as test/support/follower.ts asks. */
class Follow {
  public static void main(String[] args) throws Exception {
    Struct.Builder arguments = Struct.newBuilder();
    JsonFormat.parser().merge(args[0], arguments);
    DaikonClient daikon = DaikonClient.builder()
        .address(text(arguments, "address"))
        .service("docs")
        .serviceKey(text(arguments, "key"))
        .build();
    BlockingQueue<String> commands = new LinkedBlockingQueue<>();
    CountDownLatch ended = new CountDownLatch(1);
    Thread reader = new Thread(() -> {
      new BufferedReader(new InputStreamReader(System.in)).lines().forEach(line -> {
        if (line.equals("close")) daikon.close();
        else commands.add(line);
      });
      ended.countDown();
    });
    reader.start();

    WatchOptions options = new WatchOptions()
        .cursor(text(arguments, "cursor"))
        .workspaceId(text(arguments, "workspaceId"))
        .actions(arguments.getFieldsOrDefault("actions", Value.getDefaultInstance()).getListValue().getValuesList()
            .stream().map(Value::getStringValue).toArray(String[]::new))
        .onDisconnect(error -> write("disconnected", quote(error.reason())));
    int credit = Integer.parseInt(commands.take());
    try (Watch watch = daikon.watch(options)) {
      for (WatchMessage message : watch) {
        if (message.event() == null) write("cursor", quote(message.cursor()));
        else write(
            "cursor", quote(message.cursor()),
            "id", quote(message.event().id()),
            "action", quote(message.event().action()));
        credit -= 1;
        if (credit > 0) continue;
        String command = commands.take();
        if (command.equals("leave")) break;
        credit = Integer.parseInt(command);
      }
      write("ended", "true");
    } catch (DaikonException error) {
      String fields = String.join(",", error.fields().stream().map(Field::field).map(Follow::quote).toList());
      write("failed", "{\"name\":" + quote(error.getClass().getSimpleName().replace("Exception", "Error"))
          + ",\"code\":" + quote(error.code().toString()) + ",\"reason\":" + quote(error.reason())
          + ",\"fields\":[" + fields + "]}");
    }
    ended.await();
    daikon.close();
  }

  /** Returns null if there is no such argument. */
  private static String text(Struct.Builder arguments, String name) {
    return arguments.containsFields(name) ? arguments.getFieldsOrThrow(name).getStringValue() : null;
  }

  /** Writes a line of JSON from names and encoded values. */
  private static synchronized void write(String... members) {
    StringBuilder line = new StringBuilder("{");
    for (int index = 0; index < members.length; index += 2)
      line.append(index == 0 ? "" : ",").append(quote(members[index])).append(':').append(members[index + 1]);
    System.out.println(line.append('}'));
  }

  private static String quote(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
