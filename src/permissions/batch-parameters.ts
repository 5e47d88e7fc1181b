import { textElement } from '../database/sql-values.ts'
import { builtInActions } from './access.ts'

/** The distinct kinds of resource in the checks of a statement: services with a resource type. */
export type KindTable = {
  services: string[]
  types: string[]
  /** Adds a kind if it is new. Returns its position in both arrays, from 1 as in PostgreSQL. */
  add(serviceName: string, resourceType: string): number
}

/** Creates a table of kinds, so that a statement sends each of them once. */
export function createKindTable(): KindTable {
  const services: string[] = []
  const types: string[] = []
  const positions = new Map<string, number>()
  return {
    services,
    types,
    add(serviceName, resourceType) {
      // A line break separates the names, neither of which can contain one.
      const kind = `${serviceName}\n${resourceType}`
      const known = positions.get(kind)
      if (known !== undefined) return known
      services.push(textElement(serviceName))
      const position = types.push(textElement(resourceType))
      positions.set(kind, position)
      return position
    },
  }
}

/**
 * The action as an element of an array literal. Built-in actions are undefined, because decisions
 * about them depend only on the grants on the resource.
 */
export function actionElement(action: string): string | undefined {
  return builtInActions.includes(action) ? undefined : textElement(action)
}
