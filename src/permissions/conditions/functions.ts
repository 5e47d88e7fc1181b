import { type CelFunc, celEnv } from '@bufbuild/cel'
import { inCidr } from './address-range.ts'
import { timeFunctions } from './time-functions.ts'

/** CEL's standard functions, and the ones that daikon adds. */
export const environment = celEnv({ funcs: [...timeFunctions, inCidr] })

/** Returns the functions of that name that take `count` arguments, and a target or none. */
export function findFunctions(name: string, hasTarget: boolean, count: number): CelFunc[] {
  return [...(environment.funcs.find(name) ?? [])].filter(
    (each) => (each.target !== undefined) === hasTarget && each.arguments.length === count,
  )
}

export function isFunctionName(name: string): boolean {
  return environment.funcs.find(name) !== undefined
}
