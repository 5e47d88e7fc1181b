import { createRequire } from 'node:module'
import { isMainThread } from 'node:worker_threads'

// Loaded by `npm test` before AVA. The TAP reporter of AVA crashes on an error without a stack,
// because js-yaml throws on `undefined` unless `skipInvalid` is set.
if (isMainThread) {
  const require = createRequire(import.meta.resolve('supertap'))
  const yaml = require('js-yaml')
  const dump = yaml.safeDump
  yaml.safeDump = (value: unknown) => dump(value, { skipInvalid: true })
}
