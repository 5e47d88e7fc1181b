import { LRUCache } from 'lru-cache'
import { mapInTurns } from '../../../core/turns.ts'
import { type Condition, compileCondition } from '../../conditions/condition.ts'
import { type ParameterType, parseParameterType } from '../../conditions/parameter-type.ts'

/** A condition as it is stored. `parameters` is JSON: the types by name. */
export type StoredCondition = { digest: string; expression: string; parameters: string }

/** A compiled condition and the types of its parameters. */
export type CompiledCondition = {
  condition: Condition
  parameters: ReadonlyMap<string, ParameterType>
}

/**
 * The compiled conditions by digest, undefined if a condition does not compile. A digest identifies
 * the content, so entries never become stale, and all callers can share them.
 */
export type CompiledConditions = ReadonlyMap<string, CompiledCondition | undefined>

/** How often to read facts again whose conditions are replaced while they are judged. */
export const maxAttempts = 3

const maxRemembered = 2000

const remembered = new LRUCache<string, { compiled: CompiledCondition | undefined }>({
  max: maxRemembered,
})

/**
 * Returns the conditions with these digests, compiled once. `load` returns those that have not been
 * compiled yet. Digests of conditions that have been replaced since they were read are absent.
 */
export async function compileConditions(
  digests: Iterable<string>,
  load: (digests: string[]) => Promise<StoredCondition[]>,
): Promise<CompiledConditions> {
  const found = new Map<string, CompiledCondition | undefined>()
  const missing: string[] = []
  for (const digest of new Set(digests)) {
    const cached = remembered.get(digest)
    if (cached) found.set(digest, cached.compiled)
    else missing.push(digest)
  }
  if (missing.length === 0) return found
  await mapInTurns(await load(missing), (stored) => {
    const { compiled } = remembered.get(stored.digest) ?? { compiled: compile(stored) }
    remembered.set(stored.digest, { compiled })
    found.set(stored.digest, compiled)
  })
  return found
}

function compile({ expression, parameters }: StoredCondition): CompiledCondition | undefined {
  const types = new Map<string, ParameterType>()
  for (const [name, text] of Object.entries(JSON.parse(parameters) as Record<string, string>)) {
    const type = parseParameterType(text)
    if (!type) return undefined
    types.set(name, type)
  }
  const result = compileCondition(expression, types)
  return 'condition' in result ? { condition: result.condition, parameters: types } : undefined
}
