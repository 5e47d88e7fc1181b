/** A fake client for unit tests, which follows the server's rules. */
export type { FakeCondition, FakeConditionInput } from './fake/conditions.ts'
export { createFakeDaikon, type FakeDaikon } from './fake/fake-daikon.ts'
export type { FakeWorld } from './fake/world.ts'
export type { Role } from './gen/core/roles.ts'
