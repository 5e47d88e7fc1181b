import { WireType } from '@bufbuild/protobuf/wire'
import type { HeaderValueOption } from '../../gen/envoy/config/core/v3/base.ts'
import type { CheckResponse } from '../../gen/envoy/service/auth/v3/external_auth.ts'

/**
 * Encodes a response whose status has no details. Responses are deeply nested: the generated encoder
 * takes 3 to 5 µs of CPU, this one 1 to 2.
 */
export function encodeCheckResponse(response: CheckResponse): Buffer {
  const { status, denied_response: denied, ok_response: ok } = response
  let bytes = ''
  if (status) bytes += message(1, number(1, status.code) + text(2, status.message))
  if (denied) {
    const own = message(1, number(1, denied.status?.code ?? 0)) + headers(denied.headers)
    bytes += message(2, own + text(3, denied.body))
  }
  if (ok) bytes += message(3, headers(ok.headers))
  return Buffer.from(bytes, 'latin1')
}

/*
 * The following functions return encoded fields with a character for each byte: V8 concatenates
 * texts without copying them, and the length of a message must precede it.
 */

function headers(list: HeaderValueOption[]): string {
  let bytes = ''
  for (const { header, append_action, keep_empty_value } of list) {
    const own = header ? message(1, text(1, header.key) + text(2, header.value)) : ''
    bytes += message(2, own + number(3, append_action) + number(4, Number(keep_empty_value)))
  }
  return bytes
}

function text(field: number, value: string): string {
  if (value === '') return ''
  return message(field, isAscii.test(value) ? value : Buffer.from(value).toString('latin1'))
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters of one byte.
const isAscii = /^[\x00-\x7f]*$/

function message(field: number, bytes: string): string {
  return String.fromCharCode((field << 3) | WireType.LengthDelimited) + varint(bytes.length) + bytes
}

function number(field: number, value: number): string {
  return value === 0 ? '' : String.fromCharCode((field << 3) | WireType.Varint) + varint(value)
}

function varint(value: number): string {
  if (value < 0x80) return String.fromCharCode(value)
  return String.fromCharCode((value & 0x7f) | 0x80) + varint(value >>> 7)
}
