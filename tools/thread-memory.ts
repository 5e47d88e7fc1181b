import { setFlagsFromString } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

// Loaded by `npm test` before AVA. Each test file is a thread that lives for seconds: its memory
// starts at a size that needs few collections, and collections do not start threads beside those of
// the tests. AVA passes flags of the command line to its threads, which reject these.
if (isMainThread) {
  setFlagsFromString('--min-semi-space-size=4')
  setFlagsFromString('--single-threaded-gc')
}
