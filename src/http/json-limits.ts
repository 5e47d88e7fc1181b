/** The maximum nesting depth and the maximum number of values of a JSON body. */
const maxDepth = 64
const maxValues = 50_000

const quote = 0x22
const backslash = 0x5c

/**
 * Checks the number and nesting of the values in JSON text before it is parsed, in one pass over
 * its bytes. A few bytes can describe an object, and validation visits every object. Returns the
 * violation, if any. Does not detect invalid JSON.
 */
export function findJsonLimitViolation(json: Buffer): string | undefined {
  let depth = 0
  let values = 0
  let isInToken = false
  for (let index = 0; index < json.length; index++) {
    const continuesToken = isInToken
    isInToken = false
    switch (json[index]) {
      case 0x7b: // {
      case 0x5b: // [
        depth += 1
        values += 1
        if (depth > maxDepth) return `must be nested at most ${maxDepth} levels deep`
        break
      case 0x7d: // }
      case 0x5d: // ]
        depth -= 1
        break
      case 0x3a: // : after the name of a member
        values -= 1
        break
      case 0x2c: // ,
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        break
      case quote:
        values += 1
        index = findEndOfString(json, index + 1)
        break
      default:
        if (!continuesToken) values += 1
        isInToken = true
    }
    if (values > maxValues) return `must contain at most ${maxValues} values`
  }
  return undefined
}

function findEndOfString(json: Buffer, start: number): number {
  let index = start
  while (index < json.length && json[index] !== quote) index += json[index] === backslash ? 2 : 1
  return index
}
