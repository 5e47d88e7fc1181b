import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { Request, Response } from 'express'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { Upload } from '../rpc/method.ts'
import { bodyTooLarge, createParser } from './body.ts'

const form = 'multipart/form-data'

/** What a form may have beside the file, which is not read. */
const others = { fields: 10, fieldSize: 1024, parts: 20, headerPairs: 20 }

/** Whether the body is a file, or a form that may hold one. */
export function isUpload(request: Request, { mediaType }: Upload): boolean {
  return Boolean(request.is([mediaType, form]))
}

/** The message that a file is; an empty one where the form holds none. */
export async function readUpload(
  request: Request,
  response: Response,
  upload: Upload,
): Promise<object> {
  const bytes = request.is(form)
    ? await readPart(request, upload)
    : await readWhole(request, response, upload)
  return bytes ? { [upload.field]: decode(bytes, upload) } : {}
}

async function readWhole(
  request: Request,
  response: Response,
  { largest }: Upload,
): Promise<Buffer> {
  const { charset = 'utf-8' } =
    /;\s*charset="?(?<charset>[^\s;"]*)/i.exec(request.headers['content-type'] ?? '')?.groups ?? {}
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) throw unsupported(`charset ${charset}`)
  await createParser('raw', largest)(request, response)
  return request.body
}

/** The bytes of the one part that is the file. */
function readPart(request: Request, { part, largest }: Upload): Promise<Buffer | undefined> {
  const { 'content-encoding': encoding = 'identity' } = request.headers
  if (encoding.toLowerCase() !== 'identity') throw unsupported(`content encoding ${encoding}`)
  return new Promise((resolve, reject) => {
    const files: Buffer[][] = []
    const reader = createReader(request, largest)
    const fail = (fault: ServiceError) => {
      // What still comes is let go by, so that the answer finds its way.
      request.unpipe(reader).resume()
      reject(fault)
    }
    reader.on('file', (name, stream) => {
      stream.on('error', () => fail(malformed()))
      if (name !== part) return void stream.resume()
      const chunks: Buffer[] = []
      files.push(chunks)
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('limit', () => fail(bodyTooLarge(largest)))
    })
    reader.on('error', () => fail(malformed()))
    reader.on('finish', () => {
      const [chunks, ...more] = files
      if (more.length > 0)
        reject(invalidArgument({ field: part, message: 'is there more than once' }))
      else resolve(chunks && Buffer.concat(chunks))
    })
    // Whoever goes away in the middle gets no answer, but nothing waits for them either.
    request.on('close', () => request.complete || reject(malformed()))
    request.pipe(reader)
  })
}

function createReader({ headers }: Request, largest: number) {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: { ...others, fileSize: largest },
    })
  } catch {
    throw malformed()
  }
}

function decode(bytes: Buffer, { field }: Upload): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidArgument({ field, message: 'must be UTF-8 text' })
  }
}

function malformed(): ServiceError {
  return invalidArgument({ field: '', message: `The body is not valid ${form}` })
}

function unsupported(what: string): ServiceError {
  return new ServiceError(
    'unsupported_media_type',
    'ENCODING_UNSUPPORTED',
    `The ${what} is not supported`,
  )
}
