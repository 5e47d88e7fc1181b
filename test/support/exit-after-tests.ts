import test, { registerCompletionHandler } from 'ava'

/** Milliseconds that a file may take to release what its tests have used. */
const patience = 5000

// A file that leaves a connection or timer behind would keep `npm test` from ending.
registerCompletionHandler(() => {
  const timer = setTimeout(() => {
    const resources = process.getActiveResourcesInfo().join(', ')
    console.error(`${test.meta.file} ended without releasing: ${resources}`)
    process.exit()
  }, patience)
  timer.unref()
})
