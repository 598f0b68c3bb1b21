import protobuf from 'protobufjs'

/**
 * protobufjs reads some broken messages without complaint: fields that run past the end, strings that are not
 * UTF-8, values of another wire type. This walk over the bytes refuses them before they are decoded.
 */

const VARINT = 0
const FIXED64 = 1
const LENGTH_DELIMITED = 2
const FIXED32 = 5

/** The most entries of maps and elements of lists in one message; what is built of them takes many times their bytes. */
const MAX_MAP_ENTRIES = 4096
const MAX_ELEMENTS = 1_100_000

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Throws when the bytes are no message of the type; unknown fields are allowed, groups are not. */
export function checkWire(type: protobuf.Type, bytes: Uint8Array): void {
  walk(type, { bytes, at: 0, elements: 0, mapEntries: 0 })
}

interface Reader {
  readonly bytes: Uint8Array
  at: number
  elements: number
  mapEntries: number
}

function walk(type: protobuf.Type, reader: Reader): void {
  while (reader.at < reader.bytes.length) {
    const tag = readVarint(reader)
    const field = type.fieldsById[Math.floor(tag / 8)]
    if (tag < 8) throw new RangeError('a field number is 0')
    checkField(field, tag % 8, reader)
  }
}

function checkField(field: protobuf.Field | undefined, wireType: number, reader: Reader): void {
  if (field !== undefined && !isExpected(field, wireType))
    throw new RangeError('a field has another wire type')
  if (field?.repeated) countElement(reader)
  switch (wireType) {
    case VARINT:
      readVarint(reader)
      return
    case FIXED64:
      skip(reader, 8)
      return
    case FIXED32:
      skip(reader, 4)
      return
    case LENGTH_DELIMITED: {
      const length = readVarint(reader)
      skip(reader, length)
      if (field !== undefined) checkContent(field, length, reader)
      return
    }
    default:
      throw new RangeError('an unknown wire type')
  }
}

function isExpected(field: protobuf.Field, wireType: number): boolean {
  if (field.map || field.resolvedType instanceof protobuf.Type) return wireType === LENGTH_DELIMITED
  if (field.type === 'string' || field.type === 'bytes') return wireType === LENGTH_DELIMITED
  return wireType === VARINT || (field.repeated && wireType === LENGTH_DELIMITED)
}

/** Looks into the last `length` bytes that the reader came past. */
function checkContent(field: protobuf.Field, length: number, reader: Reader): void {
  const content = reader.bytes.subarray(reader.at - length, reader.at)
  if (field.type === 'string' && !field.map) utf8.decode(content)
  else if (field.type !== 'bytes' || field.map) {
    const inner = { ...reader, bytes: content, at: 0 }
    if (field.map) checkMapEntry(field, inner)
    else if (field.resolvedType instanceof protobuf.Type) walk(field.resolvedType, inner)
    else checkPacked(inner)
    reader.elements = inner.elements
    reader.mapEntries = inner.mapEntries
  }
}

/** Keys are strings; values are strings or varints. */
function checkMapEntry(field: protobuf.Field, reader: Reader): void {
  if (++reader.mapEntries > MAX_MAP_ENTRIES) throw new RangeError('a map has too many entries')
  while (reader.at < reader.bytes.length) {
    const tag = readVarint(reader)
    const isString = tag === 10 || (tag === 18 && field.type === 'string')
    if (!isString && !(tag === 16 && field.type !== 'string'))
      throw new RangeError('a map entry has another form')
    if (!isString) readVarint(reader)
    else {
      const length = readVarint(reader)
      skip(reader, length)
      utf8.decode(reader.bytes.subarray(reader.at - length, reader.at))
    }
  }
}

function checkPacked(reader: Reader): void {
  while (reader.at < reader.bytes.length) {
    readVarint(reader)
    countElement(reader)
  }
}

function countElement(reader: Reader): void {
  if (++reader.elements > MAX_ELEMENTS) throw new RangeError('a list has too many elements')
}

function skip(reader: Reader, length: number): void {
  if (length > reader.bytes.length - reader.at) throw new RangeError('a field runs past the end')
  reader.at += length
}

/** A varint of at most ten bytes, as a double: exact where it matters, for tags and lengths. */
function readVarint(reader: Reader): number {
  let value = 0
  let scale = 1
  for (let i = 0; i < 10; i++) {
    const byte = reader.bytes[reader.at++]
    if (byte === undefined) throw new RangeError('a number runs past the end')
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return value
    scale *= 128
  }
  throw new RangeError('a number is longer than ten bytes')
}
