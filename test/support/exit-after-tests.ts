import test, { registerCompletionHandler } from 'ava'

/** Milliseconds within which a test file must release its resources. */
const gracePeriod = 5000

// A file that does not close a connection or timer would prevent `npm test` from ending.
registerCompletionHandler(() => {
  const timer = setTimeout(() => {
    const resources = process.getActiveResourcesInfo().join(', ')
    console.error(`${test.meta.file} ended without releasing: ${resources}`)
    process.exit()
  }, gracePeriod)
  timer.unref()
})
