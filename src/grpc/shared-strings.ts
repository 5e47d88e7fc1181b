import { BinaryReader } from '@bufbuild/protobuf/wire'

/** A string that was decoded, and where its bytes start. */
type Decoded = { text: string; start: number; length: number }

/** A power of two. */
const slotCount = 64

/**
 * Reads a message whose strings repeat, such as a batch with the same token in many items: a repeated
 * string is found by its bytes and not decoded again.
 */
export class SharedStringReader extends BinaryReader {
  readonly #bytes: Buffer
  /** The last string of each slot. A string's length and last byte determine its slot. */
  readonly #slots: (Decoded | undefined)[] = new Array(slotCount).fill(undefined)

  constructor(bytes: Buffer) {
    super(bytes)
    this.#bytes = bytes
  }

  override string(strict?: boolean): string {
    const { pos } = this
    const length = this.uint32()
    const start = this.pos
    const end = start + length
    const slot = (length ^ (this.#bytes[end - 1] ?? 0)) & (slotCount - 1)
    const last = this.#slots[slot]
    if (last?.length === length && this.#isEqual(last.start, start, length)) {
      this.pos = end
      return last.text
    }
    this.pos = pos
    const text = super.string(strict)
    this.#slots[slot] = { text, start, length }
    return text
  }

  #isEqual(first: number, second: number, length: number): boolean {
    const bytes = this.#bytes
    // A native call takes longer than the comparison of a few bytes, by which most strings differ.
    const loopLength = Math.min(length, 16)
    for (let index = 0; index < loopLength; index += 1)
      if (bytes[first + index] !== bytes[second + index]) return false
    if (length === loopLength) return true
    return bytes.compare(bytes, first, first + length, second, second + length) === 0
  }
}
