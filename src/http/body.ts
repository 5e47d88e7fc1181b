import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import express, { type Request, type Response } from 'express'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { Policy, Upload } from '../rpc/method.ts'
import { findJsonLimitViolation } from './json-limits.ts'
import { reasons } from './reasons.ts'

/** The maximum size of a JSON body in bytes. Bulk methods accept as much as in a gRPC message. */
const maxJsonBytes = { usual: 256 * 1024, bulk: 4 * 1024 * 1024 }

/** JSON encodes each quote and line break of an uploaded file as two bytes. */
const jsonEscapeFactor = 2

const formType = 'multipart/form-data'

/** The limits of a form apart from the file. */
const formLimits = { fields: 10, fieldSize: 1024, parts: 20, headerPairs: 20 }

/** The maximum size of a form in bytes, and the maximum number of its fields. */
const maxFormBytes = 64 * 1024
const maxFormFields = 50

/**
 * Reads the message from the body: JSON, a form for methods with `form` or, for methods with
 * `upload`, a file. A missing body is `{}`.
 */
export async function readBody(
  request: Request,
  response: Response,
  { upload, form, bulk }: Pick<Policy, 'upload' | 'form' | 'bulk'>,
): Promise<object> {
  const hasBody =
    Number(request.headers['content-length']) > 0 || request.headers['transfer-encoding']
  if (!hasBody) return {}
  if (upload && request.is([upload.mediaType, formType]))
    return readUpload(request, response, upload)
  if (form) return readForm(request, response)
  if (!request.is(['json', '+json'])) throw new ServiceError(reasons.NOT_JSON)
  if (upload) return readJson(request, response, upload.maxBytes * jsonEscapeFactor)
  return readJson(request, response, bulk ? maxJsonBytes.bulk : maxJsonBytes.usual)
}

/** Reads JSON, which is UTF-8 (RFC 8259, section 8.1). */
async function readJson(request: Request, response: Response, maxBytes: number): Promise<object> {
  requireUtf8(request)
  await createParser('raw', maxBytes)(request, response)
  const bytes: Buffer = request.body
  if (bytes.length === 0) return {}
  const violation = findJsonLimitViolation(bytes)
  if (violation) throw invalidArgument({ field: '', message: `The body ${violation}` })
  const value = parseJson(bytes)
  if (typeof value === 'object' && value !== null) return value
  throw invalidArgument({ field: '', message: 'The body must be a JSON object' })
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (error) {
    const format = error instanceof SyntaxError ? 'JSON' : 'UTF-8'
    throw invalidArgument({ field: '', message: `The body is not valid ${format}` })
  }
}

/** Ignores a byte order mark, and refuses other bytes than UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Creates a parser that reads a body of at most `maxBytes` into `request.body`. Compressed bodies
 * are rejected, because a few bytes could expand to the maximum.
 */
function createParser(kind: 'raw' | 'text', maxBytes: number) {
  const parse = express[kind]({ limit: maxBytes, inflate: false, type: () => true })
  return (request: Request, response: Response): Promise<void> =>
    new Promise((resolve, reject) => {
      parse(request, response, (error) => {
        if (error) reject(toServiceError(error, maxBytes))
        else resolve()
      })
    })
}

function toServiceError(error: { type?: string; message: string }, maxBytes: number): ServiceError {
  switch (error.type) {
    case 'entity.too.large':
      return bodyTooLarge(maxBytes)
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new ServiceError(reasons.ENCODING_UNSUPPORTED, error.message)
    default:
      return invalidArgument({ field: '', message: 'The body could not be read' })
  }
}

/**
 * Reads the fields of a form (RFC 6749, appendix B). Repeated fields become lists, which fail
 * validation.
 */
async function readForm(request: Request, response: Response): Promise<object> {
  if (!request.is('application/x-www-form-urlencoded')) {
    throw new ServiceError(reasons.NOT_A_FORM)
  }
  await createParser('text', maxFormBytes)(request, response)
  const text: string = request.body
  if (text.split('&', maxFormFields + 1).length > maxFormFields) {
    throw invalidArgument({
      field: '',
      message: `The body must contain at most ${maxFormFields} fields`,
    })
  }
  const fields = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(text)) {
    const previous = fields.get(name)
    fields.set(name, previous === undefined ? value : [previous, value].flat())
  }
  return Object.fromEntries(fields)
}

/** Reads the file from the body or from a form. Returns an empty message if there is none. */
async function readUpload(request: Request, response: Response, upload: Upload): Promise<object> {
  const bytes = request.is(formType)
    ? await readFormFile(request, upload)
    : await readRawFile(request, response, upload)
  return bytes ? { [upload.field]: decodeUtf8(bytes, upload) } : {}
}

async function readRawFile(
  request: Request,
  response: Response,
  { maxBytes }: Upload,
): Promise<Buffer> {
  requireUtf8(request)
  await createParser('raw', maxBytes)(request, response)
  return request.body
}

function requireUtf8({ headers }: Request): void {
  const { charset = 'utf-8' } =
    /;\s*charset="?(?<charset>[^\s;"]*)/i.exec(headers['content-type'] ?? '')?.groups ?? {}
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) throw unsupportedEncoding(`charset ${charset}`)
}

/** Reads the part of the form that is the file. */
function readFormFile(request: Request, { part, maxBytes }: Upload): Promise<Buffer | undefined> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity')
    throw unsupportedEncoding(`content encoding ${encoding}`)
  return new Promise((resolve, reject) => {
    const files: Buffer[][] = []
    const form = createFormReader(request, maxBytes)
    const fail = (error: ServiceError) => {
      // Discards the rest of the body, so that the client reads the response.
      request.unpipe(form).resume()
      reject(error)
    }
    form.on('file', (name, stream) => {
      stream.on('error', () => fail(malformedForm()))
      if (name !== part) return void stream.resume()
      const chunks: Buffer[] = []
      files.push(chunks)
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('limit', () => fail(bodyTooLarge(maxBytes)))
    })
    form.on('error', () => fail(malformedForm()))
    form.on('finish', () => {
      const [chunks, ...duplicates] = files
      if (duplicates.length > 0)
        reject(invalidArgument({ field: part, message: 'must not be repeated' }))
      else resolve(chunks && Buffer.concat(chunks))
    })
    // A client that disconnects gets no response, but the promise must settle.
    request.on('close', () => {
      if (!request.complete) reject(malformedForm())
    })
    request.pipe(form)
  })
}

function createFormReader({ headers }: Request, maxBytes: number) {
  try {
    const limits = { ...formLimits, fileSize: maxBytes }
    return new Busboy({ headers: headers as BusboyHeaders, limits })
  } catch {
    throw malformedForm()
  }
}

function decodeUtf8(bytes: Buffer, { field }: Upload): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidArgument({ field, message: 'must be UTF-8 text' })
  }
}

function bodyTooLarge(maxBytes: number): ServiceError {
  const detail = `The body exceeds ${maxBytes} bytes`
  return new ServiceError(reasons.BODY_TOO_LARGE, detail)
}

function malformedForm(): ServiceError {
  return invalidArgument({ field: '', message: `The body is not valid ${formType}` })
}

function unsupportedEncoding(name: string): ServiceError {
  const detail = `The ${name} is not supported`
  return new ServiceError(reasons.ENCODING_UNSUPPORTED, detail)
}
