/** Returns the lines of a text that are not blank, without spaces around them. */
export function toLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}
