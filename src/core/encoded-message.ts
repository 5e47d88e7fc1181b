/**
 * The key of a method with which a response encodes itself as protobuf. gRPC calls it instead of the
 * generated encoder, which writes every string of a list separately.
 */
export const encodeMessage = Symbol('encodeMessage')

/** A response that can encode itself. The bytes are those of the generated encoder. */
export type EncodableMessage = {
  /** `encode` is the generated encoder, for those fields that it may encode. */
  [encodeMessage](encode: (fields: object) => Uint8Array): Buffer
}

export function isEncodable(message: object): message is EncodableMessage {
  return encodeMessage in message
}
