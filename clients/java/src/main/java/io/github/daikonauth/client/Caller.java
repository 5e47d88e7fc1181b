package io.github.daikonauth.client;

import com.google.protobuf.MessageLite;
import io.github.daikonauth.client.Connection.Attempt;
import io.grpc.MethodDescriptor;

/** Sends the calls of one client. */
abstract class Caller implements Daikon {
  final String service;

  Caller(String service) {
    this.service = service;
  }

  abstract <A extends MessageLite, B> B send(MethodDescriptor<A, B> method, A request, Attempt attempt);

  abstract long deadline(Settings settings);

  /** Returns how to send a call that may be repeated. */
  Attempt repeatable(Settings settings) {
    return new Attempt(deadline(settings), settings.token, true, null);
  }

  /** Like repeatable, for a call whose repetition fails with a reason if an earlier attempt succeeded. */
  Attempt removing(Settings settings, String succeededBefore) {
    return new Attempt(deadline(settings), settings.token, true, succeededBefore);
  }

  /** Returns how to send a change after which the user of the token may no longer be allowed to repeat it. */
  Attempt yielding(Settings settings) {
    return new Attempt(deadline(settings), settings.token, settings.token == null, null);
  }

  @Override
  public String resourceId(Resource resource) {
    return ResourceIds.of(service, Arguments.requireResource(resource));
  }
}
