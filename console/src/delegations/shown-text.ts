/** Characters without a glyph, and those that turn text around. */
const invisible = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/gu

/** Returns what is shown of a text that others have chosen; empty if nothing can be shown. */
export function shownText(text: string, maxLength = 100): string {
  const visible = text.replace(invisible, ' ').replace(/\s+/gu, ' ').trim()
  const characters = [...visible]
  return characters.length > maxLength
    ? `${characters.slice(0, maxLength).join('').trim()}…`
    : visible
}
