import { join } from 'node:path'

/**
 * Options with which Node.js loads the packages of the server in a third of the time, as the threads of test files do:
 * see tools/bundled-packages.ts. The packages themselves are loaded by the tests of the packed server and of the image.
 */
export const bundledPackages = [
  '--import',
  join(import.meta.dirname, '../../tools/use-bundled-packages.ts'),
]

const { BUNDLED_PACKAGES, BUNDLED_SOURCES, NODE_COMPILE_CACHE } = process.env

/** The variables that these options need, for processes that do not inherit the others. */
export const bundleVariables = { BUNDLED_PACKAGES, BUNDLED_SOURCES, NODE_COMPILE_CACHE }
