import { writeFileSync } from 'node:fs'
import { describeApi } from './openapi-document.ts'

/** `node tools/write-openapi.ts <file>`: writes the OpenAPI document of the default settings. */
const [file = ''] = process.argv.slice(2)

const globalLimit = 30
writeFileSync(file, JSON.stringify(describeApi(globalLimit), null, 2))
