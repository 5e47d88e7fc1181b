/** A method of the generated code that has one request and one response. */
export type UnaryMethod<Request, Response> = {
  path: string
  requestStream: false
  responseStream: false
  requestSerialize(request: Request): Buffer
  responseDeserialize(bytes: Buffer): Response
}
