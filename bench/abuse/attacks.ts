import type { Attack } from './attack.ts'
import { callAttacks } from './call-attacks.ts'
import { connectionAttacks } from './connection-attacks.ts'
import { inputAttacks } from './input-attacks.ts'
import { lockAttacks } from './lock-attacks.ts'

/** All attacks by name, in the order of the table. */
export const attacks: Record<string, Attack> = {
  ...callAttacks,
  ...inputAttacks,
  ...lockAttacks,
  ...connectionAttacks,
}
