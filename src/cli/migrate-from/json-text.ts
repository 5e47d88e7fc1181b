const string = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`

/** Returns the offset after the object or list that begins at `start`, if it ends. */
export function findJsonEnd(text: string, start: number): number | undefined {
  const tokens = new RegExp(`${string}|[{}[\\]]`, 'gs')
  tokens.lastIndex = start
  let depth = 0
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const [token] = match
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    if (depth === 0) return tokens.lastIndex
  }
  return undefined
}

/**
 * Returns the offset of each item of a list: the text itself, or the field `name` of the object that
 * the text is. The text must be valid JSON that has the list.
 */
export function locateItems(text: string, name: string): number[] {
  const offsets: number[] = []
  const gap = /[\s,]*/y
  const scalar = new RegExp(`${string}|[^\\s,\\]]+`, 'ys')
  let at = findList(text, name) + 1
  for (;;) {
    gap.lastIndex = at
    gap.exec(text)
    at = gap.lastIndex
    const next = text[at]
    if (next === undefined || next === ']') return offsets
    offsets.push(at)
    if (next === '{' || next === '[') at = findJsonEnd(text, at) ?? text.length
    else {
      scalar.lastIndex = at
      scalar.exec(text)
      at = scalar.lastIndex
    }
  }
}

/** Returns the offset of the list. As in JSON.parse, the last field of a name counts. */
function findList(text: string, name: string): number {
  const start = text.search(/\S/)
  if (text[start] === '[') return start
  let found = text.length
  const tokens = new RegExp(`(${string})(\\s*:\\s*)?|[{[]`, 'gs')
  tokens.lastIndex = start + 1
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const [, key, colon] = match
    if (key === undefined) tokens.lastIndex = findJsonEnd(text, match.index) ?? text.length
    else if (colon !== undefined && JSON.parse(key) === name) found = tokens.lastIndex
  }
  return found
}
