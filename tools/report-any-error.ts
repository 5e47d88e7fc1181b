import { createRequire } from 'node:module'
import { isMainThread } from 'node:worker_threads'

// Loaded by `npm test` before AVA, whose TAP reporter crashes on two kinds of errors.
if (isMainThread) {
  // An error without a stack: js-yaml throws on `undefined` unless `skipInvalid` is set.
  const require = createRequire(import.meta.resolve('supertap'))
  const yaml = require('js-yaml')
  const dump = yaml.safeDump
  yaml.safeDump = (value: unknown) => dump(value, { skipInvalid: true })

  // The error of a timeout, which names the tests that did not end: it is no record with an `originalError`.
  Object.defineProperty(Error.prototype, 'originalError', {
    configurable: true,
    get() {
      return this
    },
  })
}
