export type JsonObject = Record<string, unknown>

/** Returns the JSON object in a text, or what is wrong with the text. An empty text is undefined. */
export function parseJsonObject(text: string): { value?: JsonObject; error?: string } {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { value: value as JsonObject } : { error: 'Must be a JSON object' }
  } catch (error) {
    return { error: `Invalid JSON: ${(error as Error).message}` }
  }
}
