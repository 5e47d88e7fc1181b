/**
 * Control characters and invisible bidirectional controls, which can make one name look like
 * another. Written for character classes of regular expressions with the `u` flag.
 */
export const controlCharacters = '\\p{Cc}\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069'
