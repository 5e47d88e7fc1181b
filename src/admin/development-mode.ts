import type { EntityManager } from '@mikro-orm/postgresql'
import type { Context } from '../rpc/call.ts'
import { activeAppsSql } from '../storage/control.ts'

/** What tells whether keys are asked for, and whom to tell that they are not. */
export type KeyWatch = Pick<Context, 'warn'> & {
  identity: { options: Pick<Context['identity']['options'], 'keysRequired'> }
}

/** Whether every service key and none passes: no app is active, and none has to be (specification 5.5). */
async function isDevelopmentMode(
  em: EntityManager,
  { identity: { options } }: KeyWatch,
): Promise<boolean> {
  if (options.keysRequired) return false
  const [found] = await em.execute<{ active: boolean }[]>(activeAppsSql)
  return found?.active !== true
}

/** Says so where that is how things stand: at start and after changes. */
export async function warnOfDevelopmentMode(em: EntityManager, watch: KeyWatch): Promise<void> {
  if (await isDevelopmentMode(em, watch))
    watch.warn('No service app is active: development mode, every key and none passes')
}
