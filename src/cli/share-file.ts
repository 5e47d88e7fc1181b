import { type FileFields, type FileLine, parseRecordFile } from './record-file.ts'

const fields: FileFields = {
  names: [
    'permission_id',
    'service_name',
    'resource_type',
    'resource_id',
    'external_id',
    'grantee_type',
    'grantee_id',
    'grantee_email',
    'grantee_external_id',
    'group_name',
    'permission',
    'role',
    'condition',
    'expires_at',
  ],
  json: ['params'],
  objects: {},
}

/**
 * Parses a file of shares, like `parseRecordFile`. `condition` is the name of the condition, `params`
 * are the values of its parameters.
 */
export function parseShareFile(path: string, text: string): FileLine[] {
  return parseRecordFile(path, text, fields)
}
