import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PythonRandom } from '../../src/random/python-random.ts'
import { sha512 } from '../../src/random/sha512.ts'

interface Sample {
  readonly seed: string
  /** random() * 2^53, an integer, as text. */
  readonly first: readonly string[]
  readonly at700: string
}

const samples: Sample[] = JSON.parse(readFileSync(new URL('python-random.json', import.meta.url), 'utf8'))

function expectSample({ seed, first, at700 }: Sample): void {
  const generator = new PythonRandom(seed)
  const numbers = Array.from({ length: 700 }, () => String(generator.random() * 2 ** 53))
  expect(numbers.slice(0, first.length), JSON.stringify(seed)).toEqual(first)
  expect(numbers[699], JSON.stringify(seed)).toBe(at700)
}

describe('PythonRandom', () => {
  it('gives the numbers that CPython 3 gave for strings of many kinds', () => {
    expect(samples.length).toBeGreaterThan(100)
    for (const sample of samples) expectSample(sample)
  })

  it('gives the numbers of the Python on this machine', () => {
    const count = process.env.BLOCKLOOM_FULL === '1' ? 5000 : 300
    const program = `
import json, random
r = random.Random(${count})
out = []
for n in range(${count}):
    seed = "stackcraft-v1:%d:%d" % (r.randrange(-10**r.randrange(1, 64), 10**r.randrange(1, 64)), r.randrange(200))
    if n % 2:
        seed = "".join(chr(r.randrange(0, 0xd800)) for _ in range(r.randrange(0, 260)))
    g = random.Random(seed)
    numbers = [str(int(g.random() * 2**53)) for _ in range(700)]
    out.append({"seed": seed, "first": numbers[:6], "at700": numbers[699]})
print(json.dumps(out))`
    const text = execFileSync('python3', ['-c', program], { maxBuffer: 2 ** 28 }).toString()
    const live: Sample[] = JSON.parse(text)
    expect(live.length).toBe(count)
    for (const sample of live) expectSample(sample)
  })

  it('refuses a string that is not well-formed Unicode', () => {
    expect(() => new PythonRandom('a\ud800b')).toThrow(RangeError)
  })
})

describe('sha512', () => {
  it('equals the digest of Node for every length over two blocks', () => {
    const message = Uint8Array.from({ length: 300 }, (_, i) => (i * 151 + 7) & 255)
    for (let length = 0; length <= 300; length++) {
      const expected = createHash('sha512').update(message.subarray(0, length)).digest('hex')
      expect(Buffer.from(sha512(message.subarray(0, length))).toString('hex')).toBe(expected)
    }
  })
})
