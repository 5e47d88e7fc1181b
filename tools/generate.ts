import { generateGoCode, goCode } from './generate-go.ts'
import {
  clientCode,
  generateClientCode,
  generateRestTypes,
  generateServerCode,
  replaceFolder,
  restTypes,
  run,
  withTemporaryFolder,
} from './generated-code.ts'

/**
 * `npm run generate`: generates code from proto/ and the tables of the documentation. It needs no
 * handlers, and a folder keeps its files if they cannot be generated.
 */
withTemporaryFolder((folder) => {
  generateServerCode(folder)
  replaceFolder('gen', folder)
  generateClientCode(folder)
  replaceFolder(clientCode, folder)
  if (generateGoCode(folder)) replaceFolder(goCode, folder)
  // Both read the new descriptors.
  generateRestTypes(folder)
  replaceFolder(restTypes, folder)
  run(process.execPath, 'tools/generate-docs.ts')
})
