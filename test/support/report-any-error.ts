import { createRequire } from 'node:module'
import { isMainThread } from 'node:worker_threads'

// Loaded by `npm test` before AVA, whose TAP reporter crashes on an error without a stack: js-yaml refuses
// `undefined` unless it may skip it.
if (isMainThread) {
  const require = createRequire(import.meta.resolve('supertap'))
  const yaml = require('js-yaml')
  const dump = yaml.safeDump
  yaml.safeDump = (value: unknown) => dump(value, { skipInvalid: true })
}
