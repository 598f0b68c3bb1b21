import { randomFillSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { LineBuffer } from '../../src/session/line-buffer.ts'

describe('a line in the making', () => {
  it('writes base64 as Buffer does, of any length', () => {
    const lengths = [...Array(40).keys(), 1024, 1025, 4095, 24 * 1024 - 1, 24 * 1024, 24 * 1024 + 1, 100_000]
    for (const length of lengths) {
      const bytes = new Uint8Array(length + 5).subarray(5)
      randomFillSync(bytes)
      const out = new LineBuffer()
      out.ascii('"')
      out.base64(bytes)
      out.ascii('"')
      expect(out.line().toString(), `${length}`).toBe(JSON.stringify(Buffer.from(bytes).toString('base64')))
      expect(out.length).toBe(out.line().length)
    }
  })

  it('writes any text', () => {
    const out = new LineBuffer()
    out.text('é '.repeat(5000))
    out.text('ü€😀')
    expect(out.line().toString()).toBe(`${'é '.repeat(5000)}ü€😀`)
  })

  it('starts again in the same place, or elsewhere when what it gave is still needed', () => {
    const out = new LineBuffer()
    out.ascii('first')
    const first = out.line()
    out.leave()
    out.ascii('other')
    const other = out.line()
    out.clear()
    out.ascii('third')
    const third = out.line()
    expect([first, other, third].map(String)).toEqual(['first', 'third', 'third'])
  })

  it('gives up the room of a very long line', () => {
    const out = new LineBuffer()
    out.base64(new Uint8Array(8 * 1024 * 1024))
    out.clear()
    out.ascii('short')
    out.clear()
    out.ascii('short')
    expect(out.line().toString()).toBe('short')
    expect(out.line().buffer.byteLength).toBeLessThan(1024 * 1024)
  })
})
