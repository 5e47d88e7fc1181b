/** A fake client for unit tests, which follows the server's rules. */
export { createFakeDaikon, type FakeDaikon } from './fake/fake-daikon.ts'
export type { FakeResourceRole, FakeWorld } from './fake/world.ts'
export type { Role } from './gen/core/roles.ts'
