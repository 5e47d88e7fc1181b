import { type FileFields, type FileLine, parseRecordFile } from './record-file.ts'

const fields: FileFields = {
  names: [
    'service_name',
    'resource_type',
    'resource_id',
    'external_id',
    'display_name',
    'workspace_id',
    'workspace_slug',
    'owner_id',
    'owner_email',
    'owner_external_id',
    'visibility',
  ],
  json: ['attributes'],
  objects: { parent: ['resource_type', 'resource_id', 'external_id'] },
}

/** Parses a file of resources, with the fields of their registrations, like `parseRecordFile`. */
export function parseResourceFile(path: string, text: string): FileLine[] {
  return parseRecordFile(path, text, fields)
}
