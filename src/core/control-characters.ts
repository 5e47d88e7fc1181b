/**
 * Control characters, and the invisible ones that change the direction of text: they make a name look
 * like another one. For character classes of regular expressions with the flag `u`.
 */
export const controlCharacters = '\\p{Cc}\\u200E\\u200F\\u202A-\\u202E\\u2066-\\u2069'
