import protobuf from 'protobufjs'
import { clip, quote } from '../env/config.ts'
import { envError } from '../env/env-error.ts'
import type { Json } from '../env/game.ts'

/**
 * The contract's messages as a strict subset of proto3 JSON: camelCase names, bytes as base64, enums by name,
 * no nulls, no quoted integers. Zero values are written; absent `optional` scalars and messages are left out.
 */

type JsonObject = { readonly [key: string]: Json }

/** Reads a message; `path` names the place in error messages. */
export function messageFromJson(type: protobuf.Type, json: Json, path: string): object {
  if (!isObject(json)) throw badField(path || type.name, 'an object', json, path)
  const message: Record<string, unknown> = {}
  for (const key of Object.keys(json)) {
    const field = Object.hasOwn(type.fields, key) ? type.fields[key] : undefined
    if (field === undefined) {
      const allowed = type.fieldsArray.map(({ name }) => name).join(', ')
      throw envError(
        'UNKNOWN_FIELD',
        `${path || type.name} has no field ${quote(key)}; allowed: ${allowed}`,
        placeOf(path),
      )
    }
    message[key] = fieldFromJson(field, json[key]!, path === '' ? key : `${path}.${key}`)
  }
  for (const field of type.fieldsArray) {
    if (!Object.hasOwn(message, field.name) && hasDefault(field)) message[field.name] = defaultOf(field)
  }
  return message
}

/** Writes a message as the object that JSON.stringify takes. */
export function messageToJson(type: protobuf.Type, message: object): JsonObject {
  const json: Record<string, Json> = {}
  const values = message as Record<string, unknown>
  for (const field of type.fieldsArray) {
    const value = values[field.name]
    if (value !== undefined && value !== null) json[field.name] = fieldToJson(field, value)
    else if (hasDefault(field)) json[field.name] = fieldToJson(field, defaultOf(field))
  }
  return json
}

/** Lists, maps and plain scalars are never absent; messages, oneof members and `optional` scalars may be. */
function hasDefault(field: protobuf.Field): boolean {
  if (field.repeated || field.map) return true
  return field.partOf === null && !(field.resolvedType instanceof protobuf.Type)
}

function defaultOf(field: protobuf.Field): unknown {
  if (field.repeated) return []
  if (field.map) return {}
  if (field.type === 'bytes') return new Uint8Array(0)
  if (field.resolvedType instanceof protobuf.Enum) return 0
  if (field.type === 'string') return ''
  return field.type === 'bool' ? false : 0
}

function fieldFromJson(field: protobuf.Field, json: Json, path: string): unknown {
  if (field.map) {
    if (!isObject(json)) throw badField(path, 'an object', json)
    return Object.fromEntries(
      Object.entries(json).map(([key, value]) => [
        key,
        valueFromJson(field, value, `${path}[${quote(key)}]`),
      ]),
    )
  }
  if (!field.repeated) return valueFromJson(field, json, path)
  if (!Array.isArray(json)) throw badField(path, 'an array', json)
  return (json as readonly Json[]).map((value, i) => valueFromJson(field, value, `${path}[${i}]`))
}

function valueFromJson(field: protobuf.Field, json: Json, path: string): unknown {
  const { resolvedType } = field
  if (resolvedType instanceof protobuf.Type) return messageFromJson(resolvedType, json, path)
  if (resolvedType instanceof protobuf.Enum) {
    const { values } = resolvedType
    if (typeof json === 'string' && Object.hasOwn(values, json)) return values[json]
    throw badField(path, `one of ${Object.keys(values).join(', ')}`, json)
  }
  switch (field.type) {
    case 'string':
      if (typeof json === 'string') return json
      throw badField(path, 'a string', json)
    case 'bool':
      if (typeof json === 'boolean') return json
      throw badField(path, 'true or false', json)
    case 'int32':
      if (typeof json === 'number' && Number.isInteger(json) && json === (json | 0)) return json | 0
      throw badField(path, 'an integer from -2147483648 to 2147483647', json)
    case 'bytes':
      return bytesFromJson(json, path)
    default:
      throw new Error(`requests have no fields of type ${field.type}`)
  }
}

function bytesFromJson(json: Json, path: string): Uint8Array {
  if (typeof json === 'string') {
    const bytes = Buffer.from(json, 'base64')
    if (bytes.toString('base64') === json) return bytes
  }
  throw badField(path, 'a base64 string with padding', json)
}

function fieldToJson(field: protobuf.Field, value: unknown): Json {
  if (field.map) return value as Json
  if (field.repeated) return (value as readonly unknown[]).map((item) => valueToJson(field, item))
  return valueToJson(field, value)
}

function valueToJson(field: protobuf.Field, value: unknown): Json {
  const { resolvedType } = field
  if (resolvedType instanceof protobuf.Type) return messageToJson(resolvedType, value as object)
  if (resolvedType instanceof protobuf.Enum) return resolvedType.valuesById[value as number]!
  if (field.type === 'bytes') return base64(value as Uint8Array)
  return value as Json
}

/** Bytes as standard base64 with padding. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

function isObject(json: Json): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}

/** Seeds are withheld wherever they stand, and every value is clipped. */
function badField(name: string, allowed: string, json: Json, path = name) {
  const value = /^reset|seed|replay/i.test(name)
    ? 'another value'
    : clip(typeof json === 'number' ? String(json) : JSON.stringify(json))
  return envError('BAD_FIELD', `${name} is ${value}; allowed: ${allowed}`, placeOf(path))
}

/** Nothing for the message as a whole, which is no field of it. */
function placeOf(path: string): { readonly [key: string]: string } {
  return path === '' ? {} : { field: fieldOf(path) }
}

/** A field as the contract spells it, without the call: `makeEnv.numEnvs` is num_envs. */
function fieldOf(path: string): string {
  const inCall = path.includes('.') ? path.slice(path.indexOf('.') + 1) : path
  return inCall.replace(/\[.*$/s, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
