import type { EntityManager } from '@mikro-orm/postgresql'
import type { RequestContext } from '../core/request-context.ts'
import { activeAppsSql } from '../database/control-connection.ts'

/** Whether service keys are required in any case, and how to warn when they are not. */
export type DevelopmentModeContext = Pick<RequestContext, 'warn'> & { keysRequired: boolean }

/** Warns when no service app is active, at start and after every change of service apps. */
export async function warnOfDevelopmentMode(
  em: EntityManager,
  { keysRequired, warn }: DevelopmentModeContext,
): Promise<void> {
  if (keysRequired) return
  const [found] = await em.execute<{ active: boolean }[]>(activeAppsSql)
  if (found?.active) return
  warn(
    'No service app is active. Development mode: requests are accepted with any service key, or none',
  )
}
