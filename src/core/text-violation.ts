/**
 * Returns why PostgreSQL cannot store a text, if it cannot. The message completes the sentence
 * "<field> …".
 */
export function findTextViolation(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character U+0000'
  return text.isWellFormed() ? undefined : 'must be well-formed Unicode'
}
