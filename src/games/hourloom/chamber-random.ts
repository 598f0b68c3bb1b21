/**
 * The stream that one chamber is drawn from: sfc32 (Chris Doty-Humphrey, PractRand), seeded with nothing but
 * the run generator's value for that chamber and the chamber's number.
 */
export class ChamberRandom {
  private a = 0
  private b = 0
  private c = 0
  private counter = 1

  /** Starts the stream of a 53-bit value and a small number. */
  seed(value: number, number: number): void {
    this.a = value >>> 0
    this.b = Math.floor(value / 0x100000000)
    this.c = number
    this.counter = 1
    for (let i = 0; i < 12; i++) this.next()
  }

  /** The next 32 random bits. */
  next(): number {
    const out = (this.a + this.b + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (((this.c << 21) | (this.c >>> 11)) + out) | 0
    return out >>> 0
  }

  /** A uniform integer in 0..n-1, for n up to a few thousand. */
  below(n: number): number {
    return Math.floor((this.next() / 0x100000000) * n)
  }
}
