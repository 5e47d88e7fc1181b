/**
 * The maximum number of chunks of a response. Each costs a few microseconds, however small it is: a
 * mebibyte in chunks of a byte would occupy the event loop for seconds.
 */
export const maxChunks = 4096

/** The first size of a buffer, in bytes. */
const initialBytes = 16 * 1024

/** Collects the body of a response in one buffer that grows up to a limit. */
export type BodyBuffer = {
  /** Adds a chunk as far as it fits. Returns why the body cannot be read any further, if so. */
  add(chunk: Uint8Array): string | undefined
  /** Returns what has been added. */
  read(): Buffer<ArrayBuffer>
}

/** Creates a buffer for at most `maxBytes`. */
export function createBodyBuffer(maxBytes: number): BodyBuffer {
  let buffer = Buffer.allocUnsafeSlow(Math.min(initialBytes, maxBytes))
  let size = 0
  let chunks = 0

  function reserve(bytes: number): void {
    if (bytes <= buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(bytes, buffer.length * 2), maxBytes))
    buffer.copy(larger, 0, 0, size)
    buffer = larger
  }

  return {
    add(chunk) {
      chunks += 1
      const added = Math.min(chunk.length, maxBytes - size)
      reserve(size + added)
      buffer.set(added < chunk.length ? chunk.subarray(0, added) : chunk, size)
      size += added
      if (added < chunk.length) return `The response is larger than ${maxBytes} bytes`
      return chunks > maxChunks ? `The response has more than ${maxChunks} chunks` : undefined
    },
    read: () => buffer.subarray(0, size),
  }
}
