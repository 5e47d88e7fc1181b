/** A fake of the client for unit tests, which decides by the rules of the server. */
export { createFakeDaikon, type FakeDaikon } from './fake/fake-daikon.ts'
export type { FakeWorld } from './fake/world.ts'
export type { Role } from './gen/core/roles.ts'
