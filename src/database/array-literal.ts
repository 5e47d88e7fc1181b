/** The literal of an array, of which undefined is null; texts have to be elements already. */
export function arrayLiteral(elements: (string | number | undefined)[]): string {
  return `{${elements.map((element) => element ?? 'NULL').join(',')}}`
}

/** Any text as an element; ids, hashes and plain words are by themselves. */
export function textElement(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Any texts as the literal of an array. */
export function textArray(texts: string[]): string {
  return arrayLiteral(texts.map(textElement))
}
