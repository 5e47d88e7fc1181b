/**
 * The key of a method by which a response encodes itself as protobuf. The gRPC server calls it
 * instead of the generated encoder, which writes every string of a list separately.
 */
export const encodeMessage = Symbol('encodeMessage')

/** A response that can encode itself, to the same bytes as the generated encoder. */
export type EncodableMessage = {
  /** `encode` is the generated encoder, which the method may use for some of the fields. */
  [encodeMessage](encode: (fields: object) => Uint8Array): Buffer
}

export function isEncodable(message: object): message is EncodableMessage {
  return encodeMessage in message
}
