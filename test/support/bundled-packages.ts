import { join } from 'node:path'

/**
 * Options with which Node.js loads the packages of the server in a third of the time, as the threads of test files do:
 * see tools/bundled-packages.ts. The packages themselves are loaded by the tests of the packed server and of the image.
 */
export const bundledPackages = [
  '--import',
  join(import.meta.dirname, '../../tools/use-bundled-packages.ts'),
]
