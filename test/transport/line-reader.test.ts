import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineReader } from '../../src/transport/line-reader.ts'

function readAll(chunks: readonly Uint8Array[], maxBytes = 1000): string[] {
  const reader = new LineReader(maxBytes)
  const lines: string[] = []
  for (const chunk of chunks) {
    reader.push(chunk)
    for (let line = reader.read(); line !== undefined; line = reader.read()) {
      lines.push(typeof line === 'string' ? line : `=${Buffer.from(line).toString('latin1')}`)
    }
  }
  return lines
}

describe('LineReader', () => {
  it('splits on 0x0A only, strips one CR, skips blank lines, keeps a partial line back', () => {
    expect(readAll([Buffer.from('a\r\n\n\r\nb\rc\r\r\nd\u2028e\npartial')])).toEqual([
      '=a',
      '=b\rc\r',
      `=${Buffer.from('d\u2028e').toString('latin1')}`,
    ])
  })

  it('tells of a line over the limit once, drops the rest, and goes on', () => {
    const long = Buffer.from('x'.repeat(30))
    expect(readAll([long, long, Buffer.from('yy\nok\n')], 25)).toEqual(['too_long', '=ok'])
    expect(readAll([Buffer.from(`${'x'.repeat(25)}\n${'x'.repeat(26)}\nok\n`)], 25)).toEqual([
      `=${'x'.repeat(25)}`,
      'too_long',
      '=ok',
    ])
  })

  it('gives the same lines however the bytes are cut', () => {
    const text = fc.array(fc.constantFrom('a', 'é', '\n', '\r', '\u2028', '€'), { maxLength: 60 })
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (parts, cuts) => {
        const bytes = Buffer.from(parts.join(''))
        const chunks: Uint8Array[] = []
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const length = cuts[i % cuts.length]!
          chunks.push(bytes.subarray(at, at + length))
          at += length
        }
        expect(readAll(chunks, 9)).toEqual(readAll([bytes], 9))
      }),
    )
  })
})
