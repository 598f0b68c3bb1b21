import protobuf from 'protobufjs'
import type { Slices } from '../env/slices.ts'
import type { LineBuffer } from './line-buffer.ts'
import { messageToJson } from './proto-json.ts'

/**
 * Answers that are one long list of messages, such as the explanations of many actions, are encoded a few elements
 * at a time: the objects of all of them would hold up everything else for seconds.
 */

/** Elements that are encoded in one slice. */
const ELEMENTS_A_SLICE = 16

/** Tells the bytes so far; it throws when they are too many. */
type Check = (bytes: number) => void

/** The one field of a message type that is nothing but a list of messages. */
export function listOf(type: protobuf.Type): protobuf.Field | undefined {
  const field = type.fieldsArray[0]
  const isList =
    type.fieldsArray.length === 1 && field?.repeated && field.resolvedType instanceof protobuf.Type
  return isList ? field : undefined
}

/** Adds a message as JSON to a line: what `messageToJson` gives. */
export function* writeJson(
  type: protobuf.Type,
  message: object,
  out: LineBuffer,
  check: Check,
): Slices<void> {
  const list = listOf(type)
  if (list === undefined) {
    out.text(JSON.stringify(messageToJson(type, message)))
    return
  }
  const elements = elementsIn(message, list)
  const elementType = list.resolvedType as protobuf.Type
  out.text(`{${JSON.stringify(list.name)}:[`)
  for (let from = 0; from < elements.length; from += ELEMENTS_A_SLICE) {
    if (from > 0) yield
    const some = elements.slice(from, from + ELEMENTS_A_SLICE)
    const texts = some.map((element) => JSON.stringify(messageToJson(elementType, element)))
    out.text(`${from > 0 ? ',' : ''}${texts.join()}`)
    check(out.length)
  }
  out.text(']}')
}

/** The bytes of a message that is a list, in pieces that follow each other. */
export function* encodeList(
  type: protobuf.Type,
  list: protobuf.Field,
  message: object,
  check: Check,
): Slices<Uint8Array[]> {
  const elements = elementsIn(message, list)
  const pieces: Uint8Array[] = []
  let length = 0
  for (let from = 0; from < elements.length; from += ELEMENTS_A_SLICE) {
    if (from > 0) yield
    // A list is encoded as its elements, each with the field's tag, so that parts of it follow each other.
    const piece = type.encode({ [list.name]: elements.slice(from, from + ELEMENTS_A_SLICE) }).finish()
    pieces.push(piece)
    length += piece.length
    check(length)
  }
  return pieces
}

function elementsIn(message: object, list: protobuf.Field): readonly object[] {
  return (message as { readonly [name: string]: readonly object[] })[list.name]!
}
