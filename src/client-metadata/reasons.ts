import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of clients that are known by their URL. */
export const reasons = defineReasons({
  CLIENT_METADATA_REFUSED: {
    code: 'failed_precondition',
    message: 'The client_id is a URL that is not accepted, or its document is not valid',
  },
  CLIENT_METADATA_LIMITED: {
    code: 'resource_exhausted',
    message: 'Documents of clients are fetched too often',
  },
})
