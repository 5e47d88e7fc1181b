/**
 * What compiling a pattern takes at most.
 * See docs/decisions/conditions.md#size-of-a-regular-expression.
 */
export type PatternSize = {
  /** The number of instructions of the compiled pattern. */
  instructions: number
  /** Operations to parse the pattern, apart from its instructions. */
  parsing: number
}

// Classes of Unicode have hundreds of ranges, other classes with a name a few.
const unicodeClassCost = 1_000
const namedClassCost = 25
/** How much more a class costs that ignores case. */
const foldedFactor = 2

// RE2 computes each class of Unicode once in a process, which takes it many times longer.
const unicodeNameCost = 1_500

// Alternatives that are characters are merged, and the classes before them copied.
const copiedClassCost = 15

// Ignoring case, a range is folded character by character.
const foldedCharacterCost = 2
const lastFoldedCharacter = 0x1e943

// The ranges of a class are sorted in a time that can be quadratic.
const rangesPerSortOperation = 50

const maxRepetition = 1_000

const repetition = /\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/y
const groupName = /\(\?P?<[^>]*>/y
const groupFlags = /\(\?[imsU-]*[:)]/y
const hexadecimal = /\\x\{[^}]*\}/y
const unicodeClass = /\\[pP](?:\{[^}]*\}|[\s\S])/y
const posixClass = /\[:[^\]]*?:\]/y
const otherClass = /\\[dDsSwW]/y

/**
 * Returns upper bounds for a pattern, read as RE2 reads it, in a time linear in its length. Nothing
 * is expanded: RE2 would write repetitions out before it knows how many there are.
 */
export function measurePattern(pattern: string): PatternSize {
  // The sizes of the parts before the groups that are open.
  const groups: number[] = []
  let size = 0
  /** The size of the element that a repetition repeats. */
  let last = 0
  let parsing = 0
  let classes = 0
  let alternatives = 0
  const names = new Set<string>()
  let isFolded = false

  const skip = (expression: RegExp, position: number): string | undefined => {
    expression.lastIndex = position
    return expression.exec(pattern)?.[0]
  }
  const addElement = (elements = 1) => {
    last = 1
    size += elements
  }
  const addClass = (cost: number) => {
    parsing += cost * (isFolded ? foldedFactor : 1)
  }
  const addUnicodeClass = (name: string) => {
    addClass(unicodeClassCost)
    classes += 1
    names.add(name.toUpperCase())
  }
  const repeat = (least: number, most: number, isOpen: boolean) => {
    const copies = Math.max(least, most, 1)
    const repeated = last * copies + (isOpen ? 2 : Math.max(0, most - least)) + 1
    size += repeated - last
    last = repeated
  }
  /** Returns the position after a class that begins at `start`. */
  const measureClass = (start: number): number => {
    let position = start + (pattern[start + 1] === '^' ? 2 : 1)
    const first = position
    while (position < pattern.length && (pattern[position] !== ']' || position === first)) {
      const named = skip(posixClass, position) ?? skip(otherClass, position)
      const unicode = skip(unicodeClass, position)
      if (named || unicode) {
        if (unicode) addUnicodeClass(unicode)
        else addClass(namedClassCost)
        position += (named ?? unicode ?? '').length
        continue
      }
      parsing += 5
      position += lengthOfCharacter(position)
      if (pattern[position] !== '-' || pattern[position + 1] === ']') continue
      // The end of a range is a character, whatever it looks like.
      if (isFolded) parsing += costOfFoldedRange(position + 1)
      position += 1 + lengthOfCharacter(position + 1)
    }
    parsing += (position - start) ** 2 / rangesPerSortOperation
    return position + 1
  }
  const lengthOfCharacter = (position: number) =>
    pattern[position] === '\\' ? (skip(hexadecimal, position)?.length ?? 2) : 1
  /** `position` is the end of the range. */
  const costOfFoldedRange = (position: number): number => {
    const isNumber = skip(hexadecimal, position) !== undefined
    const last = isNumber ? lastFoldedCharacter : (pattern.codePointAt(position) ?? 0)
    return Math.min(lastFoldedCharacter, last) * foldedCharacterCost
  }

  for (let position = 0; position < pattern.length; ) {
    const character = pattern[position]
    let length = 1
    parsing += 2
    switch (character) {
      case '\\': {
        if (pattern[position + 1] === 'Q') {
          const end = pattern.indexOf('\\E', position + 2)
          const quoted = (end < 0 ? pattern.length : end) - position - 2
          if (quoted > 0) addElement(quoted)
          length = quoted + 4
          break
        }
        const unicode = skip(unicodeClass, position)
        if (unicode) addUnicodeClass(unicode)
        else if (skip(otherClass, position)) addClass(namedClassCost)
        length = (unicode ?? skip(hexadecimal, position))?.length ?? 2
        addElement()
        break
      }
      case '[':
        length = measureClass(position) - position
        addElement()
        break
      case '(': {
        const flags = skip(groupFlags, position)
        if (flags?.includes('i')) isFolded = true
        length = (flags ?? skip(groupName, position))?.length ?? 1
        if (flags?.endsWith(')')) break
        groups.push(size)
        size = 0
        last = 0
        break
      }
      case ')':
        last = size + 3
        size = last + (groups.pop() ?? 0)
        break
      case '|':
        alternatives += 1
        size += 2
        last = 0
        break
      case '*':
        repeat(0, 1, true)
        break
      case '+':
      case '?':
        repeat(0, 1, false)
        break
      case '{': {
        repetition.lastIndex = position
        const [found, least, comma, most] = repetition.exec(pattern) ?? []
        if (!found) {
          addElement()
          break
        }
        // RE2 refuses more.
        const [low, high] = [Number(least), Number(most ?? least)].map((count) =>
          Math.min(count, maxRepetition),
        ) as [number, number]
        repeat(low, high, comma !== undefined && most === undefined)
        length = found.length
        break
      }
      default:
        addElement()
    }
    position += length
  }
  // Every pattern begins with an instruction that fails, and ends with one that matches.
  const instructions = groups.reduce((total, group) => total + group + 3, size) + 3
  parsing += classes * alternatives * copiedClassCost + names.size * unicodeNameCost
  return { instructions, parsing: Math.ceil(parsing) }
}
