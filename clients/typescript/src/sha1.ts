/** The functions and constants of the four groups of 20 steps (RFC 3174, section 5). */
const groups: [(b: number, c: number, d: number) => number, number][] = [
  [(b, c, d) => (b & c) | (~b & d), 0x5a827999],
  [(b, c, d) => b ^ c ^ d, 0x6ed9eba1],
  [(b, c, d) => (b & c) | (b & d) | (c & d), 0x8f1bbcdc],
  [(b, c, d) => b ^ c ^ d, 0xca62c1d6],
]

/**
 * Returns the SHA-1 hash of bytes (RFC 3174). Web Crypto would return a promise, and `resourceId`
 * returns a string.
 */
export function sha1(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const message = new DataView(padded.buffer)
  message.setUint32(padded.length - 4, bytes.length * 8)
  const hash = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0]
  for (let block = 0; block < padded.length; block += 64) {
    const words: number[] = []
    let [a = 0, b = 0, c = 0, d = 0, e = 0] = hash
    for (const [group, [mix, constant]] of groups.entries()) {
      for (let step = group * 20; step < group * 20 + 20; step += 1) {
        const word = (back: number) => words[step - back] ?? 0
        words[step] =
          step < 16
            ? message.getUint32(block + step * 4)
            : rotate(word(3) ^ word(8) ^ word(14) ^ word(16), 1)
        const next = rotate(a, 5) + mix(b, c, d) + e + word(0) + constant
        ;[a, b, c, d, e] = [next | 0, a, rotate(b, 30), c, d]
      }
    }
    for (const [index, value] of [a, b, c, d, e].entries())
      hash[index] = ((hash[index] ?? 0) + value) | 0
  }
  const result = new DataView(new ArrayBuffer(20))
  for (const [index, value] of hash.entries()) result.setInt32(index * 4, value)
  return new Uint8Array(result.buffer)
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}
