import type { PathValues } from './path-template.ts'

const variable = /\{([^{}]*)\}/g

/**
 * Checks the template of a resource ID, such as `{owner}/{name}`. If it is not valid, returns a
 * message that completes "<field> …".
 *
 * @param variables the variables of the path
 */
export function findIdTemplateProblem(template: string, variables: string[]): string | undefined {
  const names = [...template.matchAll(variable)].map(([, name = '']) => name)
  const unknown = names.find((name) => !variables.includes(name))
  if (unknown !== undefined)
    return `must not contain {${unknown}}, which is not a variable of the path`
  // Text and names alternate.
  const [, ...texts] = template.split(variable).filter((_, index) => index % 2 === 0)
  if (/[{}]/.test(template.replaceAll(variable, '')))
    return 'must contain braces only around variables, such as {id}'
  // Otherwise, the paths `/a-b/c` and `/a/b-c` could yield the same ID.
  if (texts.slice(0, -1).some((text) => !text.includes('/')))
    return 'must separate variables with a slash, which their values cannot contain'
  return undefined
}

/** Replaces the variables in the template of a resource ID. */
export function expandIdTemplate(template: string, values: PathValues): string {
  return template.replaceAll(variable, (_, name: string) => values.get(name) ?? '')
}
