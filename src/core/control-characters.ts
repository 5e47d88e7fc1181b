/**
 * Control characters and invisible bidirectional controls, which can make one name look like
 * another. Written for character classes of regular expressions with the `u` flag.
 */
export const controlCharacters = '\\p{Cc}\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069'

/**
 * Characters that show nothing: white space, fillers and others without a glyph (Unicode,
 * Default_Ignorable_Code_Point), and the empty Braille pattern.
 */
export const blankCharacters = '\\s\\p{Default_Ignorable_Code_Point}\\u2800'

const blank = new RegExp(`^[${blankCharacters}]*$`, 'u')

/** Whether people see nothing of a text. */
export function isBlank(text: string): boolean {
  return blank.test(text)
}
