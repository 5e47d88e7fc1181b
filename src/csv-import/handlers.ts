import { executeCsvImport, previewCsvImport } from './import.ts'

/** The handlers of imports, by service. */
export const csvImportHandlers = {
  AdminService: { previewCsvImport, executeCsvImport },
}
