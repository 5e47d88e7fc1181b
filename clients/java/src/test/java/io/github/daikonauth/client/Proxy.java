package io.github.daikonauth.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Forwards connections to a port. After {@code silence}, those that exist stay open, but nothing arrives. */
final class Proxy implements AutoCloseable {
  private final ServerSocket listener;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final Set<Socket> silent = ConcurrentHashMap.newKeySet();

  Proxy(int target) throws IOException {
    listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(() -> {
      while (true) {
        Socket client = listener.accept();
        Socket server = new Socket("localhost", target);
        sockets.addAll(List.of(client, server));
        start(() -> forward(client, server));
        start(() -> forward(server, client));
      }
    });
  }

  int port() {
    return listener.getLocalPort();
  }

  int connections() {
    return sockets.size() / 2;
  }

  void silence() {
    silent.addAll(sockets);
  }

  private void forward(Socket source, Socket sink) throws IOException {
    InputStream input = source.getInputStream();
    OutputStream output = sink.getOutputStream();
    byte[] buffer = new byte[1 << 16];
    for (int size = input.read(buffer); size >= 0; size = input.read(buffer))
      if (!silent.contains(source)) output.write(buffer, 0, size);
  }

  private interface Task {
    void run() throws IOException;
  }

  private static void start(Task task) {
    Thread thread = new Thread(() -> {
      try {
        task.run();
      } catch (IOException closed) {
        // The proxy or one of the peers was closed.
      }
    });
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) socket.close();
  }
}
