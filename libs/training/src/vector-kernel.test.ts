/** Functions over vectors in WebAssembly: each operation, with the bits of float32, for lengths with and without a rest. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { randomNumbers } from './network.fixture.ts'
import { compileKernel } from './vector-kernel.ts'

const round = Math.fround

for (const length of [1, 3, 4, 5, 31, 4_096, 70_001]) {
  test(`each of ${length} elements has the bits of float32`, () => {
    const { vectors, run } = compileKernel({
      length,
      vectors: ['a', 'b', 'sum', 'difference', 'product', 'quotient', 'root'],
      scalars: ['factor', 'offset'],
      write({ load, store, scalar, constant, add, subtract, multiply, divide, sqrt }) {
        const [a, b] = [load('a'), load('b')]
        store('sum', add(a, scalar('offset')))
        store('difference', subtract(a, b))
        store('product', multiply(multiply(a, b), scalar('factor')))
        store('quotient', divide(a, add(b, constant(0.1))))
        store('root', sqrt(b))
      },
    })
    const random = randomNumbers(length)
    for (const vector of [vectors.a, vectors.b]) vector.set(Float32Array.from(vector, random))
    for (const [factor, offset] of [
      [3, 0.7],
      [-0.3, 1e-8],
    ] as const) {
      run({ factor, offset })
      vectors.a.forEach((a, at) => {
        const b = vectors.b[at] as number
        assert.equal(vectors.sum[at], round(a + round(offset)))
        assert.equal(vectors.difference[at], round(a - b))
        assert.equal(vectors.product[at], round(round(a * b) * round(factor)))
        assert.equal(vectors.quotient[at], round(a / round(b + round(0.1))))
        assert.equal(vectors.root[at], round(Math.sqrt(b)))
      })
    }
  })
}

test('a value that is stored is loaded by the next run', () => {
  const { vectors, run } = compileKernel({
    length: 5,
    vectors: ['total', 'given'],
    scalars: [],
    write: ({ load, store, add }) => store('total', add(load('total'), load('given'))),
  })
  vectors.given.set([1, 2, 3, 4, 5])
  for (let times = 0; times < 3; times += 1) run({})
  assert.deepEqual([...vectors.total], [3, 6, 9, 12, 15])
})
