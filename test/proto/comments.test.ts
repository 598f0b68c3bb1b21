import { readFileSync } from 'node:fs'
import protobuf from 'protobufjs'
import { expect, it } from 'vitest'

const TEXT = readFileSync(new URL('../../proto/blockloom/v1/environment.proto', import.meta.url), 'utf8')

/** Names of everything in a scope that has no comment of its own. */
function uncommented(thing: protobuf.ReflectionObject): string[] {
  const parts: protobuf.ReflectionObject[] = []
  if (thing instanceof protobuf.Type) parts.push(...thing.fieldsArray)
  if (thing instanceof protobuf.Service) parts.push(...thing.methodsArray)
  if (thing instanceof protobuf.Namespace) parts.push(...thing.nestedArray)
  const missing = parts.flatMap(uncommented)
  if (thing instanceof protobuf.Enum) {
    for (const value of Object.keys(thing.values)) {
      if (!thing.comments[value]) missing.push(`${thing.name}.${value}`)
    }
  }
  const isScope = thing.constructor === protobuf.Namespace || thing instanceof protobuf.Root
  return isScope || thing.comment ? missing : [...missing, thing.fullName]
}

it('the contract has a comment on every message, field, enum, value and call', () => {
  const { root } = protobuf.parse(TEXT, { keepCase: true, alternateCommentMode: true })
  expect(root.lookupType('blockloom.v1.Batch').fieldsArray.length).toBeGreaterThan(5)
  expect(uncommented(root)).toEqual([])
})
