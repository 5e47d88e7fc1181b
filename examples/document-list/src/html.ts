/** HTML, as opposed to text that must be escaped. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | number | false | undefined | Value[]

/**
 * Creates HTML from a template. Values are escaped unless they are HTML themselves, in elements and in quoted
 * attributes.
 */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(render)))
}

function render(value: Value): string {
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(render).join('')
  const text = value === false || value === undefined ? '' : String(value)
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
